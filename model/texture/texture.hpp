// What the texture unit asks of the L1 for one fetch or surface access of a warp.
//
// The unit takes the warp's lanes in requests of four (fetches by coordinates, accesses to 3-D
// surfaces) or eight (fetches of linear memory by number, other surfaces). A request looks its
// texels up in one pass, or where a filter needs more of them than a pass has room for in several;
// what a pass touches in a sector counts once.
//
// Measured on an H200: kernels/micro/texture_reads.cu, 421 forms of accesses, all of whose requests
// and sectors these rules give (tests/emulate/textures.cpp). The rate is the same program's: a pass
// keeps the unit 1.1 cycles, or as long as its tags or data banks take.
#pragma once

#include <array>
#include <cstdint>

#include "model/access/access.hpp"

namespace warpmem::model {

struct TextureAccess {
  static constexpr int kMostTexels = 8;  // of a lane: a filter in three dimensions

  std::uint32_t mask = 0;  // active lanes
  int texels = 0;
  std::array<std::uint32_t, kMostTexels> has{};  // lanes that have a k-th texel
  std::array<std::array<std::uint64_t, kWarpLanes>, kMostTexels>
      address;                      // bytes, by texel and lane
  std::uint32_t bytes = 4;          // a texel: 1 to 16
  std::uint32_t request_lanes = 4;  // 4 or 8
  bool linear = false;              // of linear memory, by number
  bool gathers = false;             // returns four texels of a channel each, unfiltered
};

struct TextureTraffic {
  std::uint32_t requests = 0;
  std::uint32_t sectors = 0;  // added up over passes
  std::uint32_t cycles = 0;   // that the unit takes
  // Distinct lines, each with all sectors that it is asked for: up to 8 texels a lane.
  int count = 0;
  std::array<LineTouch, std::size_t{TextureAccess::kMostTexels} * kWarpLanes> line;
};

// `with_bytes`: fills LineTouch::bytes and full (stores need them). `line_bytes`: 32, 64, 96 or
// 128.
void texture_traffic(const TextureAccess& access, bool with_bytes, TextureTraffic& out,
                     std::uint64_t line_bytes = kLineBytes);

}  // namespace warpmem::model
