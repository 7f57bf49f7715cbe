// One access of a warp for a page that draws it.
#pragma once

#include "base/json.hpp"
#include "results/lane_access.hpp"

namespace warpmem::views {

// The lowest address and how far the lanes are from it, what they are divided into, and the
// sentence of lanes_words().
Json lanes_json(const LaneAccess& access);

}  // namespace warpmem::views
