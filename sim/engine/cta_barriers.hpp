// The barriers of a CTA on an SM: how many warps wait at each, how many it waits for, and when one
// has them all. It opens then, and its warps go on together.
//
// A barrier waits for as many warps as bar.sync names, but for no more than have not ended: warps
// that exit count as arrived (PTX ISA, "bar").
//
// An engine says what its warps are and what it means that one goes on:
//   Warp    has `ready`, the cycle from which it may go on, and `waits`, the barrier it waits at
//   Engine  later(a, b): the later of two cycles; opens(last): when the warps go on of which the
//           last arrived in that cycle; goes_on(w, cycle): warp w of the CTA goes on then
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "sim/engine/barrier_waits.hpp"

namespace warpmem::sim {

// What a warp waits at, where that is none of its CTA's barriers.
constexpr std::uint8_t kNoBarrier = 0xff;
constexpr std::uint8_t kClusterBarrier = 0xfe;

class CtaBarriers {
 public:
  static constexpr std::uint32_t kBarriers = 64;

  // A CTA of so many warps begins.
  void begin(std::uint32_t warps) { left_ = warps; }
  // Warps that have not ended.
  std::uint32_t left() const { return left_; }

  // Warp `w` of these comes to wait at barrier `b`, which waits for `expected` warps; 0: for all.
  template <class Warp, class Engine>
  void wait(std::span<Warp> warps, std::uint32_t w, std::uint32_t b, std::uint32_t expected,
            Engine&& engine) {
    warps[w].waits = static_cast<std::uint8_t>(b);
    waiting_ |= std::uint64_t{1} << b;
    ++arrived_[b];
    // No CTA has as many warps as would not fit.
    expected_[b] = static_cast<std::uint8_t>(std::min(expected, 255u));
    if (complete(b)) open(warps, b, engine);
  }
  // One of these warps has ended, for which others may have waited; so many are left.
  template <class Warp, class Engine>
  std::uint32_t end_warp(std::span<Warp> warps, Engine&& engine) {
    --left_;
    each_waited_at([&](std::uint32_t b) {
      if (complete(b)) open(warps, b, engine);
    });
    return left_;
  }
  // Opens all that somebody waits at, whoever is missing; so many.
  template <class Warp, class Engine>
  std::uint64_t force(std::span<Warp> warps, Engine&& engine) {
    const auto forced = static_cast<std::uint64_t>(std::popcount(waiting_));
    each_waited_at([&](std::uint32_t b) { open(warps, b, engine); });
    return forced;
  }

  // Where its warps wait, for a person.
  BarrierWaits where() const {
    BarrierWaits warps;
    warps.left = left_;
    each_waited_at([&](std::uint32_t b) { warps.at[b] = arrived_[b]; });
    return warps;
  }

 private:
  // Whether it has all that it waits for.
  bool complete(std::uint32_t b) const {
    const std::uint32_t expected = expected_[b];
    return arrived_[b] >= (expected ? std::min(expected, left_) : left_);
  }
  // The lowest barrier first; `f` may open it.
  template <class F>
  void each_waited_at(F&& f) const {
    for (std::uint64_t rest = waiting_; rest; rest &= rest - 1)
      f(static_cast<std::uint32_t>(std::countr_zero(rest)));
  }

  template <class Warp, class Engine>
  void open(std::span<Warp> warps, std::uint32_t b, Engine&& engine) {
    arrived_[b] = 0;
    waiting_ &= ~(std::uint64_t{1} << b);
    std::uint64_t last = 0;
    for (const Warp& warp : warps)
      if (warp.waits == b) last = engine.later(last, warp.ready);
    const std::uint64_t cycle = engine.opens(last);
    for (std::uint32_t w = 0; w < warps.size(); ++w) {
      if (warps[w].waits != b) continue;
      warps[w].waits = kNoBarrier;
      engine.goes_on(w, cycle);
    }
  }

  std::uint32_t left_ = 0;
  std::uint64_t waiting_ = 0;                       // bit b: some warp waits at barrier b
  std::array<std::uint8_t, kBarriers> arrived_{};   // warps that wait at each
  std::array<std::uint8_t, kBarriers> expected_{};  // … that each waits for; 0: all
};

}  // namespace warpmem::sim
