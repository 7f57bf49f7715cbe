// A launch in a report's JSON.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "results/report.hpp"

namespace warpmem::views {

// A whole number without a fraction; what is no number stands as null.
Json json_number(double v);

// `reasons`: why values are missing, each once; new ones are added.
Json report_launch_json(const ReportLaunch& launch, std::vector<std::string>& reasons);

}  // namespace warpmem::views
