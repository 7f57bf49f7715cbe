// Replays a trace on a GPU card with the counts engine: functional, in a fixed order, no time.
//
// Order (docs/replay-order.md): CTAs go to SMs in the card's order, as many as fit; time passes in
// rounds, and in each round every resident warp, SM by SM and oldest CTA first, runs up to and with
// its next global or local access; a CTA that ends makes room for the next one at the end of the
// round. Reads of one round count as under way together. Same trace, card and version: same result.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/launch_metrics.hpp"
#include "model/card.hpp"
#include "sim/counters.hpp"
#include "traces/reader.hpp"

namespace warpmem::sim {

struct ReplayOptions {
  std::optional<std::uint64_t> launch;   // only this launch id
  bool keep_caches = false;              // false: caches are flushed before each launch, as a
                                         // profiler does; true: the L2 keeps what it has
  std::function<bool(std::uint64_t done, std::uint64_t total)> progress;  // records; false stops
};

struct ReplayedLaunch {
  LaunchMetrics metrics;
  LaunchCounters counters;
  bool complete = true;                  // all of its records were in the trace
  std::vector<std::string> notes;
};

struct ReplayResult {
  std::vector<LaunchMetrics> launches;   // in trace order
  std::vector<ReplayedLaunch> details;   // the same, with raw counters
  std::vector<std::string> notes;        // what the trace or the engine leaves out
};

Result<ReplayResult> replay(const trace::TraceReader& reader, const model::Card& card,
                            const ReplayOptions& options = {});

}  // namespace warpmem::sim
