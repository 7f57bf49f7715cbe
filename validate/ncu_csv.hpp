// Reads the CSV that Nsight Compute prints, in all three of its shapes:
//   long     (--page details --csv)        a row per launch and metric
//   wide     (--page raw --csv)            a row per launch; the first row holds the units
//   summary  (--print-summary per-kernel)  a row per kernel and metric: minimum, maximum, average
// and with what is usually around it: ==PROF== lines, the program's own output before, inside and
// after, byte-order marks, CRLF, scaled units, the locale's separators. What is not understood is
// skipped, counted and reported, never guessed at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "metrics/metric.hpp"
#include "results/launch_metrics.hpp"
#include "validate/units.hpp"

namespace warpmem::validate {

enum class NcuShape { kLong, kWide, kSummary };
const char* shape_name(NcuShape shape);

// One profiled launch, or, in the summary form, all launches of one kernel and shape.
struct NcuLaunch {
  LaunchMetrics counted;  // `launch` is the position in the file; values in base units
  std::map<std::string, std::string> units;  // base unit of each metric
  std::map<std::string, std::string> text;   // columns that are no counters, as printed
  std::string id, process;                   // the profiler's own numbers, as printed
  std::string device;                        // name or number, as printed; may be empty
  std::string compute_capability;            // "9.0"; empty when the file does not say
  std::uint64_t invocations = 1;             // summary form: launches this row stands for
  bool varies = false;     // summary form: minimum and maximum differ for some metric
  bool has_shape = false;  // grid and block are known
};

// A cell of a counter that has no number in it, or none that means one thing.
struct UnreadCell {
  std::size_t line = 0;  // of its row, from 1
  std::string kernel, metric;
  std::string text;  // as printed
  std::string fix;   // how to write it
};

// What the reader did with everything that is not a counter.
struct ImportReport {
  std::size_t lines = 0;
  std::size_t profiler_lines = 0;  // ==PROF==, ==WARNING==, …
  std::size_t foreign_lines = 0;   // the program's own output
  std::size_t damaged_rows = 0;    // look like a row but do not fit the header
  std::size_t rescued_rows = 0;    // had the program's output before or after them
  std::size_t rule_rows = 0;       // the profiler's advice, no counters
  std::size_t headers = 0;
  std::vector<UnreadCell> unread;  // in the file's order
  std::size_t without_value = 0;   // n/a, nan, empty
  std::size_t repeated = 0;        // a metric that stood twice for one launch
  std::vector<std::string> unknown_units;
  std::vector<std::string> notes;  // sentences for the reader
};

struct NcuImport {
  metrics::Vocabulary words = metrics::Vocabulary::kNcu;  // whose file it is
  NcuShape shape = NcuShape::kLong;
  NumberStyle style = NumberStyle::kPoint;
  std::vector<NcuLaunch> launches;  // in the file's order
  std::string device;               // of the first launch that names it
  std::string compute_capability;
  ImportReport report;
};

// `place` names the input in messages. Errors: kMalformed (no table, no launches), kEnvironment
// (the profiler was not allowed to read counters).
Result<NcuImport> parse_ncu_csv(std::string_view bytes, const std::string& place);
Result<NcuImport> read_ncu_csv(const std::string& path);
// The same of any profiler's file: Nsight Compute's, as a report too (ncu_report.hpp), nvprof's
// (nvprof_csv.hpp), or times of Nsight Systems (nsys_sqlite.hpp).
Result<NcuImport> read_profile(const std::string& path);

// kUsage when the file says another compute capability than the card has.
Result<void> check_same_gpu(const NcuImport& import, std::string_view compute_capability,
                            std::string_view card, const std::string& place);
// kMalformed when no launch has a counter that warpmem knows.
Result<void> check_has_counters(const NcuImport& import, const std::string& place);

}  // namespace warpmem::validate
