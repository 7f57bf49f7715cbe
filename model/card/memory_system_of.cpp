#include "model/card/memory_system_of.hpp"

#include "model/access/rule/access_rule.hpp"
#include "model/card/card.hpp"
#include "model/card/spec_of.hpp"
#include "model/shared/rule/shared_rule.hpp"
#include "model/system/any_shape.hpp"
#include "model/system/flat_memory.hpp"

namespace warpmem::model {
namespace {

// Whether the card has the choices of components that SectoredMemory is made for.
bool is_sectored(const CardNumbers& n, const L1Spec& l1) {
  if (static_cast<AccessRule>(n.access_rule) != AccessRule::kSectors) return false;
  const std::uint64_t l2_sets = n.l2_bytes / n.l2_sides / n.line_bytes / n.l2_ways;
  return static_cast<SharedRule>(n.shared_rule) == SharedRule::kMulticast && n.shared_banks == 32 &&
         n.shared_bank_bytes == 4 && n.l1_cache == 0 && n.l1_allocate == 0 && n.l1_write == 0 &&
         n.texture_bytes == 0 && n.l2_sides <= 2 &&
         static_cast<Replacement>(n.l2_replacement) == Replacement::kLru &&
         L1Cache::takes(l1.ways, l1.index.sets(), l1.index.rule(), l1.replacement) &&
         L2Side::takes(l2_sets, n.l2_ways, static_cast<SetRule>(n.l2_index));
}

// `flat`: what lies beyond the L1 answers after the same time, whatever was found there.
std::unique_ptr<MemorySystem> memory_for(const Card& card, bool timed, bool general, bool flat) {
  const auto spec = spec_of<SystemSpec>(card);
  if (flat || general || !is_sectored(card.numbers(), spec.memory.l1))
    return std::make_unique<GeneralMemory>(spec, timed, flat);
  return std::make_unique<SectoredMemory>(spec, timed);
}

}  // namespace

std::unique_ptr<MemorySystem> memory_system_of(const Card& card, bool timed, bool general,
                                               bool flat) {
  if (flat)
    return std::make_unique<FlatMemory>(memory_for(card, timed, true, true),
                                        card.numbers().latency_l1);
  return memory_for(card, timed, general, false);
}

}  // namespace warpmem::model
