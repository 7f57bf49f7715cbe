// What is on its way to one side of the L2: who reads such a line meanwhile finds its tag there,
// but waits for the data like the one who asked first.
//
// Units: ticks of model/throughput.hpp. Halves: 64 bytes, what DRAM and the other side bring at
// least. Remembers the latest 32,768 lines, by hash: of two that fall together, the later. Of no
// sectors there is nothing to remember, nor to know; that takes no branch of its own, as which of a
// warp's lines are under way is in no order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "base/prefetch.hpp"

namespace warpmem::model {

class Fills {
 public:
  // Its table takes its memory from `memory`.
  explicit Fills(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : of_(memory) {}
  void clear() { of_.assign(kLines + 1, {}); }

  // The sectors of the line are there from `at` on.
  void add(std::uint64_t line, std::uint32_t sectors, std::uint64_t at) {
    Fill& f = of_[sectors ? slot(line) : kNone];
    const std::uint64_t known = -std::uint64_t{f.line == line};
    for (std::size_t h = 0; h < 2; ++h)
      f.until[h] = std::max(f.until[h] & known, at & kHalf[sectors][h]);
    f.line = sectors ? line : kNobody;
  }

  // The tick from which all these sectors of the line are there; 0: they are not under way.
  std::uint64_t until(std::uint64_t line, std::uint32_t sectors) const {
    if (!sectors) [[likely]]
      return 0;
    const Fill& f = of_[slot(line)];
    if (f.line != line) return 0;
    return std::max(f.until[0] & kHalf[sectors][0], f.until[1] & kHalf[sectors][1]);
  }

  void prefetch(std::uint64_t line) const { warpmem::prefetch(&of_[slot(line)]); }

 private:
  static constexpr std::size_t kLines = std::size_t{1} << 15;
  static constexpr std::size_t kNone = kLines;                 // of no line
  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};  // no line has it
  struct Fill {
    std::uint64_t line = kNobody;
    std::array<std::uint64_t, 2> until{};
  };
  // All bits, by sectors: those of either half.
  static constexpr auto kHalf = [] {
    std::array<std::array<std::uint64_t, 2>, 16> all{};
    for (unsigned sectors = 0; sectors < 16; ++sectors)
      for (unsigned h = 0; h < 2; ++h)
        if (sectors >> 2 * h & 3) all[sectors][h] = ~std::uint64_t{0};
    return all;
  }();
  static std::size_t slot(std::uint64_t line) { return line * 0x9e3779b97f4a7c15ull >> 49; }

  std::pmr::vector<Fill> of_;
};

}  // namespace warpmem::model
