// The barriers of a CTA on an SM: how many warps stand at each, how many it waits for, and when one
// has them all. Which warps these are, and the cycle in which they go on, each engine keeps itself.
//
// A barrier waits for as many warps as bar.sync names, but for no more than have not ended: warps
// that exit count as arrived (PTX ISA, "bar").
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "sim/engine/standing.hpp"

namespace warpmem::sim {

class CtaBarriers {
 public:
  static constexpr std::uint32_t kBarriers = 64;

  // A CTA of so many warps begins.
  void begin(std::uint32_t warps) { left_ = warps; }
  // A warp has ended; so many are left.
  std::uint32_t end_warp() { return --left_; }
  std::uint32_t left() const { return left_; }

  // A warp comes to stand at barrier `b`, which waits for `expected` warps; 0: for all.
  void arrive(std::uint32_t b, std::uint32_t expected) {
    standing_ |= std::uint64_t{1} << b;
    ++arrived_[b];
    // No CTA has as many warps as would not fit.
    expected_[b] = static_cast<std::uint8_t>(std::min(expected, 255u));
  }
  // Whether it has all that it waits for.
  bool complete(std::uint32_t b) const {
    const std::uint32_t expected = expected_[b];
    return arrived_[b] >= (expected ? std::min(expected, left_) : left_);
  }
  // It opens: nobody stands at it any more.
  void open(std::uint32_t b) {
    arrived_[b] = 0;
    standing_ &= ~(std::uint64_t{1} << b);
  }
  // Calls `f` for each barrier that some warp stands at, the lowest first; `f` may open it.
  template <class F>
  void each_standing(F&& f) const {
    for (std::uint64_t rest = standing_; rest; rest &= rest - 1)
      f(static_cast<std::uint32_t>(std::countr_zero(rest)));
  }
  // Where its warps stand, for a person.
  Standing where() const {
    Standing warps;
    warps.left = left_;
    each_standing([&](std::uint32_t b) { warps.at[b] = arrived_[b]; });
    return warps;
  }

 private:
  std::uint32_t left_ = 0;
  std::uint64_t standing_ = 0;                      // bit b: some warp stands at barrier b
  std::array<std::uint8_t, kBarriers> arrived_{};   // warps that stand at each
  std::array<std::uint8_t, kBarriers> expected_{};  // … that each waits for; 0: all
};

}  // namespace warpmem::sim
