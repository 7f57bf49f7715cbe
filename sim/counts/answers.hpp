// When a warp knows in which cycle its reads are back: at once, where one thread runs all SMs, or
// at the end of a batch of steps, where others run the other SMs (model/l2/l2_requests.hpp). Then
// whatever of a warp hangs on such a read is done behind the batch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/system/shaped_memory.hpp"
#include "sim/counts/counted_warps.hpp"

namespace warpmem::sim {

struct AnswersAtOnce {
  AnswersAtOnce(model::MemorySystem&, std::size_t) {}

  // The later of two cycles.
  static std::uint64_t later(std::uint64_t a, std::uint64_t b) { return std::max(a, b); }
  static bool unknown(std::uint64_t) { return false; }
  // This of a warp's cycles may not be known.
  static void note(std::uint32_t, std::uint64_t) {}
};

class AnswersLater {
 public:
  static constexpr std::uint64_t kMostBatch = 8;  // steps

  // So many warps.
  AnswersLater(model::PartMemory& memory, std::size_t warps)
      : l2_(memory.l2()), again_(warps), soonest_back_(l2_.soonest_cycles()) {}

  std::uint64_t later(std::uint64_t a, std::uint64_t b) { return l2_.later(a, b); }
  static bool unknown(std::uint64_t cycle) { return model::L2Requests::unknown(cycle); }
  void note(std::uint32_t warp, std::uint64_t cycle) {
    if (unknown(cycle)) touched_.push_back(warp);
  }

  // A batch of steps begins, which ends at this cycle.
  void begin_batch(std::uint64_t end) {
    l2_.begin();
    late_ = false;
    batch_end_ = end;
  }
  std::uint64_t batch_end() const { return batch_end_; }
  // What the warp does next can be looked at behind the batch alone, or not.
  void set_retries(std::uint32_t warp, bool again) { again_[warp] = again; }
  bool retries(std::uint32_t warp) const { return again_[warp] != 0; }
  // Whether the warp goes on the calendar behind the batch alone; `now`: the step at hand.
  bool puts_off(std::uint32_t warp, std::uint64_t cycle, std::uint64_t now) {
    if (again_[warp] || unknown(cycle)) {
      later_.push_back(warp);
      return true;
    }
    const std::uint64_t step = std::max(cycle / kStepCycles, now + 1);
    late_ |= cycle + soonest_back_ < (step + kMostBatch) * kStepCycles;
    return false;
  }
  // Some warp may be so late that a read of its next step is back in that step's batch, however
  // that begins.
  bool late() const { return late_; }
  bool none_put_off() const { return later_.empty(); }

  // Everything that was asked for in the batch has been answered. `goes_on` is called for each warp
  // that was put off, and whether what it does next is to be looked at.
  template <class GoesOn>
  void answered(CountedWarps& warps, GoesOn&& goes_on) {
    for (const std::uint32_t number : touched_) settle(warps[number]);
    for (const std::uint32_t number : later_) settle(warps[number]);
    touched_.clear();
    std::swap(later_, settled_);
    for (const std::uint32_t number : settled_)
      goes_on(number, std::exchange(again_[number], std::uint8_t{0}) != 0);
    settled_.clear();
  }

 private:
  void settle(WarpState& warp) const {
    warp.ready = l2_.known(warp.ready);
    warp.copies = l2_.known(warp.copies);
    warp.older_copies = l2_.known(warp.older_copies);
    for (std::uint64_t& done : warp.done) done = l2_.known(done);
  }

  model::L2Requests& l2_;
  std::vector<std::uint32_t> touched_;          // warps that something unknown hangs on
  std::vector<std::uint32_t> later_, settled_;  // … and that are not on the calendar for that
  std::vector<std::uint8_t> again_;  // by warp: nobody could look to the end of what it does next
  std::uint64_t soonest_back_;       // cycles that a read from the L2 takes at least
  std::uint64_t batch_end_ = 0;
  bool late_ = false;
};

}  // namespace warpmem::sim
