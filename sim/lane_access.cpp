#include "sim/lane_access.hpp"

#include <algorithm>

#include "model/card/spec_of.hpp"

namespace warpmem::sim {
namespace {

bool is_local(const AccessPlan& plan) {
  return plan.action == Action::kLocalLoad || plan.action == Action::kLocalStore;
}

bool is_atomic(const AccessPlan& plan) {
  if (plan.action == Action::kGlobalAtomic) return true;
  return plan.action == Action::kShared && model::takes_turns(plan.shared);
}

}  // namespace

model::AccessRules access_rules_of(const model::Card& card) {
  return model::AccessRules(model::spec_of<model::SystemSpec>(card));
}

LaneAccess lane_access(const model::WarpAccess& access, const AccessPlan& plan,
                       const model::AccessRules& rules, const model::CardNumbers& n) {
  model::WarpAccess a = access;
  if (is_local(plan)) a.bytes = std::min(4u, a.bytes);
  const model::AccessDivision d = rules.divide(a, plan);
  LaneAccess out;
  out.mask = a.mask, out.address = a.address, out.bytes = a.bytes;
  if (is_local(plan)) out.address = model::local_words(a, 0).address;
  out.shared = plan.action == Action::kShared || plan.action == Action::kAsyncWrite;
  out.atomic = is_atomic(plan);
  out.line_bytes = static_cast<std::uint32_t>(n.line_bytes);
  for (const model::AccessDivision::Piece& p : d.pieces)
    out.moved.push_back({p.address, p.bytes, p.times});
  out.sectors = d.sectors, out.ideal_sectors = d.ideal_sectors;
  out.banks = static_cast<std::uint32_t>(n.shared_banks);
  out.bank_bytes = static_cast<std::uint32_t>(n.shared_bank_bytes);
  const bool wide = static_cast<model::SharedRule>(n.shared_rule) == model::SharedRule::kWideBanks;
  out.rows_together = wide && out.bank_bytes < 8 ? 8 / out.bank_bytes : 1;
  out.passes = d.wavefronts, out.ideal_passes = d.ideal_wavefronts;
  out.together = d.meeting.together, out.bank = d.meeting.bank;
  out.waiting = d.meeting.lanes;
  return out;
}

}  // namespace warpmem::sim
