// Shared memory: its sizes, and what copies take of its banks' time.
#include "model/card/fields/groups.hpp"
#include "model/shared/rule/shared_rule.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"shared.per_cta", "bytes", &CardNumbers::shared_per_cta,
     "most shared memory a CTA may ask for"},
    {"shared.reserved",
     "bytes",
     &CardNumbers::shared_reserved,
     "the driver's own share of each CTA's",
     {.zero = true}},
    {"shared.unit", "bytes", &CardNumbers::shared_unit, "shared memory comes in multiples of this"},
    {"shared.generous",
     "bytes",
     &CardNumbers::shared_generous,
     "largest configuration the driver picks beyond need",
     {.zero = true}},
    {"shared.default",
     "bytes",
     &CardNumbers::shared_default,
     "configuration that a kernel gets if it needs no more and asks for none; 0: by its need",
     {.zero = true, .otherwise = {"0", "as compute capability 7.0 and later"}}},
    {"shared.warp_start", "millicycles", &CardNumbers::shared_warp_start,
     "of the banks' way to the registers, which shared loads use: a warp that starts"},
    {"shared.bulk_read",
     "millicycles",
     &CardNumbers::shared_bulk_read,
     "… a sector that a bulk copy stores",
     {.used_if = {&kBulkCopies}}},
    {"shared.bulk_write",
     "millicycles",
     &CardNumbers::shared_bulk_write,
     "of the way into the banks, which shared stores use: a sector that a bulk copy loads",
     {.used_if = {&kBulkCopies}}},
    {"shared.async_write",
     "millicycles",
     &CardNumbers::shared_async_write,
     "… a sector of an asynchronous copy past the L1",
     {.used_if = {&kAsyncCopies}}},
    {"shared.rule",
     "kind",
     &CardNumbers::shared_rule,
     "which lanes of an access to shared memory are served together",
     {.words = shared_rule_names,
      .otherwise = {"multicast", "as compute capability 5.0 and later"}}},
    {"shared.banks",
     "banks",
     &CardNumbers::shared_banks,
     "banks of shared memory, and of the L1's data",
     {.most = 64, .otherwise = {"32", "as all GPUs since compute capability 2.0"}}},
    {"shared.bank_bytes",
     "bytes",
     &CardNumbers::shared_bank_bytes,
     "that a bank gives in a pass",
     {.most = 8, .otherwise = {"4", "as all GPUs since compute capability 5.0"}}},
    {"shared.configs", "bytes", &CardNumbers::shared_configs,
     "selectable shared-memory configurations"},
};
// clang-format on

}  // namespace

std::span<const CardField> shared_fields() { return kRows; }

}  // namespace warpmem::model
