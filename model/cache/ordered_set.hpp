// The lines of a cache's sets in the order of their last use, the youngest first, under any
// replacement policy. What a line holds is the cache's business: `Line` has a `number` and a `way`.
//
// A set's lines stay where they are, and so do their numbers, which stand once more by themselves;
// what moves is the order. So a set in which a line is not found is a few lines of the host's
// cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/prefetch.hpp"
#include "model/cache/replacement/replacement.hpp"

namespace warpmem::model {

template <class Line>
class OrderedSets {
 public:
  OrderedSets() = default;
  // `ways`: the most that a set has.
  OrderedSets(const ReplacementPolicy& policy, std::uint32_t sets, std::uint32_t ways)
      : policy_(&policy),
        ways_(ways),
        sets_(sets),
        numbers_(std::make_unique_for_overwrite<std::uint64_t[]>(std::size_t{sets} * ways)),
        order_(std::size_t{sets} * ways),
        bytes_(
            std::make_unique_for_overwrite<std::byte[]>(std::size_t{sets} * ways * sizeof(Line))),
        lines_(reinterpret_cast<Line*>(bytes_.get())) {
    for (std::size_t i = 0; i < order_.size(); ++i)
      order_[i] = static_cast<std::uint16_t>(i % ways);
  }

  std::size_t size() const { return sets_.size(); }
  bool empty() const { return sets_.empty(); }
  // Holds nothing, as if new.
  void clear() {
    std::fill(sets_.begin(), sets_.end(), State{});
    draws_ = 0;
  }
  std::size_t held(std::size_t set) const { return sets_[set].count; }
  Line& line(std::size_t set, std::size_t at) { return lines(set)[at]; }
  // All lines of a set, the youngest first.
  struct Lines {
    Line* first;
    const std::uint16_t* order;
    std::size_t count;
    std::size_t size() const { return count; }
    Line& operator[](std::size_t at) const { return first[order[at]]; }
    // Lines of which something holds; the oldest of them, of which there is one.
    template <class Is>
    std::size_t count_if(Is&& is) const {
      std::size_t all = 0;
      for (std::size_t i = 0; i < count; ++i) all += is((*this)[i]);
      return all;
    }
    template <class Is>
    Line& oldest(Is&& is) const {
      std::size_t at = count - 1;
      while (!is((*this)[at])) --at;
      return (*this)[at];
    }
  };
  Lines lines(std::size_t set) {
    return {&lines_[set * ways_], &order_[set * ways_], sets_[set].count};
  }

  // Where a line stands in its set, or held().
  std::size_t find(std::size_t set, std::uint64_t number) const {
    const std::uint64_t* const numbers = &numbers_[set * ways_];
    const std::uint16_t* const order = &order_[set * ways_];
    const std::size_t count = sets_[set].count;
    std::size_t at = 0;
    while (at < count && numbers[order[at]] != number) ++at;
    return at;
  }
  // A hit. `ways`: that the set has.
  Line& use(std::size_t set, std::size_t at, std::uint32_t ways) {
    if (policy_->hit) policy_->hit(view(set, ways), at);
    if (!policy_->hits_reorder) return line(set, at);
    move(set, at, 0);
    return line(set, 0);
  }
  // Where the line stands that the policy gives up.
  std::size_t victim(std::size_t set, std::uint32_t ways) {
    return policy_->victim ? policy_->victim(view(set, ways)) : held(set) - 1;
  }
  // A line comes; there is room for it.
  Line& bring(std::size_t set, std::uint64_t number, std::uint32_t ways) {
    Line line;
    line.number = number;
    if (policy_->knows_ways) line.way = static_cast<std::uint8_t>(free_way(set));
    if (policy_->comes) policy_->comes(view(set, ways), line.way);
    const std::size_t at = policy_->place ? policy_->place(view(set, ways)) : 0;
    const std::size_t last = sets_[set].count++, place = set * ways_ + order_[set * ways_ + last];
    lines_[place] = line;
    numbers_[place] = number;
    move(set, last, at);
    return lines_[place];
  }
  void erase(std::size_t set, std::size_t at) {
    State& state = sets_[set];
    move(set, at, state.count - 1u);
    --state.count;
    state.kept.young = std::min<std::uint32_t>(state.kept.young, state.count);
  }
  // It is the next to go.
  Line& make_oldest(std::size_t set, std::size_t at) {
    State& state = sets_[set];
    if (at < state.kept.young) --state.kept.young;
    move(set, at, state.count - 1u);
    return line(set, state.count - 1u);
  }
  // Forgets the lines of a set that `gone` says, and which were hit: how many they were.
  template <class Gone>
  std::size_t erase_if(std::size_t set, Gone&& gone) {
    const std::size_t before = held(set);
    for (std::size_t at = before; at-- > 0;)
      if (gone(line(set, at))) erase(set, at);
    sets_[set].kept.young = 0;
    return before - held(set);
  }
  // Has what a look-up in a set reads brought into the host's cache; changes nothing.
  void prefetch(std::size_t set) const {
    warpmem::prefetch(&sets_[set]);
    warpmem::prefetch(&numbers_[set * ways_]);
    if (ways_ > 8) warpmem::prefetch(&numbers_[set * ways_ + 8]);
    warpmem::prefetch(&order_[set * ways_]);
  }
  // … and then the line that mostly goes.
  void prefetch_last(std::size_t set) const {
    const std::size_t last = set * ways_ + ways_ - 1;
    warpmem::prefetch(&lines_[set * ways_ + order_[last]]);
  }

 private:
  struct State {
    SetView::Kept kept;
    std::uint32_t count = 0;
  };

  // Those between the two places make room.
  void move(std::size_t set, std::size_t from, std::size_t to) {
    std::uint16_t* const order = &order_[set * ways_];
    const std::uint16_t moved = order[from];
    for (std::size_t at = from; at > to; --at) order[at] = order[at - 1];
    for (std::size_t at = from; at < to; ++at) order[at] = order[at + 1];
    order[to] = moved;
  }
  SetView view(std::size_t set, std::uint32_t ways) {
    if (policy_->knows_ways) {
      way_of_.clear();
      for (std::size_t at = 0; at < held(set); ++at) way_of_.push_back(line(set, at).way);
    }
    return {held(set), ways, way_of_.data(), draws_, sets_[set].kept};
  }
  // The lowest one that no line lies in.
  std::uint32_t free_way(std::size_t set) {
    std::uint64_t taken = 0;
    for (std::size_t at = 0; at < held(set); ++at) taken |= std::uint64_t{1} << line(set, at).way;
    std::uint32_t way = 0;
    while (taken >> way & 1) ++way;
    return way;
  }

  const ReplacementPolicy* policy_ = nullptr;
  std::size_t ways_ = 0;
  std::vector<State> sets_;
  std::unique_ptr<std::uint64_t[]> numbers_;
  std::vector<std::uint16_t>
      order_;  // by set: places of its lines, the youngest first, then others
  // Nothing is written of a line that has never been there.
  static_assert(std::is_trivially_copyable_v<Line> && std::is_aggregate_v<Line>);
  std::unique_ptr<std::byte[]> bytes_;
  Line* lines_ = nullptr;
  std::uint64_t draws_ = 0;            // random numbers drawn so far
  std::vector<std::uint32_t> way_of_;  // scratch
};

}  // namespace warpmem::model
