// A memory system that a listener listens to: passes each access on, and says what it was, what it
// counted and what the components did (events.hpp).
#pragma once

#include "model/sink/events.hpp"
#include "model/system/memory_system.hpp"

namespace warpmem::model {

class ObservedMemory final : public MemorySystem {
 public:
  // Both must outlive it. `memory` counts nothing of its own meanwhile.
  ObservedMemory(MemorySystem& memory, EventListener& listener);

  void begin_launch(const LaunchMemory& launch) override;
  void run(const WarpLanes& lanes, const AccessPlan& plan, AccessTiming& timing) override;
  void texture(const TextureAccess& access, const AccessPlan& plan, AccessTiming& timing) override;
  void starts_warps(int sm, std::uint64_t cycle, std::uint32_t warps) override;
  void constants(const WarpLanes& lanes, const AccessPlan& plan) override {
    memory_.constants(lanes, plan);
  }
  const PartitionTraffic* dram_traffic() const override { return memory_.dram_traffic(); }
  LaunchCounters finish_launch() override;
  LaunchCounters counted() const override { return memory_.counted(); }
  const L2Counters& l2_counters() const override { return memory_.l2_counters(); }
  LaunchCounters& counters() override { return memory_.counters(); }
  MemoryPath* path() override { return memory_.path(); }

 private:
  template <class Do>
  void observe(std::uint64_t address, AccessTiming& timing, Do&& access);

  MemorySystem& memory_;
  EventListener& listener_;
};

}  // namespace warpmem::model
