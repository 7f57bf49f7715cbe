// How many CTAs of a launch an SM holds at once: registers, shared memory, threads and CTAs limit
// it. The replay, the emulated occupancy queries and the emulator's order of CTAs all ask here.
#pragma once

#include <cstdint>

namespace warpmem {

// A card says them.
struct SmLimits {
  std::uint64_t warps = 0;
  std::uint64_t threads = 0;
  std::uint64_t ctas = 0;
  std::uint64_t registers = 0;
  std::uint64_t register_unit = 1;    // registers are given to a warp in multiples of this
  std::uint64_t shared = 0;           // bytes
  std::uint64_t shared_reserved = 0;  // the driver's own, bytes a CTA
  std::uint64_t shared_unit = 1;      // shared memory is given in multiples of this, bytes
  std::uint64_t schedulers = 1;       // that share out the registers
};

struct CtaNeeds {
  std::uint64_t threads = 0;
  std::uint64_t registers = 0;  // a thread; 0: not known, they limit nothing
  std::uint64_t shared = 0;     // bytes, static and dynamic
};

// Shared memory that a CTA takes of its SM, bytes.
std::uint64_t shared_taken(const SmLimits& sm, const CtaNeeds& cta);

// 0: not even one fits.
std::uint32_t resident_ctas(const SmLimits& sm, const CtaNeeds& cta);

}  // namespace warpmem
