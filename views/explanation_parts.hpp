// Parts of an explained launch in JSON, as `explain` and a report have them.
#pragma once

#include <vector>

#include "base/json.hpp"
#include "results/explanation.hpp"

namespace warpmem::views {

// [{"name":…,"what":…,"estimate":false,"after":{"cycles":…},"not_measured":…},…]: one of the last
// two
Json changes_json(const std::vector<Change>& changes);
Json arrays_json(const std::vector<ArrayTraffic>& arrays);
Json cost_json(const RunCost& cost);

}  // namespace warpmem::views
