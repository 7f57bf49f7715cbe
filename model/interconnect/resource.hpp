// The resources of limited throughput between a warp and memory, in the order in which its work
// meets them; the last one is what gives CTAs out before all of these.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpmem::model {

enum class Resource : std::uint8_t {
  kIssue,  // an SM's schedulers
  kFma,    // an SM's execution pipes, in the order of sim's Pipe
  kAlu,
  kFp64,
  kXu,
  kTensor,
  kMio,
  kUniform,
  kEvenRegisters,  // an SM's banks of registers
  kOddRegisters,
  kConstant,  // an SM's cache of constants
  kL1,        // an SM's load/store unit and L1, shared memory included
  kTexture,   // an SM's texture unit
  kRemote,    // an SM's path to the shared memory of other SMs
  kPortOut,   // an SM's port to the L2
  kPortIn,    // … and from it
  kSlice,     // a slice of the L2
  kFabric,    // between the sides of the L2
  kDramRows,  // a DRAM channel's activations
  kDramBus,   // … and its data bus
  kHostLink,
  kCtaStart,  // what starts CTAs, one after the other
  kCount
};
constexpr std::size_t kResources = static_cast<std::size_t>(Resource::kCount);

// "L2 slices": what people call all of a kind.
const char* name_of(Resource place);
// "L2 slice": one of them.
const char* name_of_one(Resource place);
// One an SM, or one a DRAM channel.
constexpr bool is_of_sm(Resource place) { return place < Resource::kSlice; }
constexpr bool is_of_channel(Resource place) {
  return place == Resource::kDramRows || place == Resource::kDramBus;
}

}  // namespace warpmem::model
