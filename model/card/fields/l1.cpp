// The L1 of an SM, and what waits to leave it.
#include "model/cache/store_queue.hpp"
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"l1.size",
     "bytes",
     &CardNumbers::l1_bytes,
     "L1 data cache and shared memory together",
     {.most = 4 << 20}},
    {"l1.reserved",
     "bytes",
     &CardNumbers::l1_reserved,
     "part of the L1 that never holds data",
     {.zero = true}},
    {"l1.read_entries", "lines", &CardNumbers::l1_read_entries,
     "lines of misses that wait to leave an SM; further misses on them join"},
    {"l1.read_cycles",
     "cycles",
     &CardNumbers::l1_read_cycles,
     "that a line of misses waits after the latest miss on it",
     {.zero = true}},
    {"l1.store_entries",
     "lines",
     &CardNumbers::l1_store_entries,
     "lines of stores that wait to leave an SM; further stores to them join",
     {.most = StoreQueue::kMost}},
    {"l1.store_cycles",
     "cycles",
     &CardNumbers::l1_store_cycles,
     "that a line of stores waits after its data has passed the data stage",
     {.zero = true}},
};
// clang-format on

}  // namespace

std::span<const CardField> l1_fields() { return kRows; }

}  // namespace warpmem::model
