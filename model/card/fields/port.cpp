// What an SM's port and the host link carry.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"port.receive_permille", "sectors", &CardNumbers::port_receive_permille,
     "an SM gets from the L2 in 1,000 cycles"},
    {"port.host_permille", "sectors", &CardNumbers::host_permille,
     "pass the host link in 1,000 cycles"},
    {"port.send_permille", "sectors", &CardNumbers::port_send_permille,
     "an SM sends to the L2 in 1,000 cycles"},
    {"port.send_header_permille",
     "millicycles",
     &CardNumbers::port_send_header_permille,
     "more for a request of less than a whole line that an SM sends",
     {.zero = true}},
};
// clang-format on

}  // namespace

std::span<const CardField> port_fields() { return kRows; }

}  // namespace warpmem::model
