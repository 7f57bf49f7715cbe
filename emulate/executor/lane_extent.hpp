// Addresses of a warp's lanes, from a base register and a constant, and what they reach over.
#pragma once

#include "emulate/executor/running.hpp"

namespace warpmem::emulate {

// The lanes' lowest and highest address, and all bits set in any.
struct Extent {
  std::uint64_t low = ~std::uint64_t{0}, high = 0, all = 0;
};
Extent extent_of(const std::uint64_t* lanes, std::uint32_t mask);

void addresses(const Access& a, const std::byte* frame, Lanes& lanes);
// What a lane's address is in, of an access that does not say.
Space space_of(const Access& a, const std::byte* frame, std::uint32_t lane);

}  // namespace warpmem::emulate
