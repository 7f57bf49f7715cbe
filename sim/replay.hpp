// Replays a trace on a GPU card with the counts engine: functional, in a fixed order.
//
// Order (docs/design/replay-order.md): CTAs go to SMs as hardware places them, as many as fit; a
// rough clock made of measured latencies says which warp is next, which reads are outstanding
// together and which stores leave an SM together. Same trace, card and version: same result.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "model/counters/launch_counters.hpp"
#include "model/dram/partition_traffic.hpp"
#include "model/sink/cache_listener.hpp"
#include "results/launch_metrics.hpp"
#include "sim/engine/rewrite.hpp"
#include "sim/time/engine.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

struct ReplayOptions {
  std::optional<std::uint64_t> launch;      // only this launch id
  std::function<bool(std::uint64_t)> only;  // only launches of these ids; none: all
  unsigned threads = 1;                     // launches replayed at once, where caches are flushed
                                            // between them; with the counts engine also a large
                                            // launch's SMs. No result depends on it. Each thread
                                            // takes the memory of a replay of its own
  std::uint64_t few_records = 1 << 18;      // a launch of fewer takes one thread
  unsigned few_threads = 4;                 // with fewer each launch takes one
  std::size_t few_warps = 96;               // ManySms::few
  std::uint64_t decoded_launch_bytes = std::uint64_t{1} << 30;  // of a launch that is shared out,
                                                                // decoded as a whole; a larger one
                                                                // each thread decodes for itself
  bool time = false;            // with the time engine: cycles, and what warps waited for
  bool stays = false;           // … and where each CTA was, and when
  bool keep_caches = false;     // false: caches are flushed before each launch, as a
                                // profiler does; true: the L2 keeps what it has
  bool by_site = false;         // also what each static instruction counted
  bool banks = false;           // … and what the banks of shared memory gave, and when
  bool general_memory = false;  // by model::GeneralMemory, whatever the card; no result
                                // depends on it
  bool flat = false;            // with the counts engine: the order of accesses does not
                                // depend on what hits, so caches of all sizes see the same
  model::CacheListener* caches = nullptr;  // who listens to every use of the caches; with `flat`
                                           // only, on one thread
  const DecodedTrace* decoded = nullptr;   // the trace's blocks, where they are decoded already
  const Rewrite* rewrite =
      nullptr;  // changes to the records, of one launch (sim/engine/rewrite.hpp)
  // Before each launch its accesses of these CTAs go through the caches, by the counts engine, and
  // leave what they leave (nullptr: caches are as keep_caches says).
  const Rewrite* warm = nullptr;
  // What the accesses of these groups of CTAs count is kept apart, in ReplayedLaunch::counted.
  const std::vector<std::vector<std::uint64_t>>* counted_ctas = nullptr;
  std::size_t decoded_bytes = 32 << 20;  // of the trace at once; no result depends on it
  // Records; false stops. Called by one thread at a time.
  std::function<bool(std::uint64_t done, std::uint64_t total)> progress;
};

struct ReplayedLaunch {
  LaunchMetrics metrics;
  model::LaunchCounters counters;
  // With ReplayOptions::by_site: what each of the trace's sites counted, and what no access did
  // (the launch itself, marks and barriers); together they are `counters`.
  std::vector<model::LaunchCounters> by_site;
  model::LaunchCounters beside;
  // With ReplayOptions::counted_ctas: what each group counted, and what no access did.
  std::vector<model::LaunchCounters> counted;
  model::LaunchCounters beside_ctas;
  std::uint64_t warm_records = 0;  // with ReplayOptions::warm
  // What DRAM's partitions moved, on cards whose memory system keeps it.
  std::optional<model::PartitionTraffic> dram_traffic;
  // With ReplayOptions::banks: words that the banks of shared memory gave or took, all SMs
  // together.
  std::optional<model::PartitionTraffic> bank_traffic;
  std::vector<std::uint64_t> cycles_by_site;  // outstanding, added up over accesses
  Occupancy occupancy;
  bool complete = true;  // all of its records were in the trace
  std::vector<std::string> notes;
  std::optional<TimeResult> time;             // with the time engine
  std::vector<std::string> loops_taken_once;  // TimeResult::taken_once, "app.cu:12"
  // Accesses to spilled registers that the trace lacks, put back from the code
  // (sim/spills/spills.hpp).
  struct SpilledRegisters {
    std::uint64_t instructions = 0;             // of the code
    std::uint64_t loads = 0, stores = 0;        // executed by warps
    std::vector<std::string> loops_taken_once;  // that leave no record, and nobody knows the rounds
  } spilled;
  // Accesses by which warps look again at what they have just looked at, waiting for others
  // (sim/engine/spins.hpp).
  struct Spinning {
    std::uint64_t records = 0, again = 0;         // all of the launch's; of them, such looks
    std::optional<std::uint64_t> cycles_without;  // with the time engine: the launch's without them
  } spinning;
};

struct ReplayResult {
  std::vector<LaunchMetrics> launches;  // in trace order
  std::vector<ReplayedLaunch> details;  // the same, with raw counters
  std::vector<std::string> notes;       // what the trace or the engine leaves out
};

Result<ReplayResult> replay(const trace::TraceReader& reader, const model::Card& card,
                            const ReplayOptions& options = {});

}  // namespace warpmem::sim
