// The time engine: runs a launch's records in the order in which an SM's schedulers, its load/store
// unit and the memory behind it would let them happen, and says how long it takes and what the
// warps waited for.
//
// Models: four schedulers an SM, one instruction a cycle each; execution pipes; scoreboards as the
// code's control words set them; barriers; CTAs given out at the measured rate to whichever SM has
// room; the L1's tag and data stage as one queue; ports, slices, fabric and DRAM
// (model/interconnect/memory_path.hpp). Approximations: instructions between two waits are reserved
// in one piece (up to 32), time moves in windows of 16 cycles over all SMs, and within a window an
// SM's warps go by slot.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "model/interconnect/memory_path.hpp"
#include "model/topology/topology.hpp"
#include "sim/engine/barrier_waits.hpp"
#include "sim/engine/launch_run.hpp"

namespace warpmem::sim {

// What a warp that is not done can be waiting for.
enum class Wait : std::uint8_t {
  kIssue,
  kPipe,
  kShort,
  kL1,
  kMemory,
  kBarrier,
  kCopies,
  kQueue,
  kCode,
  kConstants,
  kCount
};
const char* name_of(Wait w);

struct TimeResult {
  std::uint64_t cycles = 0;        // sm__cycles_elapsed.max
  std::uint64_t instructions = 0;  // issued by all warps
  std::uint64_t warp_cycles = 0;   // resident warps x cycles
  std::uint64_t last_cta = 0;      // cycle in which the last CTA ended
  std::array<std::uint64_t, static_cast<std::size_t>(Wait::kCount)>
      waits{};  // warp cycles by cause
  ForcedBarriers forced;
  std::uint64_t ctas = 0;
  std::uint64_t running =
      0;  // cycles from the first CTA's start until the last has ended and its stores are there

  // Loops without memory accesses whose rounds neither the trace nor the code tells: the pcs of
  // their branches back. They were taken once at most, so the time is too short by what they ran.
  std::vector<std::uint32_t> taken_once;

  // How much of the time each place of limited throughput was taken, all of its kind together.
  struct Use {
    model::Resource place = model::Resource::kIssue;
    double share = 0;  // 1: always
    double most = 0;   // the same of the busiest element, and which one that is:
    std::uint32_t element = 0;
    std::uint32_t count = 0;  // elements of the kind
    std::uint32_t alike = 0;  // … in use for at least nine tenths of the busiest one's time
    double bytes = 0;         // that passed it, all of its kind together
    double peak = 0;          // bytes a cycle that all of them pass at best; 0: not in bytes
  };
  std::vector<Use> uses;         // by `most`, the busiest first
  model::Topology::Bound bound;  // what limits, and how fast it could be at best
  double bytes_in_flight = 0;    // reads under path beyond the L1s, on average
  double bytes_needed = 0;       // … that would fill DRAM's bandwidth at its unloaded latency

  std::uint64_t sms = 0, sms_used = 0;  // of the card; with at least one CTA
  double sm_time = 0;  // share of the time until an SM's last CTA has ended, mean of those with one
  std::uint64_t warps_most = 0;  // that an SM of the card holds
  std::uint64_t l1_bytes = 0;    // of an SM, as shared memory leaves it
  // Where that is half of what it can be or less.
  struct LargerL1 {
    std::uint64_t bytes = 0;  // of an L1 with the least shared memory
    double share = 0;         // of the lines that loads missed: it would have had them
  };
  std::optional<LargerL1> larger_l1;

  // One CTA's stay on an SM, when asked for.
  struct Stay {
    std::uint64_t cta = 0, start = 0, end = 0;
    std::int32_t sm = 0, slot = 0;
  };
  std::vector<Stay> stays;  // in the order of their ends
};

// `stays`: where each CTA was, and when, is part of the result.
Result<TimeResult> time_launch(const LaunchRun& run, const Tick& tick, bool stays = false);

}  // namespace warpmem::sim
