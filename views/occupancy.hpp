// The answer of `warpmem occupancy`: one launch in full, several as a table, JSON, CSV.
#pragma once

#include <span>
#include <string>

#include "results/occupancy.hpp"
#include "views/style.hpp"

namespace warpmem::views {

// What limits the CTAs of an SM: "registers", "shared memory, warps".
std::string occupancy_limits(const OccupancyResult& result);

std::string occupancy_text(const OccupancyResult& result, const Terminal& terminal);
std::string occupancy_table(std::span<const OccupancyResult> results, const Terminal& terminal);
std::string occupancy_json(std::span<const OccupancyResult> results);
std::string occupancy_csv(std::span<const OccupancyResult> results);

}  // namespace warpmem::views
