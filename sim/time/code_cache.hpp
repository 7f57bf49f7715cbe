// When an SM has the code that its warps come to.
//
// Models: code comes in pieces (code.piece on the card), each asked for when the one in front of it
// is first run, no earlier (measured: kernels/micro/code_fetch.cu, where a pause of 4,000 cycles
// saves nothing). An SM keeps so many of them, its GPC more; what was pushed out comes again, from
// the GPC or from the L2 (measured: kernels/micro/code_loop.cu). Both have sets (of four, of
// eight), of which the one goes that was not run for longest: loops that are a little too large
// miss a little. A launch brings the first 64 KiB of its code to every GPC; the rest comes from
// DRAM when it is first run, and a warp that jumps there waits twice as long as one that runs
// straight on (kernels/micro/code_cold.cu, code_jump.cu). Leaves out: how many SMs of a GPC ask for
// code at a time; the schedulers' own caches (a jump to what they lack takes 11 cycles more); that
// jumps over 8 KiB and more within the first 64 come before the launch has brought what they go to.
//
// Invariant: where all of the code fits, no piece comes twice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "model/card/card.hpp"

namespace warpmem::sim {

class CodeCache {
 public:
  // `bytes`: of all the launch's code.
  CodeCache(const model::CardNumbers& card, std::uint64_t bytes);

  // The cycle from which the SM has these pieces of code, not before `now`.
  std::uint64_t fetch(std::span<const std::uint32_t> pieces, std::uint64_t now) {
    for (const std::uint32_t k : pieces) now = fetch(k, now);
    return now;
  }
  std::uint64_t fetch(std::uint32_t piece, std::uint64_t now) {
    if (pieces_.size() <= piece) pieces_.resize(piece + 1);
    Piece& p = pieces_[piece];
    if (p.there == kNotHere) [[unlikely]]
      bring(piece, now);
    if (too_large_) p.used = ++turn_;
    return std::max(now, p.there);
  }
  // Pieces that came once more.
  std::uint64_t again() const { return again_; }

 private:
  static constexpr std::uint64_t kNotHere = 0;
  struct Piece {
    std::uint64_t there = kNotHere;  // cycle in which it came
    std::uint64_t came = 0;          // turn in which it did
    std::uint64_t used = 0;          // … in which it was last run; 0: never
    std::uint64_t gone = 0;          // … in which it was pushed out
  };
  void bring(std::uint32_t piece, std::uint64_t now);
  // Makes room for one more; whether the GPC still has this one.
  bool push_out(std::uint32_t piece);

  const model::CardNumbers& card_;
  bool too_large_;         // for the SM's cache
  std::uint32_t brought_;  // pieces from the beginning that a launch brings to its GPCs
  std::size_t sets_, group_sets_;
  std::uint64_t turn_ = 0, again_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace warpmem::sim
