// One launch on the counts engine, on several threads: each has some of the SMs. In a few steps of
// the clock, no more than pass before the L2 has answered anything, all of them run in parallel,
// up to the requests that go to the L2; then these are served, step by step in the order of the
// SMs, parts of the L2's sets in parallel (model/l2/split_l2.hpp). CTAs that end make room for the
// next ones in the same order. So it comes to the same as count_launch(), on any number of threads.
//
// Steps in which little is to be done take one thread; the others sleep meanwhile.
#pragma once

#include <cstdint>
#include <functional>

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "model/system/shaped_memory.hpp"
#include "sim/engine/barrier_waits.hpp"
#include "sim/engine/block_cache.hpp"
#include "sim/engine/decoded_trace.hpp"
#include "sim/engine/occupancy.hpp"
#include "sim/engine/rewrite.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

struct ManySms {
  const trace::TraceReader& reader;
  std::uint32_t launch = 0;  // index
  const model::Card& card;
  const model::LaunchMemory& memory;
  const Occupancy& occupancy;
  const Rewrite* rewrite = nullptr;
  const DecodedTrace* decoded = nullptr;  // the launch's blocks; nullptr: each thread decodes what
                                          // it needs
  std::size_t decoded_bytes = 32 << 20;   // of each thread, at once
  unsigned threads = 1;
  // Steps in which fewer warps and requests are to be served, on average, take one thread; 0: all
  // take all of them, whatever else the host does.
  std::size_t few = 96;
};

// Whether the card and the launch can be replayed so: an L2 that answers later than a step takes,
// CTAs that come alone, no spilled registers.
bool can_share_out(const trace::TraceReader& reader, std::uint32_t launch, const model::Card& card);

// Whether that takes less time. Where accesses of many lines each keep an SM busy, so few warps
// have something to do in a step that threads wait for each other more than they work
// (docs/design/many-threads.md).
bool pays_to_share_out(const trace::TraceReader& reader, std::uint32_t launch);

struct ManySmsResult {
  bool done = false;  // false: cycles are beyond what it can count; nothing has been added
  ForcedBarriers forced;
  std::uint64_t steps = 0, together = 0;  // of the clock; of them on all threads
  std::uint64_t cut = 0;                  // … in which a part of the requests was served by one
  Taken taken;                            // of the trace
};

// Runs the launch and adds what it counted to `into`, on which it has begun.
Result<ManySmsResult> run_many_sms(const ManySms& what, model::SectoredMemory& into,
                                   const std::function<bool(std::uint64_t)>& tick);

}  // namespace warpmem::sim
