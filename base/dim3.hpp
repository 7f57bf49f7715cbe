// The extents of a grid, a block or a cluster.
#pragma once

#include <array>
#include <cstdint>

namespace warpmem {

using Dim3 = std::array<std::uint32_t, 3>;  // x, y, z

}  // namespace warpmem
