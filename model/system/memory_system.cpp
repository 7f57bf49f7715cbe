#include "model/system/memory_system.hpp"

#include "model/card/card.hpp"
#include "model/system/sectored_memory.hpp"

namespace warpmem::model {

std::unique_ptr<MemorySystem> memory_system_of(const Card& card, bool timed) {
  return std::make_unique<SectoredMemory>(card, timed);
}

}  // namespace warpmem::model
