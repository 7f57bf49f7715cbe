// Latencies of single accesses.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"latency.l1", "cycles", &CardNumbers::latency_l1, "L1 hit"},
    {"latency.texture", "cycles", &CardNumbers::latency_texture,
     "texel of a texture or surface by its number, L1 hit"},
    {"latency.texture_miss",
     "cycles",
     &CardNumbers::latency_texture_miss,
     "beyond a load from memory, where the cache of textures misses; 0: latency.texture",
     {.zero = true, .used_if = {&kEarly}, .otherwise = {"0", "as latency.texture"}}},
    {"latency.coordinates",
     "cycles",
     &CardNumbers::latency_coordinates,
     "more for a texture fetch by coordinates",
     {.zero = true}},
    {"latency.filter",
     "cycles",
     &CardNumbers::latency_filter,
     "more for one that mixes texels",
     {.zero = true}},
    {"latency.shared", "cycles", &CardNumbers::latency_shared, "shared memory without a conflict"},
    {"latency.conflict", "cycles", &CardNumbers::latency_conflict,
     "from one wavefront of an access to its next, in shared memory and the L1"},
    {"latency.l2_near", "cycles", &CardNumbers::latency_l2_near, "hit on the SM's side of the L2"},
    {"latency.l2_spread",
     "cycles",
     &CardNumbers::latency_l2_spread,
     "by how much slices of the L2 differ",
     {.zero = true}},
    {"latency.dram_spread",
     "cycles",
     &CardNumbers::latency_dram_spread,
     "by how much L2 misses differ",
     {.zero = true}},
    {"latency.dram_tail",
     "cycles",
     &CardNumbers::latency_dram_tail,
     "one L2 miss in eight takes up to this much more",
     {.zero = true}},
    {"latency.l2_far",
     "cycles",
     &CardNumbers::latency_l2_far,
     "more, when the line's home is the other side",
     {.used_if = {&kTwoSides}}},
    {"latency.dram", "cycles", &CardNumbers::latency_dram, "more, when the L2 misses"},
    {"latency.remote",
     "cycles",
     &CardNumbers::latency_remote,
     "a load from another SM's shared memory",
     {.used_if = {&kClusters}}},
    {"latency.host", "cycles", &CardNumbers::latency_host, "an access to host memory"},
};
// clang-format on

}  // namespace

std::span<const CardField> latency_fields() { return kRows; }

}  // namespace warpmem::model
