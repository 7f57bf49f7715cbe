// What both engines are given: a launch of a trace, and the GPU that replays it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "isa/decoded_program.hpp"
#include "model/card/card.hpp"
#include "model/system/memory_system.hpp"
#include "sim/engine/block_cache.hpp"
#include "sim/engine/occupancy.hpp"
#include "sim/engine/sites.hpp"
#include "sim/spills/spills.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

// Who is notified of the records done now and then; false stops.
using Tick = std::function<bool(std::uint64_t)>;

// All of it must outlive the engine that is given it.
struct LaunchRun {
  const trace::TraceReader& reader;
  std::uint32_t index = 0;  // of the launch
  const model::Card& card;
  model::MemorySystem& memory;
  BlockCache& cache;
  Occupancy occupancy;
  Spills* spills = nullptr;  // accesses that the launch's trace lacks; nullptr: none

  const trace::Launch& launch() const { return reader.launches()[index].launch; }
  std::span<const trace::Site> sites() const { return sites_of(reader, index, spills); }
  std::shared_ptr<const trace::DecodedProgram> code() const {
    return reader.code(launch().program);
  }
  // What is done at each site, as the records come changed.
  std::vector<AccessPlan> plans() const {
    std::vector<AccessPlan> out = plan_sites(card, sites(), *code());
    if (cache.rewrite()) cache.rewrite()->apply(out);
    return out;
  }
  Error interrupted() const {
    return {ErrorKind::kInterrupted, "replay was interrupted", reader.path(), ""};
  }
};

}  // namespace warpmem::sim
