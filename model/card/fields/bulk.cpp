// The copy engine of bulk copies.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"bulk.cycles",
     "cycles",
     &CardNumbers::bulk_cycles,
     "an SM's copy engine takes for 128 bytes",
     {.most = 1000, .used_if = {&kBulkCopies}}},
};
// clang-format on

}  // namespace

std::span<const CardField> bulk_fields() { return kRows; }

}  // namespace warpmem::model
