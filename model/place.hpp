// The places of limited throughput between a warp and memory, in the order in which a request meets
// them.
#pragma once

#include <cstdint>

namespace warpmem::model {

enum class Place : std::uint8_t {
  kIssue,     // an SM's schedulers
  kL1,        // an SM's load/store unit and L1, shared memory included
  kPortOut,   // an SM's port to the L2
  kPortIn,    // … and from it
  kSlice,     // a slice of the L2
  kDramRows,  // a DRAM channel's activations
  kDramBus,   // … and its data bus
  kHostLink,
  kCount
};

// "L2 slices": what people call all of a kind.
const char* name_of(Place place);
// "L2 slice": one of them.
const char* name_of_one(Place place);

}  // namespace warpmem::model
