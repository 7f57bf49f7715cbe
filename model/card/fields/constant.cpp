// Caches of constants.
#include "model/card/fields/groups.hpp"
#include "model/constant/constant_rule.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"constant.rule",
     "kind",
     &CardNumbers::constant_rule,
     "whose distinct addresses are served one after the other",
     {.words = constant_rule_names,
      .used_if = {&kEarly},
      .otherwise = {"warp", "as compute capability 2.0 and later"}}},
    {"constant.size",
     "bytes",
     &CardNumbers::constant_bytes,
     "an SM's cache of constants",
     {.most = 4 << 20}},
    {"constant.line", "bytes", &CardNumbers::constant_line, "its lines", {.most = 1024}},
    {"constant.ways", "ways", &CardNumbers::constant_ways, "its associativity", {.most = 64}},
    {"constant.group_size",
     "bytes",
     &CardNumbers::constant_group_bytes,
     "a GPC's cache of constants",
     {.most = 4 << 20}},
    {"constant.group_line", "bytes", &CardNumbers::constant_group_line,
     "what it brings from memory at a time"},
    {"constant.group_cycles",
     "cycles",
     &CardNumbers::constant_group_cycles,
     "more than a hit, when the GPC's cache has it",
     {.zero = true}},
    {"constant.memory_cycles", "cycles", &CardNumbers::constant_memory_cycles,
     "more than a hit, when no cache has it"},
    {"constant.operand_cycles",
     "cycles",
     &CardNumbers::constant_operand_cycles,
     "more for an instruction whose operand is in a line of parameters that is new to the SM",
     {.zero = true}},
    {"constant.load_cycles",
     "cycles",
     &CardNumbers::constant_load_cycles,
     "more for a load of a parameter in a line that is new to the SM",
     {.zero = true}},
    {"constant.next_cycles",
     "cycles",
     &CardNumbers::constant_next_cycles,
     "from one address of a warp to its next",
     {.zero = true}},
    {"constant.address_cycles",
     "cycles",
     &CardNumbers::constant_address_cycles,
     "an address keeps the SM's lookup",
     {.most = 1000}},
    {"constant.misses",
     "misses",
     &CardNumbers::constant_misses,
     "that an SM has under way at most",
     {.most = 1024}},
};
// clang-format on

}  // namespace

std::span<const CardField> constant_fields() { return kRows; }

}  // namespace warpmem::model
