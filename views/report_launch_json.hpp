// A launch in a report's JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/report.hpp"

namespace warpmem::views {

// `reasons`: why values are missing, each once; new ones are added.
nlohmann::ordered_json report_launch_json(const ReportLaunch& launch,
                                          std::vector<std::string>& reasons);

}  // namespace warpmem::views
