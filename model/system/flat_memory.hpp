// A memory system whose loads all take as long, whatever they hit: so that a warp's turn, and with
// it the order of accesses, is the same in front of caches of any size. Passes each access on.
#pragma once

#include <memory>
#include <utility>

#include "model/system/memory_system.hpp"

namespace warpmem::model {

class FlatMemory final : public MemorySystem {
 public:
  // `latency`: cycles that a load takes behind the L1's passes. `memory` keeps no time.
  FlatMemory(std::unique_ptr<MemorySystem> memory, std::uint64_t latency)
      : memory_(std::move(memory)), latency_(latency) {}

  void begin_launch(const LaunchMemory& launch) override { memory_->begin_launch(launch); }
  void run(const WarpLanes& lanes, const AccessPlan& plan, AccessTiming& timing) override {
    memory_->run(lanes, plan, timing);
    if (timing.done > timing.now) timing.done = timing.now + timing.passes + latency_;
  }
  void texture(const TextureAccess& access, const AccessPlan& plan, AccessTiming& timing) override {
    memory_->texture(access, plan, timing);
  }
  void starts_warps(int sm, std::uint64_t cycle, std::uint32_t warps) override {
    memory_->starts_warps(sm, cycle, warps);
  }
  void constants(const WarpLanes& lanes, const AccessPlan& plan) override {
    memory_->constants(lanes, plan);
  }
  LaunchCounters finish_launch() override { return memory_->finish_launch(); }
  LaunchCounters counted() const override { return memory_->counted(); }
  const L2Counters& l2_counters() const override { return memory_->l2_counters(); }
  LaunchCounters& counters() override { return memory_->counters(); }
  const PartitionTraffic* dram_traffic() const override { return memory_->dram_traffic(); }
  void listen(EventListener* listener) override { memory_->listen(listener); }
  void listen_to_caches(CacheListener* listener) override { memory_->listen_to_caches(listener); }

 private:
  std::unique_ptr<MemorySystem> memory_;
  std::uint64_t latency_;
};

}  // namespace warpmem::model
