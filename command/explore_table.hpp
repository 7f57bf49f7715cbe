// The figures of a sweep that are shown: expressions over what each point counted.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "command/explore_options.hpp"
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

// Writes the table, the chart and the drawing, as the options say; returns the exit status.
int show_sweep(const ExploreOptions& options, const SweepTable& table, Output& output);

}  // namespace warpmem::command
