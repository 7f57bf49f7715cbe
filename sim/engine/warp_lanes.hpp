// A trace's records as the model takes them.
#pragma once

#include "model/access/warp_lanes.hpp"
#include "traces/format/record.hpp"

namespace warpmem::sim {

// `table`: the lane table that the record's addresses are in.
inline model::WarpLanes lanes_of(const trace::Record& r, const std::uint64_t* table) {
  return {r.mask, r.stride, r.base, r.regular() ? nullptr : table + r.lanes};
}

}  // namespace warpmem::sim
