// The memory system of one GPU: what the SMs' load/store units are in front of. The engines drive
// it with accesses, one warp's at a time, and it counts; where time is kept, it also says when each
// is done.
//
// Put together from a card (card/memory_system_of.hpp). Which class stands behind it is the card's
// choice of components: SectoredMemory for lines of four sectors as GPUs since compute
// capability 7.0 have them, GeneralMemory for other sizes, policies and access rules.
#pragma once

#include <cstdint>
#include <memory>

#include "model/access/access_plan.hpp"
#include "model/access/access_timing.hpp"
#include "model/access/warp_lanes.hpp"
#include "model/counters/launch_counters.hpp"
#include "model/interconnect/memory_path.hpp"
#include "model/system/launch_memory.hpp"
#include "model/texture/texture.hpp"

namespace warpmem::model {

class CacheListener;
class EventListener;
class LineLister;
class MemorySystem;
class PartitionTraffic;
class SectoredMemory;

// Who is notify which class a memory system is of, to have code that is made for it.
class MemoryVisitor {
 public:
  virtual void visit(SectoredMemory& memory) = 0;
  virtual void visit(MemorySystem& memory) = 0;  // any other

 protected:
  ~MemoryVisitor() = default;
};

class MemorySystem {
 public:
  virtual ~MemorySystem() = default;

  // Before a launch: L1s are empty and as large as the configuration leaves them.
  virtual void begin_launch(const LaunchMemory& launch) = 0;
  virtual void run(const WarpLanes& lanes, const AccessPlan& plan, AccessTiming& timing) = 0;
  // A texture fetch or surface access, all records of it.
  virtual void texture(const TextureAccess& access, const AccessPlan& plan,
                       AccessTiming& timing) = 0;
  // So many warps start on an SM, from this cycle on (where time is kept).
  virtual void starts_warps(int sm, std::uint64_t cycle, std::uint32_t warps) = 0;
  // A warp's constants, where the engine has a cache of them of its own.
  virtual void constants(const WarpLanes&, const AccessPlan&) {}
  // What the launch counted.
  virtual LaunchCounters finish_launch() = 0;

  // What the launch counted so far.
  virtual LaunchCounters counted() const = 0;
  // … beyond the L1s; the same numbers without a copy.
  virtual const L2Counters& l2_counters() const = 0;
  // Records that are no access count by themselves. What the L2 counted is not in it.
  virtual LaunchCounters& counters() = 0;
  // The path to the L2 and to DRAM, where time is kept; else nullptr.
  virtual MemoryPath* path() { return path_.get(); }
  // What DRAM's channels moved in the launch, where somebody keeps it; else nullptr.
  virtual const PartitionTraffic* dram_traffic() const { return nullptr; }
  // Who listens to what its components do from now on, if it notifies at all (events.hpp).
  virtual void listen(EventListener*) {}
  // Who listens to every use of its caches from now on (sink/cache_listener.hpp): GeneralMemory
  // alone notifies.
  virtual void listen_to_caches(CacheListener*) {}
  // What lists the lines of accesses ahead of their turn, if it can; else nullptr.
  virtual LineLister* line_lister() { return nullptr; }
  virtual void accept(MemoryVisitor& visitor) { visitor.visit(*this); }

 protected:
  MemorySystem() = default;
  MemorySystem(const MemorySystem&) = delete;
  MemorySystem& operator=(const MemorySystem&) = delete;

  std::unique_ptr<MemoryPath> path_;
};

}  // namespace warpmem::model
