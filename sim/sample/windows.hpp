// A launch from some of its CTAs. The GPU is full of CTAs for most of a large launch; such a fill
// is a wave. Replayed are the launch's beginning, its last wave, and some windows in between
// (window_plan.hpp); what the CTAs before a window leave in the L2 comes from the counts engine
// (functional warming, as in Wunderlich, Wenisch, Falsafi and Hoe, "SMARTS", ISCA 2003).
//
// The beginning and the last wave count as they are. The windows are a sample of all in between. By
// as much as the waves that count and those before them differ in the mean, the estimate may be
// off.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "sim/replay.hpp"
#include "sim/sample/estimate.hpp"

namespace warpmem::sim {

struct WindowOptions {
  std::uint64_t windows = 6;  // in between
  std::uint64_t seed = 1;
  bool time = true;
  unsigned threads = 1;
};

// How many waves a launch has on a card.
Result<std::uint64_t> waves_of(const trace::TraceReader& reader, std::uint32_t index,
                               const model::Card& card);

struct WindowedLaunch {
  std::vector<Estimate> metrics;  // by sampled_metrics()
  std::uint64_t windows = 0;      // in between
  std::uint64_t records = 0;      // replayed, those for warming and for the footprint too
};
// Nothing where windows would take more than half as long as the whole launch.
Result<std::optional<WindowedLaunch>> replay_windows(const trace::TraceReader& reader,
                                                     std::uint32_t index, const model::Card& card,
                                                     const WindowOptions& options);

// The metrics that are estimated: those of metric_rows() that add up, then cycles and instructions
// where time is kept.
struct SampledName {
  std::string name, unit;
};
std::vector<SampledName> sampled_metrics(bool time);
std::vector<double> sampled_values(const ReplayedLaunch& launch);

}  // namespace warpmem::sim
