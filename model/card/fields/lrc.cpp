// The coalescer of a GPC's reads, in front of the L2.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"lrc.merge",
     "SMs",
     &CardNumbers::lrc_merge,
     "readers of one line that share a request to the L2",
     {.used_if = {&kSectors}}},
    {"lrc.way_cycles",
     "cycles",
     &CardNumbers::lrc_way_cycles,
     "of an L2 read's latency: from the SM to the coalescer and back",
     {.zero = true, .used_if = {&kSectors}}},
};
// clang-format on

}  // namespace

std::span<const CardField> lrc_fields() { return kRows; }

}  // namespace warpmem::model
