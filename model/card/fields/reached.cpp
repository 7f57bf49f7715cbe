// Bandwidths that programs reached. They take no part in the model: `gpus --ladder` shows them
// beside what the card's numbers come to.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"reached.shared",
     "GB/s",
     &CardNumbers::reached_shared,
     "read from shared memory by all SMs; 0: not measured",
     {.zero = true, .otherwise = {"0", "not measured"}}},
    {"reached.l1",
     "GB/s",
     &CardNumbers::reached_l1,
     "read from the L1s by all SMs; 0: not measured",
     {.zero = true, .otherwise = {"0", "not measured"}}},
    {"reached.l2",
     "GB/s",
     &CardNumbers::reached_l2,
     "read from the L2 by all SMs; 0: not measured",
     {.zero = true, .otherwise = {"0", "not measured"}}},
};
// clang-format on

}  // namespace

std::span<const CardField> reached_fields() { return kRows; }

}  // namespace warpmem::model
