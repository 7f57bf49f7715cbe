// The figures of a sweep that are shown: expressions over what each point counted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "command/explore/options.hpp"
#include "results/sweep_table.hpp"

namespace warpmem::command {

// kUsage where an expression cannot be read, or has a name that is none: of `sweep`'s metrics or
// axes.
Result<void> check_expressions(const std::vector<std::string>& expressions,
                               const SweepResult& sweep, const std::string& place);
// At one point, of its trace of this index.
MetricValue value_of(const std::string& expression, const SweepResult& sweep,
                     const SweepPoint& point, std::size_t trace);
// `expressions`: empty: the usual ones.
SweepTable sweep_table(const SweepResult& result, std::vector<std::string> expressions,
                       bool counts);

// What a sweep is shown in; opened before the work, so that a wrong name is told at once.
struct ExploreOutputs {
  Output output;
  std::optional<OutputFile> svg;
};
Result<ExploreOutputs> open_outputs(const ExploreOptions& options);
// The file that keeps a sweep: not a device or a pipe.
Result<OutputFile> create_results(const std::string& path, bool force);
// Writes the table, the chart and the drawing, as the options say; returns the exit status.
int show_sweep(const ExploreOptions& options, const SweepTable& table, ExploreOutputs& outputs);

}  // namespace warpmem::command
