#include "sim/time/larger_l1.hpp"

#include <algorithm>

#include "model/cache/spec.hpp"
#include "model/card/spec_of.hpp"
namespace warpmem::sim {

LargerL1::LargerL1(const model::Card& card, std::uint64_t shared_config)
    : LargerL1(model::spec_of<model::L1Spec>(card), card.numbers(), shared_config) {}

LargerL1::LargerL1(const model::L1Spec& l1, const model::CardNumbers& n,
                   std::uint64_t shared_config)
    : line_bytes_(l1.line_bytes),
      lines_(l1.lines(shared_config)),
      most_(l1.lines(n.shared_configs.front())) {
  if (!asks()) return;
  model::L1CacheSpec spec = l1.cache(shared_config);
  spec.lines = most_;
  l1_.reserve(n.sm_count);
  while (l1_.size() < n.sm_count) l1_.emplace_back(spec);
}

void LargerL1::access(const AccessPlan& plan, int sm, const model::SectoredLines::Lines& lines,
                      std::uint32_t missed) {
  model::L1Cache& l1 = l1_[static_cast<std::size_t>(sm)];
  if (plan.invalidates_before) l1.invalidate();
  switch (plan.action) {
    case Action::kGlobalLoad:
      if (!plan.bypass_l1) load(l1, !plan.no_allocate, lines, missed);
      break;
    case Action::kGlobalStore:
      for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i)
        l1.store(lines.line[i], lines.sectors[i], lines.full[i], lines.bytes[i].data());
      break;
    case Action::kGlobalAtomic:
    case Action::kAsyncRead:
    case Action::kBulkWrite:
    case Action::kBulkReduce:
    case Action::kSurfaceStore: l1.invalidate(); break;
    default: break;
  }
  if (plan.invalidates_after) l1.invalidate();
}

void LargerL1::load(model::L1Cache& l1, bool allocate, const model::SectoredLines::Lines& lines,
                    std::uint32_t missed) {
  std::uint32_t lacks = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i)
    if (l1.load(lines.line[i], lines.sectors[i], allocate)) ++lacks;
  missed_ += missed;
  had_ += missed - std::min(missed, lacks);
}

}  // namespace warpmem::sim
