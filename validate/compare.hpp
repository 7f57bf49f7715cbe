// Holds predicted counters against measured ones: an error and a verdict for every metric of every
// matched launch, and a summary of each metric over all of them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "results/launch_metrics.hpp"
#include "validate/artefacts.hpp"
#include "validate/deviations.hpp"
#include "validate/match.hpp"
#include "validate/metric_map.hpp"
#include "validate/ncu_csv.hpp"

namespace warpmem::validate {

enum class Verdict {
  kEqual,           // the same number
  kWithinSpread,    // no further off than the GPU is from itself when it counts again
  kWithinBand,      // approximate metric: the model is off, within its band
  kKnownDeviation,  // the model is off by more, and a listed deviation covers it
  kOff,       // the model is off: an exact metric with another number, or an error beyond the band
  kArtefact,  // the profiler's reading is not the kernel's: artefacts.hpp
  kNotRead,   // one side has no value
};
constexpr std::size_t kVerdicts = 7;
const char* verdict_name(Verdict verdict);
inline bool fails(Verdict v) { return v == Verdict::kOff; }

struct Comparison {
  const MetricRule* rule = nullptr;
  MetricValue predicted, measured;
  double error = 0;  // relative_error(): what is shown
  // The same with the metric's floor in place of the GPU's count where that is smaller: what bands
  // and bounds hold.
  double judged = 0;
  Verdict verdict = Verdict::kNotRead;
  std::string reason;  // why not read, the deviation's sentence, or what is behind an artefact
  std::optional<ArtefactKind> artefact{};
  bool small = false;  // both sides below the metric's floor
  // Before deviations and artefacts: an exact metric with another number, or an error beyond the
  // band.
  bool off() const;
};

struct LaunchComparison {
  std::string run;     // name in the suite; empty for a single trace
  std::string kernel;  // signature: "copy<float4>"
  Dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::uint64_t launch = 0;         // in the trace
  std::string profiler_id;          // in the CSV
  std::vector<Comparison> metrics;  // in the order of metric_rules(); only those known to one side
  std::string level{};              // of the trace: "sass"
};

// Two collections of the same runs on the same GPU: what no model can beat.
struct HardwareSpread {
  std::size_t n = 0;
  double median = 0, p90 = 0, worst = 0;
};

struct MetricSummary {
  const MetricRule* rule = nullptr;
  std::size_t n = 0;                      // launches in the statistics
  std::size_t equal = 0;                  // … of them the same number on both sides
  double median = 0, p90 = 0, worst = 0;  // of the size of the judged error
  std::string worst_at;                   // run and kernel
  double bias = 0;                        // mean signed error: above 0 when the model says more
  std::size_t known = 0, failed = 0;
  std::map<std::string, std::size_t> excluded;  // reason -> launches
  HardwareSpread hardware;                      // n == 0: not collected
};

struct DeviationUse {
  std::string id;
  std::string reason;
  std::size_t named = 0;        // comparisons it names
  std::size_t needed = 0;       // … that would have failed without it
  double above = 0, below = 0;  // largest errors among them, as Deviation has them
  bool gone() const { return named > 0 && needed == 0; }
};

struct Report {
  std::string gpu;     // card
  std::string engine;  // that predicted: "counts", "time"
  std::vector<LaunchComparison> launches;
  std::vector<std::string> unmatched;    // one line each: which side, what
  std::vector<MetricSummary> summary;    // metrics with anything to say
  std::vector<DeviationUse> deviations;  // those that name something here
  std::size_t failed = 0;                // comparisons
  std::size_t not_read = 0;              // cells and rows of the profiler's file
  // Launches that one side lacks were to be expected. Otherwise they fail: nothing is known of
  // them.
  bool unmatched_allowed = false;
  bool ok() const { return failed == 0 && (unmatched.empty() || unmatched_allowed); }
};

// Counters that the model predicts and the profiler was never asked for.
std::vector<std::string_view> not_collected(const Report& report);

// The comparisons of one trace with one file.
std::vector<LaunchComparison> compare_launches(const std::vector<LaunchMetrics>& predicted,
                                               const NcuImport& measured, const Matching& matching,
                                               const std::string& run);

// One line for every launch that only one side has.
std::vector<std::string> describe_unmatched(const std::vector<LaunchMetrics>& predicted,
                                            const NcuImport& measured, const Matching& matching,
                                            const std::string& run);

// Applies the deviations, then fills summary, deviations and failed.
Report finish_report(std::string gpu, std::string engine, std::vector<LaunchComparison> launches,
                     std::vector<std::string> unmatched, const DeviationList& deviations);

// kMalformed when not one counter stands on both sides: no data is a failure, not a success.
Result<void> check_compared(const Report& report, const std::string& place);

// Of the launches of one metric.
MetricSummary summarise(const MetricRule& rule, const std::vector<LaunchComparison>& launches);

// Takes the spread of the hardware from `repeat`, a report that holds one collection against
// another as if one were the model.
void attach_repeat(Report& report, const Report& repeat);

// The value at `share` (0..1) of the sorted list, linear between neighbours; 0 for an empty list.
double percentile(std::vector<double> values, double share);

}  // namespace warpmem::validate
