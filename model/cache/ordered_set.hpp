// The lines of a set in the order of their last use, the youngest first, under any replacement
// policy. What a line holds is the cache's business: `Line` has a `number` and a `way`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/cache/replacement/replacement.hpp"

namespace warpmem::model {

template <class Line>
class OrderedSet {
 public:
  std::vector<Line> lines;

  Line* find(std::uint64_t number) {
    for (Line& l : lines)
      if (l.number == number) return &l;
    return nullptr;
  }
  // A hit, if it is here: nullptr if not. `ways`: that the set has.
  Line* use(std::uint64_t number, const ReplacementPolicy& policy, std::uint32_t ways,
            std::uint64_t& draws) {
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (lines[i].number == number) return &use_at(i, policy, ways, draws);
    return nullptr;
  }
  Line& use_at(std::size_t at, const ReplacementPolicy& policy, std::uint32_t ways,
               std::uint64_t& draws) {
    if (policy.hit) policy.hit(view(policy, ways, draws), at);
    if (!policy.hits_reorder) return lines[at];
    const auto line = lines.begin() + static_cast<std::ptrdiff_t>(at);
    std::rotate(lines.begin(), line, line + 1);
    return lines.front();
  }
  // Where the line stands that the policy gives up.
  std::size_t victim(const ReplacementPolicy& policy, std::uint32_t ways, std::uint64_t& draws) {
    return policy.victim ? policy.victim(view(policy, ways, draws)) : lines.size() - 1;
  }
  // A line comes; there is room for it.
  Line& bring(Line line, const ReplacementPolicy& policy, std::uint32_t ways,
              std::uint64_t& draws) {
    if (policy.knows_ways) line.way = free_way();
    if (policy.comes) policy.comes(view(policy, ways, draws), line.way);
    const std::size_t at = policy.place ? policy.place(view(policy, ways, draws)) : 0;
    return *lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), line);
  }
  void erase(std::size_t at) {
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
    kept_.young = std::min(kept_.young, static_cast<std::uint32_t>(lines.size()));
  }
  // It is the next to go.
  Line& make_oldest(std::size_t at) {
    if (at < kept_.young) --kept_.young;
    const auto line = lines.begin() + static_cast<std::ptrdiff_t>(at);
    std::rotate(line, line + 1, lines.end());
    return lines.back();
  }
  // No line is young any more.
  void forget_hits() { kept_.young = 0; }

 private:
  SetView view(const ReplacementPolicy& policy, std::uint32_t ways, std::uint64_t& draws) {
    if (policy.knows_ways) {
      way_of_.clear();
      for (const Line& l : lines) way_of_.push_back(l.way);
    }
    return {lines.size(), ways, way_of_.data(), draws, kept_};
  }
  // The lowest one that no line lies in.
  std::uint32_t free_way() const {
    std::uint64_t taken = 0;
    for (const Line& l : lines) taken |= std::uint64_t{1} << l.way;
    std::uint32_t way = 0;
    while (taken >> way & 1) ++way;
    return way;
  }

  SetView::Kept kept_;
  std::vector<std::uint32_t> way_of_;  // scratch
};

}  // namespace warpmem::model
