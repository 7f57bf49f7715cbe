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
  // The order in the lowest eight bits; above it how many ways hold a line, the first of the order
  // (four bits), and how many of those are younger than two steps, 0 before the first hit. One
  // number, read, added to and written as a whole.
  class Row {
   public:
    Order order() const { return static_cast<Order>(all_); }
    std::uint32_t held() const { return all_ >> 8 & 15u; }
    std::uint32_t young() const { return all_ >> 12; }
    // 1 if a way is free, 0 if all of them hold a line.
    std::uint32_t free_way() const { return (all_ >> 10 & 1u) ^ 1u; }
    void set(std::uint32_t order, std::uint32_t held, std::uint32_t young) {
      all_ = static_cast<std::uint16_t>(order | held << 8 | young << 12);
    }
    // A new line comes: into a free way, if there is one (`more`). The way.
    std::uint32_t insert(std::uint32_t more) {
      const std::uint32_t was = all_ + (more << 8);
      const std::uint32_t young = was >> 12, order = was & 255;
      all_ = static_cast<std::uint16_t>((was & 0xff00u) | kInserted[young][order]);
      return order >> (kWays - 1) * 2;
    }
    // So many (0 or 1) fewer hold a line: the oldest does not.
    void drop(std::uint32_t lines) {
      all_ = static_cast<std::uint16_t>((all_ & 255u) | kDropped[lines][all_ >> 8] << 8);
    }

   private:
    std::uint16_t all_ = 0b11'10'01'00;
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
    unsigned order = 0, places = 0, held = 0;
    for (const bool stays : {true, false})
      for (unsigned at = 0; at < kWays; ++at) {
        const unsigned way = was.order() >> at * 2 & 3;
        if ((at < was.held() && (ways >> way & 1)) != stays) continue;
        order |= way << places++ * 2;
        held += stays;
      }
    rows_[set].set(order, held, 0);
    bank_[set % kBanks].room += was.held() - held;
  }

  // Of the ways that look as if they held a line (bit w: way w) the one that does, or kNone.
  std::uint32_t find(std::uint32_t set, std::uint32_t ways) const {
    const Row row = rows_[set];
    for (; ways; ways &= ways - 1) {
      const auto way = static_cast<std::uint32_t>(std::countr_zero(ways));
      if (kUsed[row.order()][way].place < row.held()) return way;
    }
    return kNone;
  }
  // A hit on the way.
  void use(std::uint32_t set, std::uint32_t way) {
    Row& row = rows_[set];
    const Used used = kUsed[row.order()][way];
    row.set(used.order, row.held(), 1u + ((used.place != 0) & (row.young() != 0)));
  }
  // The way's line becomes the oldest of its set; the others are no older than before.
  void retire(std::uint32_t set, std::uint32_t way) {
    Row& row = rows_[set];
    const unsigned order = row.order(), held = row.held(), young = row.young();
    const unsigned place = kUsed[order][way].place, last = held - 1;
    const unsigned below = (1u << place * 2) - 1, upto = (1u << last * 2) - 1;
    row.set((order & below) | (order >> 2 & upto & ~below) | way << last * 2 |
                (order & ~(upto << 2 | 3)),
            held, young - (place < young));
  }
  // The way that a new line gets, used. Which sets have free ways is in no order, so that there is
  // nothing to branch on but whether the bank is full.
  std::uint32_t take(std::uint32_t set) {
    const std::uint32_t more = rows_[set].free_way();
    Bank& bank = bank_[set % kBanks];
    if (bank.room > 0) [[unlikely]]
      bank.room -= more;
    else give_up(bank, more);
    return rows_[set].insert(more);
  }

 private:
  // What becomes of an order when a way is used, and the way's place in it.
  struct Used {
    Order order;
    std::uint8_t place;
  };

  struct Bank {
    std::uint32_t room = 0;  // for lines, that it has left
    std::uint32_t next = 0;  // its set to give up one next
  };

  // The next set of the bank that holds anything gives up so many (0 or 1): its oldest.
  void give_up(Bank& bank, std::uint32_t lines) {
    std::uint32_t at = bank.next;
    while (lines > rows_[at].held()) [[unlikely]] at = (at + kBanks) & last_;
    rows_[at].drop(lines);
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

  // What becomes of a row's upper half when so many (0 or 1) fewer hold a line.
  static constexpr std::array<std::array<std::uint8_t, 64>, 2> kDropped = [] {
    std::array<std::array<std::uint8_t, 64>, 2> all{};
    for (unsigned lines = 0; lines < 2; ++lines)
      for (unsigned was = 0; was < 64; ++was) {
        const unsigned before = was & 15, held = before - std::min(before, lines);
        all[lines][was] = static_cast<std::uint8_t>(held | std::min(was >> 4, held) << 4);
      }
    return all;
  }();

  Row* rows_ = nullptr;
  std::uint32_t last_ = 0;  // set
  std::uint32_t room_ = 0;  // for lines of a bank
  std::array<Bank, kBanks> bank_{};
};

}  // namespace warpmem::model
