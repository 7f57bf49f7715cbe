// The ways of an L2's set, from the most to the least recently used, and a few bits for each
// direction: sectors, four a way. Two forms: up to 16 ways in words of 64 bits, up to 32 in more.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace warpmem::model {

// Of up to 16 ways: four bits each, the most recently used in the lowest.
struct OrderOf16 {
  std::uint64_t all = 0;

  int at(unsigned place) const { return static_cast<int>(all >> place * 4 & 15); }
  void put(unsigned place, unsigned way) { all |= std::uint64_t{way} << place * 4; }
  void promote(int way) {
    // Position of `way` in the order, then rotate it to the front.
    const std::uint64_t ones = 0x1111111111111111ull;
    const std::uint64_t x = all ^ ones * static_cast<std::uint64_t>(way);
    const std::uint64_t zero = (x - ones) & ~x & ones * 8;
    const std::uint64_t upto = zero ^ (zero - 1);
    all = (all & ~upto) | ((all << 4 | static_cast<std::uint64_t>(way)) & upto);
  }
  // The last of all sixteen becomes the first.
  void last_to_front(unsigned /*last*/) { all = std::rotl(all, 4); }
};

// Of up to 32: a byte each, in the same order.
struct OrderOf32 {
  std::array<std::uint8_t, 32> all{};

  int at(unsigned place) const { return all[place]; }
  void put(unsigned place, unsigned way) { all[place] = static_cast<std::uint8_t>(way); }
  void promote(int way) {
    unsigned place = 0;
    while (all[place] != way) ++place;
    to_front(place);
  }
  void last_to_front(unsigned last) { to_front(last); }

 private:
  void to_front(unsigned place) {
    const std::uint8_t way = all[place];
    std::memmove(all.data() + 1, all.data(), place);
    all[0] = way;
  }
};

template <unsigned N>
struct L2WaysOf;
template <>
struct L2WaysOf<16> {
  using Order = OrderOf16;
  using Sectors = std::uint64_t;  // four bits a way
  using Ways = std::uint16_t;     // one bit a way
};
template <>
struct L2WaysOf<32> {
  using Order = OrderOf32;
  __extension__ using Sectors = unsigned __int128;
  using Ways = std::uint32_t;
};

// How many ways have any of these sectors.
inline std::uint32_t ways_with(std::uint64_t sectors) {
  std::uint64_t n = sectors | sectors >> 2;
  n = (n | n >> 1) & 0x1111111111111111ull;
  n = (n + (n >> 4)) & 0x0303030303030303ull;
  return static_cast<std::uint32_t>(n * 0x0101010101010101ull >> 56);
}
inline std::uint32_t ways_with(L2WaysOf<32>::Sectors sectors) {
  return ways_with(static_cast<std::uint64_t>(sectors)) +
         ways_with(static_cast<std::uint64_t>(sectors >> 64));
}

}  // namespace warpmem::model
