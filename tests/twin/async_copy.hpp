// What an asynchronous copy from global to shared memory makes of its two sides, by the rules of
// model/sm/async_copy.hpp.
#pragma once

#include "tests/twin/access.hpp"

namespace warpmem::twin {

// Past the L1: who asks the L2 for what.
struct PastL1 {
  struct Request {
    std::uint64_t line = 0;
    Sectors sectors = 0;
  };
  std::vector<Request> requests;
  std::uint64_t wavefronts = 0;         // of shared memory
  std::uint64_t sectors = 0;            // of shared memory, for each line
  std::uint32_t output_wavefronts = 0;  // lines that are looked up together, by rows four apart
};
PastL1 copy_past_l1(const Access& from, const Access& to, const TwinSpec& spec);

// Through the L1: wavefronts of shared memory. Lanes that only `to` has are filled with zeros.
std::uint32_t copy_wavefronts(const Access& from, const Access& to);

}  // namespace warpmem::twin
