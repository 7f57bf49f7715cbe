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
  L1Ways(Row* rows, std::uint32_t sets, std::uint32_t lines) : rows_(rows), last_(sets - 1) {
    for (std::uint32_t b = 0; b < kBanks; ++b) bank_[b] = {lines < kBanks ? 1 : lines / kBanks, b};
  }

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
  // nothing to branch on but whether the bank is full.
  std::uint32_t take(std::uint32_t set) {
    const std::uint32_t more = free_way(set);
    Bank& bank = bank_[set % kBanks];
    if (bank.room > 0) [[unlikely]]
      bank.room -= more;
    else give_up(bank, more);
    Row& row = rows_[set];
    row.held = static_cast<std::uint8_t>(row.held + more);
    const Order order = row.order;
    row.order = std::rotl(order, 2);  // the last becomes the first
    return order >> (kWays - 1) * 2;
  }

 private:
  // What becomes of an order when a way is used, and the way's place in it.
  struct Used {
    Order order;
    std::uint8_t place;
  };

  // 1 if the set has one, 0 if all of them hold a line.
  std::uint32_t free_way(std::uint32_t set) const { return rows_[set].held / kWays ^ 1u; }

  struct Bank {
    std::uint32_t room = 0;  // for lines, that it has left
    std::uint32_t next = 0;  // its set to give up one next
  };

  // The next set of the bank that holds anything gives up so many (0 or 1): its oldest.
  void give_up(Bank& bank, std::uint32_t lines) {
    std::uint32_t at = bank.next;
    while (lines > rows_[at].held) [[unlikely]] at = (at + kBanks) & last_;
    rows_[at].held = static_cast<std::uint8_t>(rows_[at].held - lines);
    bank.next = (at + lines * kBanks) & last_;
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
  std::uint32_t last_ = 0;  // set
  std::array<Bank, kBanks> bank_{};
};

}  // namespace warpmem::model
