// The load/store unit of an SM, and what waits in front of it.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"lsu.queue",
     "kind",
     &CardNumbers::lsu_queue,
     "where accesses wait for the unit: in a queue of each scheduler, or in their warps",
     {.words = lsu_queue_names, .otherwise = {"by_scheduler", "as an H200"}}},
    {"lsu.cycles",
     "cycles",
     &CardNumbers::lsu_cycles,
     "that a wavefront (before 7.0: a transaction) keeps the unit",
     {.otherwise = {"1", "as an H200"}}},
    {"lsu.return_bytes",
     "bytes",
     &CardNumbers::lsu_return_bytes,
     "that an SM's registers get of the L1 in a cycle",
     {.otherwise = {"128", "as an H200"}}},
};
// clang-format on

}  // namespace

const std::vector<std::string>& lsu_queue_names() {
  static const std::vector<std::string> kNames = {"by_scheduler", "none"};
  return kNames;
}

std::span<const CardField> lsu_fields() { return kRows; }

}  // namespace warpmem::model
