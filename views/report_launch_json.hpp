// A launch in a report's JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "results/report.hpp"

namespace warpmem::views {

nlohmann::ordered_json report_launch_json(const ReportLaunch& launch);

}  // namespace warpmem::views
