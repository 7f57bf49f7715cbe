// A report's predictions beside what a profiler counted.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "results/report.hpp"

namespace warpmem::command {

// Of the runs of one trace on all cards, from `first_run` on: those on cards of the profile's GPU
// are compared. kUsage when there is none.
Result<void> add_pairs(const std::string& profile, const std::vector<model::Card>& cards,
                       std::size_t first_run,
                       const std::vector<std::vector<LaunchMetrics>>& predicted, Report& report);

}  // namespace warpmem::command
