// Which ways of an L1's sets hold a line, in which order they go, and whose turn it is to give up a
// line where all the room is taken (l1_cache.hpp says what was measured).
//
// Every hit in a set makes its other lines a step older and its own new again; a line comes in two
// steps old, and the oldest goes, of several the one that was used longest ago. So lines stand in
// an order in which a hit brings its line to the front, and a new one comes behind those that are
// younger than two steps: the line of the latest hit, and that of the one before it if it is
// another. Nobody has to count steps. With plain LRU no line is young: a new one comes to the
// front.
//
// Small rows, apart from the sets themselves, so that making room in a set that nobody asked for
// brings nothing large into the host's cache (way_row.hpp). The object is small enough to be
// copied: a loop over many lines works on a copy, which no store in it can change. Invariant: free
// ways are the least recently used ones of their set, so their number says which.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/cache/way_row.hpp"

namespace warpmem::model {

// `N`: the most ways that a set may have.
template <std::uint32_t N>
class L1Ways {
 public:
  static constexpr std::uint32_t kWays = N, kBanks = 4, kNone = N;
  using Row = WayRow<N>;

  L1Ways() = default;
  // `rows`: one a set; a power of two, at least kBanks of them. `ways`: of a set, at most N.
  // `lines`: that there is room for. `after_hits`: a new line is older than those of the latest
  // hits.
  L1Ways(Row* rows, std::uint32_t sets, std::uint32_t ways, std::uint32_t lines, bool after_hits)
      : rows_(rows),
        last_(sets - 1),
        ways_(ways),
        young_(after_hits ? 3 : 0),
        room_(lines < kBanks ? 1 : lines / kBanks) {
    for (std::uint32_t b = 0; b < kBanks; ++b) bank_[b] = {room_, b};
  }
  // No way holds a line any more. Whose turn it is stays.
  void clear() {
    std::fill_n(rows_, last_ + 1, Row{});
    for (Bank& bank : bank_) bank.room = room_;
  }

  // Of the set's ways only these hold a line any more; as if they had come in from the oldest
  // on (how old they are was not measured).
  void keep(std::uint32_t set, std::uint32_t ways) {
    const std::uint32_t before = rows_[set].held();
    rows_[set].keep(ways);
    bank_[set % kBanks].room += before - rows_[set].held();
  }

  // Of the ways that look as if they held a line (bit w: way w) the one that does, or kNone.
  std::uint32_t find(std::uint32_t set, std::uint32_t ways) const { return rows_[set].find(ways); }
  // A hit on the way.
  void use(std::uint32_t set, std::uint32_t way) { rows_[set].use(way, young_); }
  // The way's line becomes the oldest of its set; the others are no older than before.
  void retire(std::uint32_t set, std::uint32_t way) { rows_[set].retire(way); }
  // The way that a new line gets, used. Which sets have free ways is in no order, so that there is
  // nothing to branch on but whether the bank is full.
  std::uint32_t take(std::uint32_t set) {
    const std::uint32_t more = rows_[set].free_way(ways());
    Bank& bank = bank_[set % kBanks];
    if (bank.room > 0) [[unlikely]]
      bank.room -= more;
    else give_up(bank, more);
    return rows_[set].insert(more, ways());
  }

 private:
  struct Bank {
    std::uint32_t room = 0;  // for lines, that it has left
    std::uint32_t next = 0;  // its set to give up one next
  };

  // Sets of four always have all of them.
  std::uint32_t ways() const { return N == 4 ? 4 : ways_; }

  // The next set of the bank that holds anything gives up so many (0 or 1): its oldest.
  void give_up(Bank& bank, std::uint32_t lines) {
    std::uint32_t at = bank.next;
    while (lines > rows_[at].held()) [[unlikely]] at = (at + kBanks) & last_;
    rows_[at].drop(lines);
    bank.next = (at + lines * kBanks) & last_;
  }

  Row* rows_ = nullptr;
  std::uint32_t last_ = 0;   // set
  std::uint32_t ways_ = N;   // of a set
  std::uint32_t young_ = 3;  // which bits of the number of young lines count
  std::uint32_t room_ = 0;   // for lines of a bank
  std::array<Bank, kBanks> bank_{};
};

}  // namespace warpmem::model
