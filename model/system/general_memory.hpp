// A memory system of any card: every component takes its rule and its numbers from a MemorySpec.
//
// Does one access after the other, with no thought to speed. SectoredMemory does the same,
// faster, for the choices of components that it knows; tests hold the two against each other.
// Split by what an access is, as that: general_global.cpp, general_shared.cpp, general_other.cpp.
#pragma once

#include <memory>
#include <vector>

#include "model/cache/store_queue.hpp"
#include "model/general/partitioned_l2.hpp"
#include "model/general/sector_cache.hpp"
#include "model/general/touched_lines.hpp"
#include "model/local/local_memory.hpp"
#include "model/shared/bank_rule.hpp"
#include "model/shared/data_ports.hpp"
#include "model/system/access_by_access.hpp"
#include "model/system/local_line.hpp"
#include "model/system/spec.hpp"

namespace warpmem::model {

class GeneralMemory final : public AccessByAccess {
 public:
  // `flat`: an answer from beyond the L1 takes the same time whatever was found there, so that the
  // order of accesses does not depend on hits. Without time only.
  // `path`: where time is kept; else nullptr.
  GeneralMemory(const SystemSpec& spec, std::unique_ptr<MemoryPath> path, bool flat = false);
  void begin_launch(const LaunchMemory& launch) override;
  void texture(const TextureAccess& access, const AccessPlan& plan, AccessTiming& timing) override;
  void starts_warps(int sm, std::uint64_t cycle, std::uint32_t warps) override;
  LaunchCounters finish_launch() override;
  LaunchCounters counted() const override;
  const L2Counters& l2_counters() const override { return l2_.counters; }
  void tell(EventListener* listener) override;
  void tell_caches(CacheListener* listener) override;
  const PartitionTraffic* dram_traffic() const override { return &l2_.traffic(); }

 private:
  void access(const WarpLanes&, const AccessPlan&, AccessTiming&) override;
  void empty_local(AccessTiming& t) override { l1(t).invalidate(kLocalLine); }
  void global_load(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void load_through_l1(const AccessPlan&, AccessTiming&);
  void copy_past_l1(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void global_store(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void global_atomic(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void local_access(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void shared_access(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void async_write(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void remote_access(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void product_read(const AccessPlan&);
  void bulk(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void bulk_reduce(const LineTouch&, AccessTiming&);
  void prefetch_l2(const WarpLanes&, const AccessPlan&, AccessTiming&);

  // From the L2 or the host at cycle `at`: when it is back.
  std::uint64_t read(AccessTiming&, std::uint64_t at, std::uint64_t line, std::uint8_t sectors,
                     std::uint32_t fetch_sectors, Stay own = Stay::kUnsaid, bool apart = false);
  // Through the queue of stores; `tags`, `data`: cycles in which the line passes the L1's stages.
  void write(AccessTiming&, const LineTouch&, std::uint64_t tags, std::uint64_t data);
  void send(AccessTiming&, const LineTouch&, std::uint8_t again, bool opens, std::uint64_t at);
  std::uint32_t tag_passes(const std::vector<LineTouch>& lines) const;
  Stay stay(std::uint64_t line, Stay own) const;
  SectorCache& l1(const AccessTiming& t) { return l1_[static_cast<std::size_t>(t.sm)]; }
  DataPorts& ports(const AccessTiming& t) { return ports_[static_cast<std::size_t>(t.sm)]; }

  SmSpec sm_;
  LaunchSpec launch_;
  MemorySpec spec_;
  Banks banks_;
  PartitionedL2 l2_;
  std::vector<SectorCache> l1_;     // by SM
  std::vector<StoreQueue> stores_;  // by SM
  std::vector<DataPorts> ports_;    // by SM, where time is kept
  PolicyWindow window_;
  bool plain_ = true;  // neither of the two
  LocalMemory local_;
  std::uint64_t product_bytes_ = 0;  // that warps read for products, not counted yet
  TouchedLines touched_;             // of the access at hand
  TextureTraffic texels_;
};

}  // namespace warpmem::model
