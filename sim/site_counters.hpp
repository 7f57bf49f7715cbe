// What each static instruction, or each of some groups of CTAs, counts: a memory system that passes
// each access on and adds what the counters went up by to its site's. Nothing is copied: a site's
// counters lose what all counted before the access and gain what all counted behind it.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "model/dram/partition_traffic.hpp"
#include "model/system/memory_system.hpp"

namespace warpmem::sim {

class SiteCounters final : public model::MemorySystem {
 public:
  // `memory` must outlive it.
  SiteCounters(model::MemorySystem& memory, std::size_t sites)
      : memory_(memory), by_site_(sites), cycles_(sites) {}

  // By CTA: the slot that its accesses go into, of `slots`; slot 0 for CTAs beyond the list.
  SiteCounters(model::MemorySystem& memory, std::vector<std::uint8_t> slot_of, std::size_t slots)
      : memory_(memory),
        by_cta_(true),
        slot_of_(std::move(slot_of)),
        by_site_(slots),
        cycles_(slots) {}

  void begin_launch(const model::LaunchMemory& launch) override { memory_.begin_launch(launch); }
  void run(const model::WarpLanes& lanes, const model::AccessPlan& plan,
           model::AccessTiming& timing) override {
    begins(timing);
    memory_.run(lanes, plan, timing);
    ends(timing);
    if (banks_) count_banks(lanes, plan, timing);
  }
  void texture(const model::TextureAccess& access, const model::AccessPlan& plan,
               model::AccessTiming& timing) override {
    begins(timing);
    memory_.texture(access, plan, timing);
    ends(timing);
  }
  void starts_warps(int sm, std::uint64_t cycle, std::uint32_t warps) override {
    memory_.starts_warps(sm, cycle, warps);
  }
  model::LaunchCounters finish_launch() override { return memory_.finish_launch(); }
  model::LaunchCounters counted() const override { return memory_.counted(); }
  model::LaunchCounters& counters() override { return memory_.counters(); }
  const model::L2Counters& l2_counters() const override { return memory_.l2_counters(); }
  model::MemoryPath* path() override { return memory_.path(); }
  const model::PartitionTraffic* dram_traffic() const override { return memory_.dram_traffic(); }

  // From now on the words that each bank of shared memory gives or takes are kept, over time.
  void watch_banks(std::uint32_t banks, std::uint32_t bytes) {
    banks_.emplace(banks), bank_bytes_ = bytes;
  }
  const std::optional<model::PartitionTraffic>& banks() const { return banks_; }

  const std::vector<model::LaunchCounters>& by_site() const { return by_site_; }
  // From the start of each access until its result, or what it writes, is there.
  const std::vector<std::uint64_t>& cycles() const { return cycles_; }

 private:
  void begins(const model::AccessTiming& timing);
  std::size_t slot(const model::AccessTiming& timing) const {
    if (!by_cta_) return timing.site;
    return timing.cta < slot_of_.size() ? slot_of_[timing.cta] : std::size_t{0};
  }
  void ends(const model::AccessTiming& timing);
  void count_banks(const model::WarpLanes& lanes, const model::AccessPlan& plan,
                   const model::AccessTiming& timing);

  model::MemorySystem& memory_;
  bool by_cta_ = false;
  std::vector<std::uint8_t> slot_of_;  // by CTA
  std::vector<model::LaunchCounters> by_site_;
  std::vector<std::uint64_t> cycles_;
  std::optional<model::PartitionTraffic> banks_;  // nothing: nobody asks
  std::uint32_t bank_bytes_ = 4;
  std::vector<std::uint64_t> words_;  // of an access
};

}  // namespace warpmem::sim
