// The state of what runs: warps, their diverged parts, and CTAs.
//
// A warp's lanes are split into parts that share a program counter. A branch that goes both ways
// leaves its part waiting at the immediate post-dominator with one child a side; lanes arrive
// there, return or exit, and when none is outstanding the part goes on. A call is the same: the
// caller's part waits for its lanes to return. Every part that can run gets its turn; and when
// nothing else is left but lanes that spin, those that wait for them at a reconvergence point go on
// without them: one of them may hold the lock. Parted lanes meet again at the latest at the next
// instruction that takes a whole warp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "base/dim3.hpp"
#include "emulate/executor/code.hpp"
#include "emulate/executor/shared_check.hpp"

namespace warpmem::emulate {

struct FreeMemory {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};
using FrameMemory = std::unique_ptr<std::byte[], FreeMemory>;

struct Frame {
  const Code* code = nullptr;
  FrameMemory memory;
  std::byte* registers = nullptr;
  std::uint32_t local_base = 0;  // its variables' place in the thread's stack
  std::uint32_t taken = 0;       // by alloca, behind them
  std::uint32_t depth = 0;       // calls that have not returned
  bool used = false;
};

struct Part {
  enum class State : std::uint8_t {
    kFree,
    kReady,
    kWaiting,
    kAtBarrier,
    kTogether,
    kAtCluster,
    kConverging
  };
  State state = State::kFree;
  std::uint8_t barrier = 0;
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
  std::uint32_t pending = 0;  // lanes outstanding while it waits
  std::uint32_t reconverge = kReturnPoint;
  std::int32_t parent = -1;
  std::int32_t frame = 0;
  const CallSite* call = nullptr;     // waits for a call to return
  std::vector<std::int32_t> callees;  // frames of that call
  std::uint32_t sync_members = 0;     // lanes that it acts together with, once they have come
};

// How often a warp took a branch that goes round a loop, since its last record.
struct Rounds {
  const Code* code = nullptr;
  std::uint32_t line = 0;   // the branch
  std::uint64_t taken = 0;  // … by some lane
};

struct Warp {
  std::uint32_t index = 0;   // in its CTA
  std::uint32_t exists = 0;  // lanes the block's size gives it
  std::uint32_t exited = 0;
  std::vector<Part> parts;
  std::vector<std::int32_t> ready;  // the last one runs
  std::vector<std::int32_t> unused;
  std::vector<Frame> frames;
  std::vector<std::int32_t> free_frames;  // of them those that are not used
  std::vector<std::byte> local;           // lane after lane
  std::uint32_t local_capacity = 0;       // bytes a lane
  std::uint64_t clock = 0;                // where CTAs take turns: cost.hpp
  std::uint64_t held_in = 0;              // this turn of its group it does no more
  std::uint32_t at_cluster =
      0;  // lanes that have come to the cluster's barrier, in the phase that goes on
  std::uint64_t unbroken = 0;  // warp instructions of slices used up one after the other
  // The last looks at what others write, with no other access between them: what was found. Lanes
  // that have parted may each have a word of their own to look at.
  std::vector<std::uint64_t> looks;
  bool in_vain = false;  // its last access was a look that found nothing new
  std::uint32_t waits =
      0;  // in this slice: accesses that look like waiting for another thread, and in vain
  std::uint32_t far_waits = 0;  // … of them those outside shared memory
  bool gave_way = false;        // that many that the slice ended early
  enum class Pace : std::uint8_t { kReads, kWrites, kReadsAgain };
  Pace shared_pace = Pace::kReads, global_pace = Pace::kReads;  // since the last barrier
  std::vector<Rounds> rounds;           // of each such branch met since the last record
  const Code* recorded_code = nullptr;  // where the last record was made; null: in no loop
  std::uint32_t recorded_line = 0;
  bool waits_far() const {
    return gave_way && 2 * far_waits >= waits;
  }  // it looks like for another CTA
  std::uint32_t gone() const { return ~exists | exited; }
  bool done() const { return (exists & ~exited) == 0; }
};

struct Barrier {
  std::uint32_t expected = 0;  // threads; 0: all of the CTA
  std::array<std::uint32_t, 32> lanes{};
  std::uint32_t again =
      0;  // threads that came once more: hardware counts arrivals, whose ever they are
  std::uint32_t count = 0;  // lanes with a true predicate
  bool used = false;
};

struct Cta {
  std::uint64_t number = 0;
  Dim3 id{};
  std::uint32_t rank = 0;  // in its cluster
  std::vector<std::byte> shared;
  std::vector<Warp> warps;
  std::array<Barrier, 16> barriers;
  SharedCheck check;       // used when the run asks for it
  std::uint32_t left = 0;  // warps not done
};

using Places = std::vector<std::pair<const Code*, std::uint32_t>>;  // reconvergence points

// CTAs that run at the same time: one, or a cluster.
struct Group {
  std::vector<Cta> ctas;
  bool traced = true;
  std::uint32_t spun = 0;   // times in a row that all its warps looked like waiting for another CTA
  bool spins = false;       // it did so often enough to be known for it
  std::uint32_t stuck = 0;  // times in a row that all its warps waited in vain, for whomever
  std::uint64_t turns = 0, began = 0;  // that it had; clock when this one began
  std::uint64_t until = 0;             // its turn is over for warps whose clock is there
  Places parting;                      // where lanes that wait have been what the others spin for
};

}  // namespace warpmem::emulate
