#include "model/constant/constant_cache.hpp"

#include <algorithm>

namespace warpmem::model {

ConstantCache::ConstantCache(Spec spec)
    : spec_(std::move(spec)), sets_(std::max(1u, spec_.bytes / spec_.line / spec_.ways)) {
  clear();
}

void ConstantCache::clear() {
  entries_.assign(spec_.sm_group.size() * sets_ * spec_.ways, {});
  lookup_.assign(spec_.sm_group.size(), {});
  held_.assign(spec_.sm_group.size(), 0);
  miss_.assign(spec_.sm_group.size() * spec_.misses, 0);
  std::uint64_t groups = 0;
  for (std::uint64_t g : spec_.sm_group) groups = std::max(groups, g + 1);
  groups_.assign(groups, {});
  uses_ = 0;
}

std::uint64_t ConstantCache::read(int sm, const std::uint64_t* addresses, std::size_t count,
                                  std::uint64_t now) {
  const auto at = static_cast<std::size_t>(sm);
  std::uint64_t cycle = now, back = now;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) cycle += spec_.next_cycles;
    cycle = std::max(cycle, held_[at]);
    cycle = lookup_[at].reserve(cycle * kTicks, spec_.address_cycles * kTicks) / kTicks;
    if (i == 0) begun_ = cycle;
    back = std::max(back, line(at, addresses[i] / spec_.line, cycle));
  }
  return std::max(cycle, back) - now;
}

std::uint64_t ConstantCache::line(std::size_t sm, std::uint64_t line, std::uint64_t now) {
  Entry* const set = &entries_[(sm * sets_ + line % sets_) * spec_.ways];
  Entry* oldest = set;
  for (Entry* e = set; e != set + spec_.ways; ++e) {
    if (e->line == line) {
      e->used = ++uses_;
      return std::max(now, e->there);
    }
    if (e->used < oldest->used) oldest = e;
  }
  const std::uint64_t whole = line * spec_.line / spec_.group_line;
  const auto places = miss_.begin() + static_cast<std::ptrdiff_t>(sm * spec_.misses);
  std::uint64_t& free = *std::min_element(places, places + spec_.misses);
  held_[sm] = std::max(held_[sm], free);
  const std::uint64_t there = group_line(groups_[spec_.sm_group[sm]], whole, std::max(now, free));
  free = there;
  *oldest = {line, there, ++uses_};
  return there;
}

std::uint64_t ConstantCache::group_line(Group& group, std::uint64_t line, std::uint64_t now) {
  const auto it = group.lines.find(line);
  if (it != group.lines.end()) {
    it->second.used = ++uses_;
    return std::max(now + spec_.group_cycles, it->second.there);
  }
  if (group.lines.size() * spec_.group_line >= spec_.group_bytes)
    group.lines.erase(std::min_element(
        group.lines.begin(), group.lines.end(),
        [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
  const std::uint64_t there = now + spec_.memory_cycles;
  group.lines[line] = {line, there, ++uses_};
  return there;
}

}  // namespace warpmem::model
