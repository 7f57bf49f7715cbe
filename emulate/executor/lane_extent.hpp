// Addresses of a warp's lanes, from a base register and a constant, and what they reach over.
#pragma once

#include "emulate/executor/running.hpp"

namespace warpmem::emulate {

// The lanes' lowest and highest address, and all bits set in any.
struct Extent {
  std::uint64_t low = ~std::uint64_t{0}, high = 0, all = 0;
};
Extent extent_of(const std::uint64_t* lanes, std::uint32_t mask);

// Each lane's base and a constant; 32-bit addresses wrap.
void add_offset(const std::uint64_t* base, std::uint64_t offset, std::uint64_t* lanes);
void add_offset(const std::uint32_t* base, std::uint32_t offset, std::uint64_t* lanes);

// Of machine code.
void machine_addresses(const Access& a, const std::byte* frame, Lanes& lanes);
// From shared addresses as machine code has them (the reserved bytes first, the rank of a CTA in
// its cluster in the upper 8 bits) to those of resolve.cpp.
void own_shared(const Access& a, std::uint32_t rank, std::uint32_t cluster_size, Lanes& lanes);
inline void own_shared(const Running& run, const Access& a, Lanes& lanes) {
  if (a.machine && a.space == Space::kShared) own_shared(a, run.cta->rank, run.cluster_size, lanes);
}
// … and back: a trace has what the machine code has.
inline std::uint64_t traced_shared(const Running& run, const Access& a, std::uint64_t at) {
  if (!a.machine) return at;
  const std::uint64_t owner = at >> kRankShift;
  const std::uint64_t rank = owner                  ? owner - 1
                             : run.cluster_size > 1 ? run.cta->rank
                                                    : std::uint64_t{0};
  return (rank << kRankShift) + (at & ((1u << kRankShift) - 1)) + a.reserved;
}

inline void addresses(const Access& a, const std::byte* frame, Lanes& lanes) {
  if (a.machine) return machine_addresses(a, frame, lanes);
  const auto offset = static_cast<std::uint64_t>(a.offset);
  if (a.address_bytes == 8) {
    add_offset(reinterpret_cast<const std::uint64_t*>(frame + a.base), offset, lanes);
  } else if (a.address_bytes == 4) {
    add_offset(reinterpret_cast<const std::uint32_t*>(frame + a.base),
               static_cast<std::uint32_t>(offset), lanes);
  } else {
    for (std::uint32_t l = 0; l < 32; ++l) lanes[l] = offset;
  }
}
// What a lane's address is in, of an access that does not say.
Space space_of(const Access& a, const std::byte* frame, std::uint32_t lane);

}  // namespace warpmem::emulate
