// Parts of an explained launch in JSON, as `explain` and a report have them.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "results/explanation.hpp"

namespace warpmem::views {

// [{"name":…,"what":…,"estimate":false,"after":{"cycles":…},"not_measured":…},…]: one of the last
// two
nlohmann::ordered_json changes_json(const std::vector<Change>& changes);
nlohmann::ordered_json arrays_json(const std::vector<ArrayTraffic>& arrays);
nlohmann::ordered_json cost_json(const RunCost& cost);

}  // namespace warpmem::views
