// Caches of code.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"code.piece", "bytes", &CardNumbers::code_piece_bytes, "of code that come together"},
    {"code.size", "bytes", &CardNumbers::code_bytes, "of code that an SM keeps"},
    {"code.group_size", "bytes", &CardNumbers::code_group_bytes, "of code that a GPC keeps"},
    {"code.ways", "ways", &CardNumbers::code_ways, "of a set of the SM's cache of code"},
    {"code.group_ways", "ways", &CardNumbers::code_group_ways, "of a set of the GPC's"},
    {"code.again_cycles",
     "cycles",
     &CardNumbers::code_again_cycles,
     "from running a piece of code to having the next one again, when the GPC has it",
     {.zero = true}},
    {"code.group_again_cycles",
     "cycles",
     &CardNumbers::code_group_again_cycles,
     "from running a piece of code to having the next one again, when the L2 has it",
     {.zero = true}},
    {"code.far_cycles",
     "cycles",
     &CardNumbers::code_far_cycles,
     "from running a piece of code first to having the next one, beyond code.brought",
     {.zero = true}},
    {"code.group_again_jump_cycles",
     "cycles",
     &CardNumbers::code_group_again_jump_cycles,
     "from a jump to having its piece of code again, when the L2 has it",
     {.zero = true}},
    {"code.far_jump_cycles",
     "cycles",
     &CardNumbers::code_far_jump_cycles,
     "from a jump to having its piece of code for the first time, beyond code.brought",
     {.zero = true}},
    {"code.brought",
     "bytes",
     &CardNumbers::code_brought_bytes,
     "of a launch's code that its GPCs have when it starts",
     {.zero = true}},
};
// clang-format on

}  // namespace

std::span<const CardField> code_fields() { return kRows; }

}  // namespace warpmem::model
