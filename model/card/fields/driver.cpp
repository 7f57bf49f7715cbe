// The driver's functions that kernels call.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"driver.malloc",
     "cycles",
     &CardNumbers::driver_malloc,
     "a kernel's call of malloc, more for each further lane; of the GPU a call, a lane; more for "
     "an SM's first",
     {.otherwise = {"", "calls of it take no time"}}},
    {"driver.free",
     "cycles",
     &CardNumbers::driver_free,
     "… of free",
     {.otherwise = {"", "calls of it take no time"}}},
    {"driver.print",
     "cycles",
     &CardNumbers::driver_print,
     "… of printf",
     {.otherwise = {"", "calls of it take no time"}}},
};
// clang-format on

}  // namespace

std::span<const CardField> driver_fields() { return kRows; }

}  // namespace warpmem::model
