// The L1 of an SM, and what waits to leave it.
#include "model/cache/store_queue.hpp"
#include "model/card/fields/groups.hpp"
#include "model/general/memory_spec.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"l1.line",
     "bytes",
     &CardNumbers::line_bytes,
     "a line of the L1 and of the L2, in sectors of 32 bytes",
     {.most = 128, .otherwise = {"128", "as all GPUs since compute capability 2.0"}}},
    {"l1.cache",
     "kind",
     &CardNumbers::l1_cache,
     "whether there is an L1 beside shared memory",
     {.words = on_off_names, .otherwise = {"on", "as compute capability 7.0 and later"}}},
    {"l1.index",
     "kind",
     &CardNumbers::l1_index,
     "which of its sets a line belongs to",
     {.words = set_rule_names, .otherwise = {"xor_matrix", "measured on compute capability 9.0"}}},
    {"l1.ways",
     "ways",
     &CardNumbers::l1_ways,
     "its associativity",
     {.most = 64, .otherwise = {"4", "measured on compute capability 9.0"}}},
    {"l1.replacement",
     "kind",
     &CardNumbers::l1_replacement,
     "which line of a full set goes",
     {.words = replacement_names,
      .otherwise = {"after_hits", "measured on compute capability 9.0"}}},
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
