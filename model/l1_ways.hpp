// Which ways of an L1's sets hold a line, in which order they were used, and whose turn it is to
// give up a line where all the room is taken (l1_cache.hpp says what was measured).
//
// Two bytes a set, apart from the sets themselves, so that making room in a set that nobody asked
// for brings nothing large into the host's cache. Small enough to be copied: a loop over many lines
// works on a copy, which no store in it can change.
// Invariant: free ways are the least recently used ones of their set, so their number says which.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace warpmem::model {

class L1Ways {
 public:
  static constexpr std::uint32_t kWays = 4, kBanks = 4, kNone = kWays;
  // Ways of a set from the most to the least recently used, two bits each from the lowest on.
  using Order = std::uint8_t;
  struct Row {
    Order order = 0b11'10'01'00;
    std::uint8_t held = 0;  // ways that hold a line: the first of the order
  };

  L1Ways() = default;
  // `rows`: one a set, in their first state; a power of two, at least kBanks of them. `lines`: that
  // there is room for.
  L1Ways(Row* rows, std::uint32_t sets, std::uint32_t lines)
      : rows_(rows), last_(sets / kBanks - 1), room_(lines < kBanks ? 1 : lines / kBanks) {}

  // Of the ways that look as if they held a line (bit w: way w) the one that does, or kNone.
  std::uint32_t find(std::uint32_t set, std::uint32_t ways) const {
    const Row row = rows_[set];
    for (; ways; ways &= ways - 1) {
      const auto way = static_cast<std::uint32_t>(std::countr_zero(ways));
      if (kUsed[row.order][way].place < row.held) return way;
    }
    return kNone;
  }
  // The way is the most recently used one from now on.
  void use(std::uint32_t set, std::uint32_t way) {
    Order& order = rows_[set].order;
    order = kUsed[order][way].order;
  }
  // The way that a new line gets, used. Which sets have free ways is in no order, so that there is
  // nothing to branch on.
  std::uint32_t take(std::uint32_t set) {
    Row& row = rows_[set];
    const std::uint32_t bank = set % kBanks, full = used_[bank] == room_;
    const std::uint32_t way = row.order >> (kWays - 1) * 2, more = row.held < kWays;
    give_up(bank, more & full);
    used_[bank] += more & (full ^ 1);
    row.held = static_cast<std::uint8_t>(row.held + more);
    row.order = std::rotl(row.order, 2);  // the last becomes the first
    return way;
  }

 private:
  // What becomes of an order when a way is used, and the way's place in it.
  struct Used {
    Order order;
    std::uint8_t place;
  };

  // The next set of the bank that holds anything gives up so many (0 or 1): its oldest.
  void give_up(std::uint32_t bank, std::uint32_t lines) {
    std::uint32_t at = next_[bank];
    while (lines > rows_[at * kBanks + bank].held) [[unlikely]] at = (at + 1) & last_;
    Row& row = rows_[at * kBanks + bank];
    row.held = static_cast<std::uint8_t>(row.held - lines);
    next_[bank] = (at + lines) & last_;
  }

  static constexpr std::array<std::array<Used, kWays>, 256> kUsed = [] {
    std::array<std::array<Used, kWays>, 256> all{};
    for (unsigned order = 0; order < 256; ++order)
      for (unsigned way = 0; way < kWays; ++way) {
        unsigned next = way, places = 1;
        for (unsigned at = 0; at < kWays; ++at) {
          const unsigned w = order >> at * 2 & 3;
          if (w == way) all[order][way].place = static_cast<std::uint8_t>(at);
          else if (places < kWays) next |= w << places++ * 2;
        }
        all[order][way].order = static_cast<Order>(next);
      }
    return all;
  }();

  Row* rows_ = nullptr;
  std::uint32_t last_ = 0, room_ = 1;         // row of a bank; lines that a bank holds
  std::array<std::uint32_t, kBanks> used_{};  // lines held, by bank
  std::array<std::uint32_t, kBanks> next_{};  // the row to give up one next
};

}  // namespace warpmem::model
