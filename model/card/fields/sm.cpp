// An SM: what is resident on it, and its clock.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"sm.count", "SMs", &CardNumbers::sm_count, "streaming multiprocessors", {.most = 4096}},
    {"sm.warps", "warps", &CardNumbers::sm_warps, "resident warps an SM", {.most = 64}},
    {"sm.ctas", "CTAs", &CardNumbers::sm_ctas, "resident CTAs an SM"},
    {"sm.threads", "threads", &CardNumbers::sm_threads, "resident threads an SM"},
    {"sm.registers", "registers", &CardNumbers::sm_registers, "32-bit registers an SM"},
    {"sm.register_unit", "registers", &CardNumbers::register_unit,
     "a warp's registers come in multiples of this"},
    {"sm.schedulers",
     "schedulers",
     &CardNumbers::sm_schedulers,
     "warp schedulers an SM, which share out its warps and registers: 1, 2 or 4",
     {.most = 4}},
    {"sm.issue_cycles", "cycles", &CardNumbers::sm_issue_cycles,
     "from one instruction of a warp to its next, where the counts engine has no better"},
    {"sm.issue_interval",
     "cycles",
     &CardNumbers::sm_issue_interval,
     "between two instructions that a scheduler issues",
     {.otherwise = {"1", "as an H200"}}},
    {"sm.clock_mhz", "MHz", &CardNumbers::clock_mhz,
     "SM clock, which turns times of the DRAM's type into cycles"},
};
// clang-format on

}  // namespace

std::span<const CardField> sm_fields() { return kRows; }

}  // namespace warpmem::model
