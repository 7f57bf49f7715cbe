#include "base/nearest.hpp"

#include <algorithm>
#include <vector>

namespace warpmem {

unsigned edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: two are not enough to see a swap of neighbours.
  std::vector<unsigned> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (unsigned j = 0; j <= b.size(); ++j) above[j] = j;
  for (unsigned i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (unsigned j = 1; j <= b.size(); ++j) {
      const unsigned replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string nearest(std::string_view name, std::span<const std::string> known) {
  // What begins so is meant before what differs by a letter: "a100" is an a100_40, not a v100.
  constexpr std::size_t kBeginning = 3;
  for (const std::string& candidate : known)
    if (name.size() >= kBeginning && candidate.starts_with(name)) return candidate;
  const std::string* best = nullptr;
  unsigned fewest = 0;
  for (const std::string& candidate : known) {
    const unsigned edits = edit_distance(name, candidate);
    if (!best || edits < fewest) {
      best = &candidate;
      fewest = edits;
    }
  }
  if (!best) return {};
  const auto tolerated = std::max<std::size_t>(2, best->size() / 3);
  // A name that shares nothing with the candidate needs as many edits as it has letters.
  if (fewest > tolerated || fewest >= best->size()) return {};
  return *best;
}

}  // namespace warpmem
