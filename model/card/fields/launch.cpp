// How a launch starts, and what the driver adds to it.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"launch.dram_read_sectors",
     "sectors",
     &CardNumbers::launch_dram_read_sectors,
     "read from DRAM by any launch, code apart",
     {.zero = true}},
    {"launch.l2_read_sectors",
     "sectors",
     &CardNumbers::launch_l2_read_sectors,
     "read from L2 by any launch, all sources, code apart",
     {.zero = true, .used_if = {&kSomeL2}}},
    {"launch.fabric_sectors",
     "sectors",
     &CardNumbers::launch_fabric_sectors,
     "between the sides of the L2 by any launch, code apart",
     {.zero = true, .used_if = {&kSectors}}},
    {"launch.stagger_cycles",
     "cycles",
     &CardNumbers::launch_stagger_cycles,
     "by which an SM's schedulers come to their first instructions one after the other",
     {.zero = true}},
    {"launch.share_millicycles",
     "cycles/1000",
     &CardNumbers::launch_share_millicycles,
     "for each CTA of a grid that finds room whole, before the first one starts",
     {.zero = true}},
    {"launch.sm_millicycles",
     "cycles/1000",
     &CardNumbers::launch_sm_millicycles,
     "from one SM's first CTA to the next one's in its GPC, of one warp",
     {.zero = true}},
    {"launch.sm_warp_millicycles",
     "cycles/1000",
     &CardNumbers::launch_sm_warp_millicycles,
     "more for each further warp",
     {.zero = true}},
    {"launch.sm_most_millicycles",
     "cycles/1000",
     &CardNumbers::launch_sm_most_millicycles,
     "at most, however many warps",
     {.zero = true}},
    {"launch.gpc_millicycles",
     "cycles/1000",
     &CardNumbers::launch_gpc_millicycles,
     "between CTAs that a GPC starts once each SM has one, at least",
     {.zero = true}},
    {"launch.gpc_warp_millicycles",
     "cycles/1000",
     &CardNumbers::launch_gpc_warp_millicycles,
     "… for each warp",
     {.zero = true}},
    {"launch.dirty_sectors",
     "sectors",
     &CardNumbers::launch_dirty_sectors,
     "dirty in the L2 when a launch starts with flushed caches",
     {.zero = true, .used_if = {&kSectors}}},
};
// clang-format on

}  // namespace

std::span<const CardField> launch_fields() { return kRows; }

}  // namespace warpmem::model
