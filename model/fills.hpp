// What is on its way to one side of the L2: who reads such a line meanwhile finds its tag there,
// but waits for the data like the one who asked first.
//
// Units: ticks of model/throughput.hpp. Halves: 64 bytes, what DRAM and the other side bring at
// least. Remembers the latest 32,768 lines, by hash: of two that fall together, the later.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/prefetch.hpp"

namespace warpmem::model {

class Fills {
 public:
  void clear() { of_.assign(kLines, {}); }

  // The sectors of the line are there from `at` on.
  void add(std::uint64_t line, std::uint32_t sectors, std::uint64_t at) {
    Fill& f = of_[slot(line)];
    if (f.line != line) f = {line, {}};
    for (unsigned h = 0; h < 2; ++h)
      if (sectors >> 2 * h & 3) f.until[h] = std::max(f.until[h], at);
  }

  // The tick from which all these sectors of the line are there; 0: they are not under way.
  std::uint64_t until(std::uint64_t line, std::uint32_t sectors) const {
    const Fill& f = of_[slot(line)];
    if (f.line != line) return 0;
    return std::max(sectors & 3 ? f.until[0] : 0, sectors & 12 ? f.until[1] : 0);
  }

  void prefetch(std::uint64_t line) const { warpmem::prefetch(&of_[slot(line)]); }

 private:
  static constexpr std::size_t kLines = std::size_t{1} << 15;
  struct Fill {
    std::uint64_t line = ~std::uint64_t{0};
    std::array<std::uint64_t, 2> until{};
  };
  static std::size_t slot(std::uint64_t line) { return line * 0x9e3779b97f4a7c15ull >> 49; }

  std::vector<Fill> of_;
};

}  // namespace warpmem::model
