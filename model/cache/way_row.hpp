// What an L1 keeps of a set's ways: their order, the youngest first; how many of them hold a line,
// the first of the order; and how many of those are younger than two steps (l1_ways.hpp).
//
// Three forms, of the same meaning (tests/model/way_row.cpp): of four ways in two bytes, changed by
// tables; of up to eight in a word of a byte each; of up to 32 in as many bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace warpmem::model {

// Four ways. The order in the lowest eight bits, two a way from the youngest on; above it how many
// ways hold a line (four bits), and how many are young, 0 before the first hit. One number, read,
// added to and written as a whole.
class FourWays {
 public:
  std::uint32_t held() const { return all_ >> 8 & 15u; }
  // 1 if a way is free, 0 if all of them hold a line.
  std::uint32_t free_way(std::uint32_t /*ways*/) const { return (all_ >> 10 & 1u) ^ 1u; }
  // Of these ways (bit w: way w) the first that holds a line; 4: none.
  std::uint32_t find(std::uint32_t ways) const {
    for (; ways; ways &= ways - 1) {
      const auto way = static_cast<std::uint32_t>(std::countr_zero(ways));
      if (kUsed[order()][way].place < held()) return way;
    }
    return kWays;
  }
  // A hit; `young`: bits of the number of young lines that count.
  void use(std::uint32_t way, std::uint32_t young) {
    const Used used = kUsed[order()][way];
    set(used.order, held(), (1u + ((used.place != 0) & (this->young() != 0))) & young);
  }
  // A new line comes: into a free way, if there is one (`more`). The way.
  std::uint32_t insert(std::uint32_t more, std::uint32_t /*ways*/) {
    const std::uint32_t was = all_ + (more << 8);
    const std::uint32_t young = was >> 12, order = was & 255;
    all_ = static_cast<std::uint16_t>((was & 0xff00u) | kInserted[young][order]);
    return order >> (kWays - 1) * 2;
  }
  // So many (0 or 1) fewer hold a line: the oldest does not.
  void drop(std::uint32_t lines) {
    all_ = static_cast<std::uint16_t>((all_ & 255u) | kDropped[lines][all_ >> 8] << 8);
  }
  // The way's line becomes the oldest.
  void retire(std::uint32_t way) {
    const unsigned held = this->held(), young = this->young();
    const unsigned place = kUsed[order()][way].place, last = held - 1;
    const unsigned below = (1u << place * 2) - 1, upto = (1u << last * 2) - 1;
    set((order() & below) | (order() >> 2 & upto & ~below) | way << last * 2 |
            (order() & ~(upto << 2 | 3)),
        held, young - (place < young));
  }
  // Only these ways hold a line any more, none of them young.
  void keep(std::uint32_t ways) {
    unsigned next = 0, places = 0, stay = 0;
    for (const bool stays : {true, false})
      for (unsigned at = 0; at < kWays; ++at) {
        const unsigned way = order() >> at * 2 & 3;
        if ((at < held() && (ways >> way & 1)) != stays) continue;
        next |= way << places++ * 2;
        stay += stays;
      }
    set(next, stay, 0);
  }

 private:
  static constexpr std::uint32_t kWays = 4;
  using Order = std::uint8_t;
  // What becomes of an order when a way is used, and the way's place in it.
  struct Used {
    Order order;
    std::uint8_t place;
  };

  Order order() const { return static_cast<Order>(all_); }
  std::uint32_t young() const { return all_ >> 12; }
  void set(std::uint32_t order, std::uint32_t held, std::uint32_t young) {
    all_ = static_cast<std::uint16_t>(order | held << 8 | young << 12);
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

  std::uint16_t all_ = 0b11'10'01'00;
};

// The order of up to eight ways, a byte each, the youngest in the lowest.
class OrderOfEight {
 public:
  static constexpr std::uint32_t kMost = 8;

