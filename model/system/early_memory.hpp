// The memory system of a GPU before compute capability 7.0, put together from a card: an access
// rule (access/rule/), an optional L1 and texture cache an SM, rules for shared memory and
// constants, and partitions of memory with an L2 or with none (early/memory_side.hpp).
//
// Models: transactions by the card's rule; loads through the L1 or past it by the card, the
// operator (.ca, .cg) and the kind (read-only loads from 3.5 on); stores that go through, and leave
// their line or not; local memory; texture fetches. Fills LaunchCounters::early, and of the other
// counters those that have a meaning.
// Leaves out: what these GPUs cannot do (asynchronous copies are taken as a load and a store;
// clusters and bulk copies are refused before); limits to misses under way.
//
// Split by what an access is: early_global.cpp, early_other.cpp.
#pragma once

#include <memory>
#include <vector>

#include "model/early/early_spec.hpp"
#include "model/early/line_cache.hpp"
#include "model/early/memory_side.hpp"
#include "model/local/local_memory.hpp"
#include "model/sink/telling.hpp"
#include "model/system/local_line.hpp"
#include "model/system/memory_system.hpp"

namespace warpmem::model {

class EarlyMemory final : public MemorySystem {
 public:
  // `path`: where time is kept; else nullptr.
  EarlyMemory(const EarlySpec& spec, std::unique_ptr<MemoryPath> path);
  void begin_launch(const LaunchMemory& launch) override;
  void run(const WarpLanes& lanes, const AccessPlan& plan, AccessTiming& timing) override;
  void texture(const TextureAccess& access, const AccessPlan& plan, AccessTiming& timing) override;
  void starts_warps(int, std::uint64_t, std::uint32_t) override {}
  void constants(const WarpLanes& lanes, const AccessPlan& plan) override;
  LaunchCounters finish_launch() override;
  LaunchCounters counted() const override;
  LaunchCounters& counters() override { return sink_.counters; }
  const L2Counters& l2_counters() const override { return memory_.sink.counters; }
  void tell(EventListener* listener) override;
  const PartitionTraffic* dram_traffic() const override { return &memory_.traffic(); }

 private:
  // What the L1 does with global loads of a kind.
  struct LoadPath {
    LineCache* cache = nullptr;  // that it goes through
    bool is_l1 = false;
  };
  void access(const WarpLanes&, const AccessPlan&, AccessTiming&);
  bool in_host_memory(std::uint64_t line) const;
  LoadPath path_of(const AccessPlan&, const AccessTiming&);
  void global_load(const WarpAccess&, const AccessPlan&, AccessTiming&);
  void load_through(LoadPath, AccessTiming&);
  void load_past(AccessTiming&);
  void global_store(const WarpAccess&, const AccessPlan&, AccessTiming&);
  void store_line(const LineTouch& written, std::uint8_t moved, std::uint64_t at, AccessTiming&);
  void global_atomic(const WarpAccess&, const AccessPlan&, AccessTiming&);
  void local_access(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void local_word(const WarpAccess& word, bool stores, bool cached, AccessTiming&);
  void local_line(const LineTouch&, bool stores, AccessTiming&);
  void shared_access(const WarpAccess&, const AccessPlan&, AccessTiming&);

  void count_stores(const WarpAccess&);
  void count_loads(bool is_l1, const AccessPlan&, const WarpAccess&);
  // The sectors of a line that a transaction moves.
  std::uint8_t sectors_of(const Transaction& t) const {
    const auto first = static_cast<unsigned>(t.address % spec_.line_bytes / kSectorBytes);
    return static_cast<std::uint8_t>(((1u << t.bytes / kSectorBytes) - 1) << first);
  }
  std::uint64_t line_of(const Transaction& t) const { return t.address / spec_.line_bytes; }

  std::uint64_t read(AccessTiming&, std::uint64_t at, std::uint64_t line, std::uint8_t sectors,
                     bool texture = false);
  void write(AccessTiming&, const LineTouch&, std::uint8_t moved, std::uint64_t at);
  void write_pushed(LineCache&, AccessTiming&);
  LineCache& l1(const AccessTiming& t) { return l1_[static_cast<std::size_t>(t.sm)]; }

  EarlySpec spec_;
  Telling sink_;
  MemorySide memory_;
  LineCache& textures(int sm) {
    return textures_[static_cast<std::size_t>(sm) / spec_.texture_sms];
  }
  std::vector<LineCache> l1_, textures_;  // by SM, and by so many SMs as share one
  LocalMemory local_;
  std::vector<Transaction> moves_;  // of the access at hand
  LineList touched_;
  std::vector<AddressRange> host_;  // of this launch, ascending
  TextureTraffic texels_;
};

}  // namespace warpmem::model
