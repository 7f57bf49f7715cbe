// An asynchronous copy of which every lane is filled with zeros: it has no read that counts it.
// Measured: kernels/micro/async_passes.cu, cold and past.
#pragma once

#include "model/access/access_plan.hpp"
#include "model/sm/async_copy.hpp"

namespace warpmem::model {

inline void count_fill(LaunchCounters& counters, const AccessPlan& plan, const WarpAccess& to) {
  ++counters.inst_ldgsts;
  if (!plan.bypass_l1) ++counters.ldgsts.requests;
  counters.shared_wavefronts += static_cast<std::uint64_t>(fill_wavefronts(to));
}

}  // namespace warpmem::model
