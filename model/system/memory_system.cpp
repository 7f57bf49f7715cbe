#include "model/system/memory_system.hpp"

#include "model/card/card.hpp"
#include "model/general/memory_spec.hpp"
#include "model/system/general_memory.hpp"
#include "model/system/sectored_memory.hpp"

namespace warpmem::model {
namespace {

// Whether the card has the choices of components that SectoredMemory is made for.
bool is_sectored(const CardNumbers& n) {
  return n.line_bytes == kLineBytes && n.shared_banks == 32 && n.shared_bank_bytes == 4 &&
         n.l1_cache == 0 && n.l1_ways == 4 &&
         static_cast<SetRule>(n.l1_index) == SetRule::kXorMatrix &&
         static_cast<Replacement>(n.l1_replacement) == Replacement::kAfterHits &&
         static_cast<SetRule>(n.l2_index) == SetRule::kMixedRows;
}

}  // namespace

std::unique_ptr<MemorySystem> memory_system_of(const Card& card, bool timed, bool general) {
  if (general || !is_sectored(card.numbers())) return std::make_unique<GeneralMemory>(card, timed);
  return std::make_unique<SectoredMemory>(card, timed);
}

}  // namespace warpmem::model
