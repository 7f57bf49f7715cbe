// A memory system of 128-byte lines of four 32-byte sectors, as GPUs since compute capability 7.0
// have it: an L1 a SM with shared memory beside it, one L2 in one or two partitions, DRAM.
//
// Split by what an access is: sectored_global.cpp (loads, stores, atomics and asynchronous copies),
// sectored_local.cpp, sectored_shared.cpp (shared memory, of this SM and of others),
// sectored_bulk.cpp, sectored_texture.cpp; sectored_beyond.hpp is how they all go on to the L2.
#pragma once

#include <memory>
#include <memory_resource>
#include <vector>

#include "base/large_pages.hpp"
#include "model/access/access.hpp"
#include "model/cache/l1_cache.hpp"
#include "model/cache/store_queue.hpp"
#include "model/l2/l2_cache.hpp"
#include "model/l2/l2_requests.hpp"
#include "model/local/local_memory.hpp"
#include "model/shared/data_ports.hpp"
#include "model/system/memory_system.hpp"
#include "model/system/spec.hpp"
#include "model/texture/texture.hpp"

namespace warpmem::model {

// Lists of lines, which are the same whatever L2 is behind the L1s.
struct SectoredLines {
  // The lines of a global access, and where the caches have them.
  struct Lines : L2Cache::Routed {
    L1Cache::Seats l1;
    std::unique_ptr<MemoryPath::Seats> way;  // of loads, where time is kept
  };

  // Lines of accesses of whole sectors of one line each, of any SMs, and where the caches have
  // them (one_line.hpp).
  struct OneLines {
    L2Cache::Routed l2;
    std::array<std::uint32_t, LineList::kMost> l1_set;
  };
  // One of them.
  struct OneLine {
    const OneLines& of;
    std::size_t at;
    std::uint8_t sectors;

    std::uint64_t line() const { return of.l2.line[at]; }
    std::uint32_t l1_set() const { return of.l1_set[at]; }
    L2Cache::Route l2() const { return of.l2.route(at); }
    L2Cache::Draw draw() const { return {of.l2.near[at], of.l2.dram[at]}; }
  };

  // Whether the site's records are for prepare().
  static bool prepares(const AccessPlan& plan) {
    return plan.action == Action::kGlobalLoad || plan.action == Action::kGlobalStore ||
           plan.action == Action::kAsyncRead;
  }
  // Whether load() and store() may take the place of run() for this site: the bytes a lane, or 0.
  static std::uint32_t bytes_of_lines(const AccessPlan& plan) {
    const bool load = plan.action == Action::kGlobalLoad && !plan.bypass_l1;
    const bool other = plan.empties_before || plan.empties_behind || !plan.instructions ||
                       plan.stay != Stay::kUnsaid;
    return (load || plan.action == Action::kGlobalStore) && !other && plan.bytes <= 4 ? plan.bytes
                                                                                      : 0;
  }
};

// `L2`: L2Cache, or L2Requests (l2/l2_requests.hpp), which writes down what some of the SMs ask
// for while others run, and whose answers come later.
template <class L2>
class SectoredMemoryOf : public MemorySystem, public SectoredLines {
 public:
  SectoredMemoryOf(const SystemSpec& spec, bool timed);
  void begin_launch(const LaunchMemory& launch) override;
  void run(const WarpLanes& lanes, const AccessPlan& plan, AccessTiming& timing) override;
  // `prepared`: what prepare() listed of this access, or nullptr.
  void run(const WarpLanes& lanes, const AccessPlan& plan, AccessTiming& timing,
           const Lines* prepared);
  void starts_warps(int sm, std::uint64_t cycle, std::uint32_t warps) override;
  void texture(const TextureAccess& access, const AccessPlan& plan, AccessTiming& timing) override;
  LaunchCounters finish_launch() override;
  LaunchCounters counted() const override;
  const L2Counters& l2_counters() const override { return l2_.counters(); }
  // Adds what others have counted for this one.
  void add(const LaunchCounters& counted, std::uint64_t product_bytes);
  // That warps read for products and that is not counted yet.
  std::uint64_t product_bytes() const { return product_bytes_; }
  L2& l2() { return l2_; }
  // Only these SMs, by number, will be asked for anything: others need no L1. Before the first
  // launch.
  void serve(std::vector<bool> sms) { served_ = std::move(sms); }

  // Lists the lines of a global access and has what run() will look at brought into the host's
  // cache. Changes nothing.
  void prepare(const WarpLanes& w, const AccessPlan& plan, int sm, Lines& out);

  // Whether load() and store() may take the place of run().
  bool takes_lines() const { return plain_ && !path_; }
  // Says where the caches have lines of which the numbers are known.
  void find(OneLines& lines) {
    const LineWords words(lines.l2);
    l1_.front().sets(lines.l2, words, lines.l1_set.data());
    l2_.route(lines.l2, words);
  }
  // Has what load() or store() will look at brought into the host's cache. Changes nothing.
  void prefetch(const OneLines& lines, std::size_t i, int sm, bool store) const {
    l1_[static_cast<std::size_t>(sm)].prefetch(lines.l1_set[i]);
    l2_.prefetch(sm, lines.l2.route(i), store);
  }
  [[gnu::always_inline]] std::uint64_t load(const OneLine& one, const AccessPlan& plan, int sm,
                                            std::uint64_t now);
  [[gnu::always_inline]] std::uint64_t store(const OneLine& one, const AccessPlan& plan, int sm,
                                             std::uint64_t now);

