// CodePaths that several groups of a warp's lanes come by to where they meet. From where two of
// them are alike to the end, their lanes go together, and the earlier one speaks for both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "sim/code/code_paths.hpp"

namespace warpmem::sim {

inline std::size_t common_beginning(const CodePaths::Lines& a, const CodePaths::Lines& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                  a.begin());
}
inline std::size_t common_end(const CodePaths::Lines& a, const CodePaths::Lines& b) {
  if (&a == &b) return a.size();
  return static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first -
                                  a.rbegin());
}

struct JoinedPath {
  const CodePaths::Lines* lines = nullptr;
  std::size_t left = 0;   // lines before its end that its lanes are still to run
  std::size_t joins = 0;  // of them: so many before the end they meet the lanes
  std::size_t with = 0;   // … of this one
};

// Who speaks for path `k`, so many lines before the end.
inline std::size_t speaker(const std::vector<JoinedPath>& paths, std::size_t k,
                           std::size_t from_end) {
  while (from_end <= paths[k].joins) k = paths[k].with;
  return k;
}

// Finds where the paths meet, and calls piece(k, from, to) in the order in which they are run: of
// path `k` the lines from `from` to `to` before its end, which it speaks for.
template <class F>
void join_paths(std::vector<JoinedPath>& paths, F&& piece) {
  std::vector<std::size_t> cuts{0};
  for (std::size_t k = 0; k < paths.size(); ++k) {
    JoinedPath& w = paths[k];
    w.joins = 0, w.with = k;
    for (std::size_t j = 0; j < k; ++j) {
      const std::size_t alike =
          std::min({common_end(*paths[j].lines, *w.lines), paths[j].left, w.left});
      if (alike > w.joins) w.joins = alike, w.with = j;
    }
    cuts.push_back(w.left);
    cuts.push_back(w.joins);
  }
  std::sort(cuts.begin(), cuts.end(), std::greater<>());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  for (std::size_t c = 0; c + 1 < cuts.size(); ++c)
    for (std::size_t k = 0; k < paths.size(); ++k)
      if (paths[k].left >= cuts[c] && speaker(paths, k, cuts[c]) == k)
        piece(k, cuts[c], cuts[c + 1]);
}

}  // namespace warpmem::sim
