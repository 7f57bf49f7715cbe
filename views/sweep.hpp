// A sweep as a table, as CSV and JSON, as a chart in characters and as a drawing.
#pragma once

#include <string>
#include <vector>

#include "results/capacities.hpp"
#include "results/sweep_table.hpp"
#include "views/style.hpp"

namespace warpmem::views {

// One axis, or several: a row a point. Two axes and one series: a matrix.
std::string sweep_text(const SweepTable& table, const Terminal& terminal);
std::string sweep_csv(const SweepTable& table);
std::string sweep_json(const SweepTable& table);
// Bars along the last axis, one group for each value of the others.
std::string sweep_plot(const SweepTable& table, const Terminal& terminal);
// Lines along the last axis, one for each series and value of the others.
std::string sweep_svg(const SweepTable& table);

std::string capacities_text(const CapacityResult& result, const Terminal& terminal);
std::string capacities_csv(const CapacityResult& result);
std::string capacities_json(const CapacityResult& result);

}  // namespace warpmem::views
