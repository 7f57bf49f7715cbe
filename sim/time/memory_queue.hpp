// A scheduler's memory instructions on their path to its SM's load/store unit. They are served one
// after the other, an access' wavefronts in every other cycle: those in between are another
// scheduler's. So one scheduler alone gets half of what the SM's banks can do, two get all of it.
//
// On GPUs before that nothing is known of such queues: an access waits in its warp, which goes on
// when the unit takes it (kNone).
//
// Source: kernels/micro/memory_issue.cu on an H200 (cards/gpus/h200/memory_issue.csv): rate, loads
// and stores of 1 to 32 wavefronts by 1 to 32 warps; issue, how many accesses a scheduler's warps
// issue before they have to wait; keep, when registers may be written again.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace warpmem::sim {

class MemoryQueue {
 public:
  static constexpr std::uint32_t kMost = 16;  // accesses of which it knows when they were served
  enum class Kind : std::uint8_t { kByScheduler, kNone };

  MemoryQueue() = default;
  explicit MemoryQueue(Kind kind) : kind_(kind) {}

  // The cycle from which its next access may be served.
  std::uint64_t free() const { return free_; }

  // The next access is served from `start` on. It could have been from `ready` on, had the unit
  // done nothing else. `alone`: cycles that its wavefronts then take; `turns`: what they take of
  // the unit's. The cycle in which the last of them is through.
  std::uint64_t serve(std::uint64_t ready, std::uint64_t start, std::uint64_t alone,
                      std::uint64_t turns) {
    served_[count_++ % kMost] = start;
    if (kind_ == Kind::kNone) return start + turns;
    free_ = std::max(std::max(ready, free_) + alone, start + turns);
    return free_;
  }

  // The cycle in which the access so many before the last one was served; 0: there was none.
  std::uint64_t served(std::uint64_t before) const {
    before = kind_ == Kind::kNone ? 0 : std::min<std::uint64_t>(before, kMost - 1);
    return count_ > before ? served_[(count_ - 1 - before) % kMost] : 0;
  }

 private:
  std::array<std::uint64_t, kMost> served_{};
  std::uint64_t count_ = 0, free_ = 0;
  Kind kind_ = Kind::kByScheduler;
};

}  // namespace warpmem::sim
