// Which SM is where, and the order in which SMs get CTAs.
#include "model/card/fields/groups.hpp"

namespace warpmem::model {
namespace {

// clang-format off: a row a number
constexpr CardField kRows[] = {
    {"topology.sm_side",
     "side by SM",
     &CardNumbers::sm_side,
     "which side of the L2 each SM is on",
     {.used_if = {&kTwoSides}}},
    {"topology.cpc_tpcs",
     "TPCs",
     &CardNumbers::cpc_tpcs,
     "TPCs of a CPC; a GPC starts CTAs on its CPCs by turns",
     {.used_if = {&kClusters}}},
    {"topology.tpc_sms", "SMs", &CardNumbers::tpc_sms,
     "SMs of a TPC, numbered one after the other"},
    {"topology.sm_gpc", "GPC by SM", &CardNumbers::sm_gpc, "which GPC each SM is in"},
    {"topology.lone_sms",
     "SMs",
     &CardNumbers::lone_sms,
     "SMs that take part in no cluster of more than two CTAs",
     {.used_if = {&kClusters}, .otherwise = {"", "every SM takes part in clusters"}}},
    {"topology.cta_order", "SMs", &CardNumbers::cta_order, "order in which SMs get their CTAs"},
    {"topology.cta_turns", "SMs", &CardNumbers::cta_turns,
     "how many SMs of cta_order get a CTA each in one turn"},
    {"topology.cta_small_groups",
     "turns",
     &CardNumbers::cta_small_groups,
     "turns at the front that come round more often",
     {.zero = true}},
    {"topology.cta_small_first",
     "turns",
     &CardNumbers::cta_small_first,
     "other turns before they come round first",
     {.used_if = {&kSmallGroups}}},
    {"topology.cta_small_every",
     "turns",
     &CardNumbers::cta_small_every,
     "other turns before each later time",
     {.used_if = {&kSmallGroups}}},
};
// clang-format on

}  // namespace

std::span<const CardField> topology_fields() { return kRows; }

}  // namespace warpmem::model