 private:
  void prepare_ways(int sm, Lines& out);
  void access(const WarpLanes&, const AccessPlan&, AccessTiming&, const Lines* prepared);
  void empty_l1(int sm);  // but for local memory
  static std::uint32_t async_wavefronts(const WarpLanes&, const AccessPlan&, const AccessTiming&,
                                        std::uint32_t lines);
  void copy_past_l1(const WarpLanes&, const AccessPlan&, AccessTiming&, const Lines&);
  void global_load(const WarpLanes&, const AccessPlan&, AccessTiming&, const Lines&);
  void load_line(const WarpLanes&, const AccessPlan&, AccessTiming&, const Lines&);
  void store_line(const WarpLanes&, const AccessPlan&, AccessTiming&, const Lines&);
  void global_store(const WarpLanes&, const AccessPlan&, AccessTiming&, const Lines&);
  void global_atomic(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void local_access(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void shared_access(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void remote_access(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void product_read(const AccessPlan&);
  void bulk(const WarpLanes&, const AccessPlan&, AccessTiming&);
  std::uint64_t read_beyond(const AccessTiming&, std::uint64_t at, std::uint64_t line,
                            const L2Cache::Route&, std::uint8_t sectors, std::uint32_t fetch,
                            Stay own = Stay::kUnsaid, const MemoryPath::Seat* seat = nullptr,
                            bool apart = false);
  // When it is back.
  std::uint64_t read_l2(AccessTiming&, std::uint64_t at, std::uint64_t line, const L2Cache::Route&,
                        std::uint8_t sectors, std::uint32_t fetch, Stay own = Stay::kUnsaid,
                        const MemoryPath::Seat* seat = nullptr, bool apart = false);
  void lands(int sm, std::uint64_t cycle, std::uint8_t sectors, std::uint64_t millicycles);
  // `tags`, `data`: cycles in which the line passes the L1's two stages.
  void write_l2(AccessTiming&, const LineTouch& touch, const L2Cache::Route&, std::uint64_t tags,
                std::uint64_t data);
  // To the L2 at cycle `at`: sectors of `again` are with an earlier request, and one that does not
  // open a request of its own rides along.
  void send(AccessTiming&, const LineTouch& touch, const L2Cache::Route&, std::uint8_t again,
            bool opens, std::uint64_t at);
  bool in_host_memory(std::uint64_t line) const;
  Stay stay(std::uint64_t line, Stay own) const;
  // The later of two cycles; with L2Requests either may be one that nobody knows yet.
  std::uint64_t later(std::uint64_t a, std::uint64_t b) {
    if constexpr (L2::kAnswersLater) return l2_.later(a, b);
    else return std::max(a, b);
  }
  // What a load of one line missed arrives.
  void arrives(L1Cache& l1, const L1Cache::Loaded& one, std::uint64_t done) {
    if constexpr (L2::kAnswersLater) l2_.arrives(one, done);
    else l1.arrives(one.entry, done);
  }
  [[gnu::always_inline]] void load_lines(const AccessPlan&, AccessTiming&, const Lines&,
                                         const AskedWords&, std::uint64_t sectors);
  bool is_plain(const AccessPlan& plan) const { return plain_ && plan.stay == Stay::kUnsaid; }
  void prefetch_l2(const WarpLanes&, const AccessPlan&, AccessTiming&);

  SmSpec sm_;
  LaunchSpec launch_;
  MemorySpec spec_;
  std::uint64_t latency_l1_;
  std::vector<DataPorts> ports_;                      // by SM, where time is kept
  std::uint64_t remote_read_ = 0, remote_write_ = 0;  // ticks a sector
  std::pmr::monotonic_buffer_resource l1_memory_{std::size_t{16} << 20, large_pages()};
  std::vector<L1Cache> l1_;         // by SM
  std::vector<StoreQueue> stores_;  // by SM
  L2 l2_;
  std::vector<bool> served_;         // empty: all SMs
  std::uint64_t product_bytes_ = 0;  // that warps read for products, not counted yet
  std::vector<AddressRange> host_;   // of this launch, ascending
  bool plain_ = true;                // none of these, nor an access-policy window
  PolicyWindow window_;
  LocalMemory local_;      // of this launch
  Lines lines_;            // scratch
  TextureTraffic texels_;  // scratch
};

class SectoredMemory final : public SectoredMemoryOf<L2Cache> {
 public:
  using SectoredMemoryOf::SectoredMemoryOf;
  SectoredMemory* sectored() override { return this; }
};

// That of some of the SMs.
using PartMemory = SectoredMemoryOf<L2Requests>;

}  // namespace warpmem::model
