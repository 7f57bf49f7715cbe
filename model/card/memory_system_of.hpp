// A card's memory system.
#pragma once

#include <memory>

#include "model/system/memory_system.hpp"

namespace warpmem::model {

class Card;

// `timed`: accesses wait for each other in flight; otherwise they take unloaded latencies.
// `general`: GeneralMemory also where SectoredMemory could take its place; no result depends on it.
// `flat`: loads take as long whatever they hit (flat_memory.hpp), by a GeneralMemory where there is
// a choice, whose caches notify a listener; without time.
std::unique_ptr<MemorySystem> memory_system_of(const Card& card, bool timed, bool general = false,
                                               bool flat = false);

}  // namespace warpmem::model
