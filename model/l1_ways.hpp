// Which ways of an L1's sets hold a line, in which order they go, and whose turn it is to give up a
// line where all the room is taken (l1_cache.hpp says what was measured).
//
// Every hit in a set makes its other lines a step older and its own new again; a line comes in two
// steps old, and the oldest goes, of several the one that was used longest ago. So lines stand in
// an order in which a hit brings its line to the front, and a new one comes behind those that are
// younger than two steps: the line of the latest hit, and that of the one before it if it is
// another. Nobody has to count steps.
//
// Two bytes a set, apart from the sets themselves, so that making room in a set that nobody asked
// for brings nothing large into the host's cache. Small enough to be copied: a loop over many lines
// works on a copy, which no store in it can change.
// Invariant: free ways are the least recently used ones of their set, so their number says which.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace warpmem::model {

class L1Ways {
 public:
  static constexpr std::uint32_t kWays = 4, kBanks = 4, kNone = kWays;
  // Ways of a set from the youngest to the oldest, two bits each from the lowest on.
  using Order = std::uint8_t;
  struct Row {
    Order order = 0b11'10'01'00;
    // Ways that hold a line, the first of the order; sixteen times those of them that are younger
    // than two steps, 0 before the first hit. Added to as a whole, which takes half the
    // instructions that two numbers of four bits take.
    std::uint8_t ages = 0;
    std::uint32_t held() const { return ages & 15u; }
    std::uint32_t young() const { return ages >> 4; }
    void set(std::uint32_t held, std::uint32_t young) {
      ages = static_cast<std::uint8_t>(held | young << 4);
    }
    void add(std::uint32_t held) { ages = static_cast<std::uint8_t>(ages + held); }
    void drop(std::uint32_t held) { ages = static_cast<std::uint8_t>(ages - held); }
  };

  L1Ways() = default;
  // `rows`: one a set, in their first state; a power of two, at least kBanks of them. `lines`: that
  // there is room for.
  L1Ways(Row* rows, std::uint32_t sets, std::uint32_t lines)
      : rows_(rows), last_(sets - 1), room_(lines < kBanks ? 1 : lines / kBanks) {
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
    const Row was = rows_[set];
    Row& row = rows_[set];
    row = {0, 0};
    unsigned places = 0;
    for (const bool stays : {true, false})
      for (unsigned at = 0; at < kWays; ++at) {
        const unsigned way = was.order >> at * 2 & 3;
        if ((at < was.held() && (ways >> way & 1)) != stays) continue;
        row.order = static_cast<Order>(row.order | way << places++ * 2);
        row.add(stays);
      }
    bank_[set % kBanks].room += was.held() - row.held();
  }

  // Of the ways that look as if they held a line (bit w: way w) the one that does, or kNone.
  std::uint32_t find(std::uint32_t set, std::uint32_t ways) const {
    const Row row = rows_[set];
    for (; ways; ways &= ways - 1) {
      const auto way = static_cast<std::uint32_t>(std::countr_zero(ways));
      if (kUsed[row.order][way].place < row.held()) return way;
    }
    return kNone;
  }
  // A hit on the way.
  void use(std::uint32_t set, std::uint32_t way) {
    Row& row = rows_[set];
    const Used used = kUsed[row.order][way];
    row.order = used.order;
    row.set(row.held(), 1u + ((used.place != 0) & (row.young() != 0)));
  }
  // The way's line becomes the oldest of its set; the others are no older than before.
  void retire(std::uint32_t set, std::uint32_t way) {
    Row& row = rows_[set];
    const unsigned place = kUsed[row.order][way].place, last = row.held() - 1u;
    const unsigned below = (1u << place * 2) - 1, upto = (1u << last * 2) - 1;
    row.order = static_cast<Order>((row.order & below) | (row.order >> 2 & upto & ~below) |
                                   way << last * 2 | (row.order & ~(upto << 2 | 3)));
    if (place < row.young()) row.set(row.held(), row.young() - 1);
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
    row.add(more);
    const Order order = row.order;
    row.order = kInserted[row.young()][order];
    return order >> (kWays - 1) * 2;
  }

 private:
  // What becomes of an order when a way is used, and the way's place in it.
  struct Used {
    Order order;
    std::uint8_t place;
  };

  // 1 if the set has one, 0 if all of them hold a line.
  std::uint32_t free_way(std::uint32_t set) const { return (rows_[set].ages & kWays) / kWays ^ 1u; }

  struct Bank {
    std::uint32_t room = 0;  // for lines, that it has left
    std::uint32_t next = 0;  // its set to give up one next
  };

  // The next set of the bank that holds anything gives up so many (0 or 1): its oldest.
  void give_up(Bank& bank, std::uint32_t lines) {
    std::uint32_t at = bank.next;
    while (lines > rows_[at].held()) [[unlikely]] at = (at + kBanks) & last_;
    Row& row = rows_[at];
    row.drop(lines);
    if (row.young() > row.held()) [[unlikely]]
      row.set(row.held(), row.held());
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

  // What becomes of an order when its last way comes behind so many.
  static constexpr std::array<std::array<Order, 256>, 3> kInserted = [] {
    std::array<std::array<Order, 256>, 3> all{};
    for (unsigned front = 0; front < 3; ++front)
      for (unsigned order = 0; order < 256; ++order) {
        const unsigned keep = (1u << front * 2) - 1, last = order >> (kWays - 1) * 2;
        all[front][order] =
            static_cast<Order>((order & keep) | last << front * 2 | (order & ~keep) << 2);
      }
    return all;
  }();

  Row* rows_ = nullptr;
  std::uint32_t last_ = 0;  // set
  std::uint32_t room_ = 0;  // for lines of a bank
  std::array<Bank, kBanks> bank_{};
};

}  // namespace warpmem::model
