// When an SM has the constants that a launch brings: kernel parameters, and what the driver puts in
// front of them (constant bank 0). The launch leaves them with every GPC; an SM's warps wait for
// each line of 64 bytes once. Operands and LDC read them through caches of their own: what the one
// has, the other still has to ask for (measured: kernels/micro/code_jump.cu, parameters).
//
// Leaves out: that lines are pushed out (all of a usual kernel's parameters have room), and those
// beyond the first 4 KiB.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace warpmem::sim {

constexpr std::uint32_t kParameterLine = 64;   // bytes
constexpr std::uint32_t kParameterLines = 64;  // that are followed

class ParameterLines {
 public:
  // The cycle from which a warp that comes to instructions with operands in these lines (a bit
  // each) can go on; each one that is new to the SM takes `cycles`, one after the other.
  std::uint64_t fetch(std::uint64_t lines, std::uint64_t now, std::uint64_t cycles) {
    for (lines &= ~there_; lines; lines &= lines - 1)
      now = ask(static_cast<std::uint32_t>(std::countr_zero(lines)), now, cycles);
    return now;
  }

 private:
  std::uint64_t ask(std::uint32_t line, std::uint64_t now, std::uint64_t cycles) {
    std::uint64_t& from = from_[line];
    if (from == 0) from = now + cycles;
    else if (from <= now) there_ |= std::uint64_t{1} << line;
    return std::max(now, from);
  }

  std::uint64_t there_ = 0;  // a bit a line: nobody has to wait for it any more
  std::array<std::uint64_t, kParameterLines>
      from_{};  // cycle from which it is there; 0: not asked for
};

}  // namespace warpmem::sim
