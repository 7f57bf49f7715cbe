// What the texture unit asks of the L1, by the rules of model/texture/texture.hpp.
#pragma once

#include "tests/twin/access.hpp"

namespace warpmem::twin {

// A fetch: by texel that each lane mixes, the lanes that have it.
struct Fetch {
  std::vector<std::vector<Lane>> texels;
  std::uint32_t mask = 0;           // active lanes
  std::uint32_t bytes = 4;          // of a texel
  std::uint32_t request_lanes = 4;  // 4 or 8
  bool linear = false;              // of linear memory, by number
  bool gathers = false;             // returns four texels, unfiltered
};

struct FetchTraffic {
  std::uint32_t requests = 0, sectors = 0;
  std::uint32_t cycles = 0;  // that the unit takes
  std::vector<Touch> lines;
};

FetchTraffic fetch_traffic(const Fetch& fetch, const TwinSpec& spec);

}  // namespace warpmem::twin
