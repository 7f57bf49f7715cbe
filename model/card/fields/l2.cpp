// The L2: sizes, policy, and what its slices take for a request.
#include "model/card/fields/groups.hpp"
#include "model/general/set_index.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"l2.size", "bytes", &CardNumbers::l2_bytes, "L2, all sides"},
    {"l2.sides",
     "sides",
     &CardNumbers::l2_sides,
     "partitions of the L2 that keep copies of each other's lines",
     {.zero = true}},
    {"l2.index",
     "kind",
     &CardNumbers::l2_index,
     "which set of its side a line belongs to",
     {.words = set_rule_names, .otherwise = {"mixed_rows", "a shuffle, as measured on an H200"}}},
    {"l2.ways", "ways", &CardNumbers::l2_ways, "associativity"},
    {"l2.dirty_ways",
     "ways",
     &CardNumbers::l2_dirty_ways,
     "ways of a set that may be dirty",
     {.zero = true}},
    {"l2.partial_ways",
     "ways",
     &CardNumbers::l2_partial_ways,
     "ways of a set that may hold partly written sectors",
     {.zero = true}},
    {"l2.filled_ways",
     "ways",
     &CardNumbers::l2_filled_ways,
     "ways of a set that wait to be written back when such sectors have been filled",
     {.zero = true}},
    {"l2.home_bits",
     "address bits",
     &CardNumbers::l2_home_bits,
     "their parity is a line's home side",
     {.used_if = {&kTwoSides}}},
    {"l2.fetch", "bytes", &CardNumbers::l2_fetch_bytes,
     "what a read miss moves from DRAM at least"},
    {"l2.slices", "slices", &CardNumbers::l2_slices, "slices of the L2, all sides", {.most = 4096}},
    {"l2.clock_permille", "per mille", &CardNumbers::l2_clock_permille,
     "the slices' clock, of the SM clock"},
    {"l2.read_permille", "per mille", &CardNumbers::l2_read_permille, "slice cycles for a read"},
    {"l2.read_sector_permille", "per mille", &CardNumbers::l2_read_sector_permille,
     "slice cycles for each sector read"},
    {"l2.write_permille", "per mille", &CardNumbers::l2_write_permille, "slice cycles for a write"},
    {"l2.write_sector_permille", "per mille", &CardNumbers::l2_write_sector_permille,
     "slice cycles for each sector written whole"},
    {"l2.partial_sector_permille", "per mille", &CardNumbers::l2_partial_sector_permille,
     "slice cycles for each sector written in part"},
    {"l2.atomic_pass_permille", "per mille", &CardNumbers::l2_atomic_pass_permille,
     "slice cycles for each pass of an atomic over a sector"},
    {"l2.atomic_part_permille", "per mille", &CardNumbers::l2_atomic_part_permille,
     "slice cycles more for a pass of an atomic over a part of a sector"},
    {"l2.fill_sector_permille", "per mille", &CardNumbers::l2_fill_sector_permille,
     "slice cycles for each sector that DRAM or the other side brings"},
    {"l2.queue_cycles",
     "cycles",
     &CardNumbers::l2_queue_cycles,
     "work waiting in front of the L2 before the SM is held up",
     {.zero = true}},
};
// clang-format on

}  // namespace

std::span<const CardField> l2_fields() { return kRows; }

}  // namespace warpmem::model
