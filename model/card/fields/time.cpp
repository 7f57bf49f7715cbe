// What launches, CTAs, warps and barriers take.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"time.launch_cycles", "cycles", &CardNumbers::time_launch_cycles,
     "of a launch before its first CTA and after its last", {.zero = true}},
    {"time.drain_cycles", "cycles", &CardNumbers::time_drain_cycles,
     "more at the end of a launch that reached memory", {.zero = true}},
    {"time.fence_cycles", "cycles", &CardNumbers::time_fence_cycles,
     "after a launch's last CTA in which its stores still arrive for nothing", {.zero = true}},
    {"time.cta_millicycles", "millicycles", &CardNumbers::time_cta_millicycles, "between two CTAs given out"},
    {"time.cta_cycles", "cycles", &CardNumbers::time_cta_cycles,
     "from a CTA's being given out to its first instruction", {.zero = true}},
    {"time.turn_cycles", "cycles", &CardNumbers::time_turn_cycles,
     "from a CTA's last instruction to the first one of the CTA in its place", {.zero = true}},
    {"time.warp_cycles", "cycles", &CardNumbers::time_warp_cycles,
     "between the first instructions of two warps of a CTA", {.zero = true}},
    {"time.first_cycles", "cycles", &CardNumbers::time_first_cycles,
     "more for an SM's first CTA, whose code comes in", {.zero = true}},
    {"time.translate_cycles", "cycles", &CardNumbers::time_translate_cycles,
     "an SM's first access beyond its L1 takes longer", {.zero = true}},
    {"time.queue_cycles", "cycles", &CardNumbers::time_queue_cycles,
     "by which tags may be looked up ahead of the data", {.zero = true}},
    {"time.queue_loads", "accesses", &CardNumbers::time_queue_loads,
     "of a scheduler that wait before one of its warps is held up: loads, shared memory", {.zero = true}},
    {"time.queue_stores", "accesses", &CardNumbers::time_queue_stores,
     "of a scheduler that wait before one of its warps is held up: stores and atomics", {.zero = true}},
    {"time.queue_moved", "accesses", &CardNumbers::time_queue_moved,
     "of those that wait, how many have read their registers already", {.zero = true}},
    {"time.read_cycles", "cycles", &CardNumbers::time_read_cycles,
     "until an access has read its registers", {.zero = true}},
    {"time.read_global_cycles", "cycles", &CardNumbers::time_read_global_cycles,
     "until a store to global or local memory has read its registers", {.zero = true}},
    {"time.read_register_cycles", "cycles", &CardNumbers::time_read_register_cycles,
     "more for each further register that a lane stores", {.zero = true}},
    {"time.barrier_cycles", "cycles", &CardNumbers::time_barrier_cycles,
     "from the last arrival at a barrier to going on", {.zero = true}},
    {"time.cluster_millicycles", "millicycles", &CardNumbers::time_cluster_millicycles,
     "more to give out a cluster than its CTAs alone", {.zero = true, .used_if = {&kClusters}}},
    {"time.cluster_barrier_cycles", "cycles", &CardNumbers::time_cluster_barrier_cycles,
     "a cluster's barrier when nobody is late", {.zero = true, .most = 65535, .used_if = {&kClusters}}},
    {"time.code_cycles", "cycles", &CardNumbers::time_code_cycles,
     "from running a piece of code first (384 bytes) to having the next one", {.zero = true}},
    {"time.barrier_lead_cycles", "cycles", &CardNumbers::time_barrier_lead_cycles,
     "by which a warp's arrival may be ahead of its last wavefront in shared memory", {.zero = true}},
    {"time.barrier_warp_cycles", "cycles", &CardNumbers::time_barrier_warp_cycles,
     "between the arrivals of two warps", {.zero = true}},
};
// clang-format on

}  // namespace

std::span<const CardField> time_fields() { return kRows; }

}  // namespace warpmem::model
