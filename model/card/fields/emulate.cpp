// What the emulator takes turns by, of CTAs that see each other while they run.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"emulate.shared_wait",
     "instructions",
     &CardNumbers::emulate_shared_wait,
     "a warp could issue while it waits for a load or an atomic of shared memory",
     {.zero = true, .most = 1 << 20}},
    {"emulate.load_wait",
     "instructions",
     &CardNumbers::emulate_load_wait,
     "… for a load of global memory, with others on their way",
     {.zero = true, .most = 1 << 20}},
    {"emulate.atomic_wait",
     "instructions",
     &CardNumbers::emulate_atomic_wait,
     "… for an answer that it needs: of an atomic, or of a look at what others write",
     {.most = 1 << 20}},
    {"emulate.fence_wait",
     "instructions",
     &CardNumbers::emulate_fence_wait,
     "… for its stores to be in the L2",
     {.zero = true, .most = 1 << 20}},
};
// clang-format on

}  // namespace

std::span<const CardField> emulate_fields() { return kRows; }

}  // namespace warpmem::model
