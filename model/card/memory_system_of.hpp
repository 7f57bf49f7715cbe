// A card's memory system.
#pragma once

#include <memory>

#include "model/system/memory_system.hpp"

namespace warpmem::model {

class Card;

// `timed`: accesses wait for each other on their way; otherwise they take unloaded latencies.
// `general`: GeneralMemory also where SectoredMemory could take its place; no result depends on it.
// `flat`: by a GeneralMemory whose answers take the same time whatever hits (not before compute
// capability 7.0, and without time).
std::unique_ptr<MemorySystem> memory_system_of(const Card& card, bool timed, bool general = false,
                                               bool flat = false);

}  // namespace warpmem::model
