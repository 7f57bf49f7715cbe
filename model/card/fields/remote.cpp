// Other SMs' shared memory, in a cluster.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"remote.read",
     "millicycles",
     &CardNumbers::remote_read,
     "a sector read from another SM's shared memory",
     {.used_if = {&kClusters}}},
    {"remote.write",
     "millicycles",
     &CardNumbers::remote_write,
     "a sector written to another SM's shared memory",
     {.used_if = {&kClusters}}},
};
// clang-format on

}  // namespace

std::span<const CardField> remote_fields() { return kRows; }

}  // namespace warpmem::model
