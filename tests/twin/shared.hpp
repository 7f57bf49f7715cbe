// Wavefronts of shared memory, by the rules that model/shared/shared_banks.hpp states.
#pragma once

#include "sim/engine/sites.hpp"
#include "tests/twin/access.hpp"

namespace warpmem::twin {

struct Wavefronts {
  std::uint32_t taken = 0;     // by the unit
  std::uint32_t reported = 0;  // as the profiler works them out
  std::uint32_t groups = 0;    // of lanes that are served together
};

Wavefronts shared_wavefronts(const Access& access, model::SharedKind kind, const TwinSpec& spec);

}  // namespace warpmem::twin
