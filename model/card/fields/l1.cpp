// The L1 of an SM, and what waits to leave it.
#include "model/cache/allocate/allocate.hpp"
#include "model/cache/cached_spaces.hpp"
#include "model/cache/replacement/replacement.hpp"
#include "model/cache/set_index.hpp"
#include "model/cache/store_queue.hpp"
#include "model/cache/write/write_policy.hpp"
#include "model/card/fields/groups.hpp"

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
     "what the L1 keeps: global loads and local memory, nothing, one of the two; asked: loads that "
     "ask for it (.ca)",
     {.words = cached_spaces_names, .otherwise = {"on", "as compute capability 7.0 and later"}}},
    {"l1.sector",
     "bytes",
     &CardNumbers::l1_sector,
     "of a line that a miss brings at least",
     {.most = 128, .otherwise = {"32", "as compute capability 5.0 and later"}}},
    {"l1.index",
     "kind",
     &CardNumbers::l1_index,
     "which of its sets a line belongs to",
     {.words = set_rule_names, .otherwise = {"xor_matrix", "measured on compute capability 9.0"}}},
    {"l1.sets",
     "sets",
     &CardNumbers::l1_sets,
     "its sets; 0: as many as l1.ways leaves",
     {.zero = true, .most = 65536, .otherwise = {"0", "l1.ways is given"}}},
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
    {"l1.allocate",
     "kind",
     &CardNumbers::l1_allocate,
     "which misses bring a line",
     {.words = allocate_names,
      .otherwise = {"loads_and_stores", "as compute capability 7.0 and later"}}},
    {"l1.write",
     "kind",
     &CardNumbers::l1_write,
     "what a global store leaves of its line: what it wrote, or nothing",
     {.words = write_policy_names,
      .otherwise = {"through", "as compute capability 7.0 and later"}}},
    {"l1.local_write",
     "kind",
     &CardNumbers::l1_local_write,
     "when the L2 gets what is stored to local memory: at once, or when its line goes",
     {.words = local_write_names,
      .used_if = {&kEarly},
      .otherwise = {"through", "as compute capability 7.0 and later"}}},
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
    {"l1.misses",
     "lines",
     &CardNumbers::l1_misses,
     "lines that an SM's loads have missed and wait for at most (MSHRs), where time is kept; 0: "
     "any "
     "number",
     {.zero = true, .most = 1024, .otherwise = {"0", "no limit is known"}}},
    {"l1.read_entries",
     "lines",
     &CardNumbers::l1_read_entries,
     "lines of misses that wait to leave an SM; further misses on them join",
     {.used_if = {&kSectors}}},
    {"l1.read_cycles",
     "cycles",
     &CardNumbers::l1_read_cycles,
     "that a line of misses waits after the latest miss on it",
     {.zero = true, .used_if = {&kSectors}}},
    {"l1.store_entries",
     "lines",
     &CardNumbers::l1_store_entries,
     "lines of stores that wait to leave an SM; further stores to them join",
     {.most = StoreQueue::kMost, .used_if = {&kSectors}}},
    {"l1.store_cycles",
     "cycles",
     &CardNumbers::l1_store_cycles,
     "that a line of stores waits after its data has passed the data stage",
     {.zero = true, .used_if = {&kSectors}}},
};
// clang-format on

}  // namespace

std::span<const CardField> l1_fields() { return kRows; }

}  // namespace warpmem::model