  std::uint32_t at(std::uint32_t place) const {
    return static_cast<std::uint32_t>(order_ >> place * 8) & 255;
  }
  std::uint32_t place(std::uint32_t way) const {
    const std::uint64_t x = order_ ^ kOnes * way;
    return static_cast<std::uint32_t>(std::countr_zero((x - kOnes) & ~x & kOnes << 7)) / 8;
  }
  // The way in place `from` goes to the younger place `to`; those between get older by one.
  void forward(std::uint32_t from, std::uint32_t to) {
    const std::uint64_t moved = between(to, from), way = at(from);
    order_ = (order_ & ~moved) | ((order_ & moved) << 8 & moved) | way << to * 8;
  }
  // … to the older place `to`; those between get younger by one.
  void backward(std::uint32_t from, std::uint32_t to) {
    const std::uint64_t moved = between(from, to), way = at(from);
    order_ = (order_ & ~moved) | ((order_ & moved) >> 8 & moved) | way << to * 8;
  }

 private:
  static constexpr std::uint64_t kOnes = 0x0101010101010101ull;
  // The bytes of these places and all between them.
  static std::uint64_t between(std::uint32_t first, std::uint32_t last) {
    return ~std::uint64_t{0} << first * 8 & ~std::uint64_t{0} >> (7 - last) * 8;
  }

  std::uint64_t order_ = 0x0706050403020100ull;
};

// The same of up to 32.
class OrderOfMany {
 public:
  static constexpr std::uint32_t kMost = 32;

  OrderOfMany() {
    for (std::uint32_t way = 0; way < kMost; ++way) order_[way] = static_cast<std::uint8_t>(way);
  }
  std::uint32_t at(std::uint32_t place) const { return order_[place]; }
  std::uint32_t place(std::uint32_t way) const {
    std::uint32_t place = 0;
    while (order_[place] != way) ++place;
    return place;
  }
  void forward(std::uint32_t from, std::uint32_t to) {
    const std::uint8_t way = order_[from];
    std::memmove(&order_[to] + 1, &order_[to], from - to);
    order_[to] = way;
  }
  void backward(std::uint32_t from, std::uint32_t to) {
    const std::uint8_t way = order_[from];
    std::memmove(&order_[from], &order_[from] + 1, to - from);
    order_[to] = way;
  }

 private:
  std::array<std::uint8_t, kMost> order_;
};

// As FourWays, of as many ways as an order takes.
template <class Order>
class OrderedWays {
 public:
  std::uint32_t held() const { return held_; }
  std::uint32_t free_way(std::uint32_t ways) const { return held_ < ways; }
  std::uint32_t find(std::uint32_t ways) const {
    for (; ways; ways &= ways - 1) {
      const auto way = static_cast<std::uint32_t>(std::countr_zero(ways));
      if (order_.place(way) < held_) return way;
    }
    return Order::kMost;
  }
  void use(std::uint32_t way, std::uint32_t young) {
    const std::uint32_t place = order_.place(way);
    order_.forward(place, 0);
    young_ = static_cast<std::uint8_t>((1u + ((place != 0) & (young_ != 0))) & young);
  }
  std::uint32_t insert(std::uint32_t more, std::uint32_t ways) {
    const std::uint32_t way = order_.at(ways - 1);
    // In a full set a young line may be what goes.
    young_ = static_cast<std::uint8_t>(std::min<std::uint32_t>(young_, ways - 1));
    order_.forward(ways - 1, young_);
    held_ = static_cast<std::uint8_t>(held_ + more);
    return way;
  }
  void drop(std::uint32_t lines) {
    held_ = static_cast<std::uint8_t>(held_ - std::min<std::uint32_t>(lines, held_));
    young_ = std::min(young_, held_);
  }
  void retire(std::uint32_t way) {
    const std::uint32_t place = order_.place(way);
    young_ = static_cast<std::uint8_t>(young_ - (place < young_));
    order_.backward(place, held_ - 1u);
  }
  void keep(std::uint32_t ways) {
    std::uint32_t stay = 0;
    for (std::uint32_t place = 0; place < held_; ++place)
      if (ways >> order_.at(place) & 1) order_.forward(place, stay++);
    held_ = static_cast<std::uint8_t>(stay);
    young_ = 0;
  }

 private:
  Order order_;
  std::uint8_t held_ = 0, young_ = 0;
};

template <std::uint32_t N>
struct WayRowOf;
template <>
struct WayRowOf<4> {
  using Row = FourWays;
};
template <>
struct WayRowOf<8> {
  using Row = OrderedWays<OrderOfEight>;
};
template <>
struct WayRowOf<32> {
  using Row = OrderedWays<OrderOfMany>;
};
template <std::uint32_t N>
using WayRow = typename WayRowOf<N>::Row;

}  // namespace warpmem::model
