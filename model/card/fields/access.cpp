// What a warp's addresses become in flight to memory.
#include "model/access/rule/access_rule.hpp"
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"access.rule",
     "kind",
     &CardNumbers::access_rule,
     "which transactions the addresses of a warp become",
     {.words = access_rule_names, .otherwise = {"sectors", "as compute capability 7.0 and later"}}},
};
// clang-format on

}  // namespace

std::span<const CardField> access_fields() { return kRows; }

}  // namespace warpmem::model
