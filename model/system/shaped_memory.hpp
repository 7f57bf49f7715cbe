// The memory system of a GPU: an L1 a SM with shared memory beside it, an L2, DRAM. Each kind of
// access is written once, over the parts of its shape. Before compute capability 7.0 an access is
// transactions (transactions.hpp), a cache may be missing, and there may be one of textures; where
// such a GPU does otherwise, is_early() says so.
//
// Split by what an access is: global_access.cpp (loads, stores, atomics and asynchronous copies),
// local_access.cpp, shared_access.cpp (shared memory, of this SM and of others), bulk_access.cpp,
// texture_access.cpp; beyond_l1.hpp is how they all go on to the L2.
#pragma once

#include <memory>
#include <memory_resource>
#include <vector>

#include "base/large_pages.hpp"
#include "model/access/access.hpp"
#include "model/atomics/atomics.hpp"
#include "model/cache/miss_entries.hpp"
#include "model/cache/store_queue.hpp"
#include "model/local/local_memory.hpp"
#include "model/shared/data_ports.hpp"
#include "model/shared/shared_banks.hpp"
#include "model/system/line_lister.hpp"
#include "model/system/memory_system.hpp"
#include "model/system/sectored_shape.hpp"
#include "model/system/spec.hpp"
#include "model/system/transactions.hpp"
#include "model/texture/texture.hpp"

namespace warpmem::model {

// `timed`: keeps time, on the path to the L2 and DRAM that the spec has.
template <class Shape>
class ShapedMemory : public MemorySystem, public SectoredLines {
 public:
  using L1 = typename Shape::L1;
  using L2 = typename Shape::L2;
  using Route = typename L2::Route;
  using Lines = typename Shape::Lines;

  ShapedMemory(const SystemSpec& spec, bool timed);
  void begin_launch(const LaunchMemory& launch) override;
  void run(const WarpLanes& lanes, const AccessPlan& plan, AccessTiming& timing) override;
  // `prepared`: what prepare() listed of this access, or nullptr.
  void run(const WarpLanes& lanes, const AccessPlan& plan, AccessTiming& timing,
           const Lines* prepared);
  void starts_warps(int sm, std::uint64_t cycle, std::uint32_t warps) override;
  void constants(const WarpLanes& lanes, const AccessPlan& plan) override;
  void texture(const TextureAccess& access, const AccessPlan& plan, AccessTiming& timing) override;
  LaunchCounters finish_launch() override;
  LaunchCounters counted() const override;
  LaunchCounters& counters() override { return sink_.counters; }
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

  // Of shapes whose lines are SectoredLines alone:
  //
  // Whether load() and store() may take the place of run().
  bool takes_lines() const { return plain_ && !path_; }
  LineSize line() const { return line_; }
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
  void prepare_path(int sm, Lines& out);
  void access(const WarpLanes&, const AccessPlan&, AccessTiming&, const Lines* prepared);
  void invalidate_l1(int sm);  // but for local memory
  void renew_l1s(const LaunchMemory& launch);
  static std::uint32_t async_wavefronts(const WarpLanes&, const AccessPlan&, const AccessTiming&,
                                        std::uint32_t lines);
  void copy_past_l1(const WarpLanes&, const AccessPlan&, AccessTiming&, const Lines&);
  void load_past_l1(const AccessPlan&, AccessTiming&, const Lines&);
  void load_each(L1&, const AccessPlan&, AccessTiming&, const Lines&);
  void global_load(const WarpLanes&, const AccessPlan&, AccessTiming&, const Lines&);
  void load_line(const WarpLanes&, const AccessPlan&, AccessTiming&, const Lines&);
  void store_line(const WarpLanes&, const AccessPlan&, AccessTiming&, const Lines&);
  void global_store(const WarpLanes&, const AccessPlan&, AccessTiming&, const Lines&);
  void global_atomic(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void local_access(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void local_transactions(const WarpAccess& word, bool store, bool cached, AccessTiming&);
  void local_line(const LineTouch&, bool store, AccessTiming&);
  void write_pushed(L1&, AccessTiming&);
  void shared_access(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void remote_access(const WarpLanes&, const AccessPlan&, AccessTiming&);
  void product_read(const AccessPlan&);
  void bulk(const WarpLanes&, const AccessPlan&, AccessTiming&);
  std::uint64_t read_beyond(const AccessTiming&, std::uint64_t at, std::uint64_t line, const Route&,
                            std::uint8_t sectors, std::uint32_t fetch, Stay own = Stay::kUnsaid,
                            const MemoryPath::Address* address = nullptr, bool apart = false);
  std::uint64_t read_missed_line(const AccessTiming&, std::uint64_t at, std::uint64_t line,
                                 const Route&, std::uint8_t sectors, std::uint32_t fetch, Stay own,
                                 const MemoryPath::Address* address = nullptr, bool apart = false);
  // When it is back.
  std::uint64_t read_l2(AccessTiming&, std::uint64_t at, std::uint64_t line, const Route&,
                        std::uint8_t sectors, std::uint32_t fetch, Stay own = Stay::kUnsaid,
                        const MemoryPath::Address* address = nullptr, bool apart = false);
  void lands(int sm, std::uint64_t cycle, std::uint8_t sectors, std::uint64_t millicycles);
  // `tags`, `data`: cycles in which the line passes the L1's two stages.
  void write_l2(AccessTiming&, const LineTouch& touch, const Route&, std::uint64_t tags,
                std::uint64_t data);
  // To the L2 at cycle `at`: sectors of `again` are with an earlier request, and one that does not
  // open a request of its own shares another's.
  void send(AccessTiming&, const LineTouch& touch, const Route&, std::uint8_t again, bool opens,
            std::uint64_t at);
  std::uint64_t texture_line(L1& cache, const LineTouch&, AccessTiming&);
  bool in_host_memory(std::uint64_t line) const;
  Stay stay(std::uint64_t line, Stay own) const;
  // The later of two cycles; with L2Requests either may be one that nobody knows yet.
  std::uint64_t later(std::uint64_t a, std::uint64_t b) {
    if constexpr (L2::kAnswersLater) return l2_.later(a, b);
    else return std::max(a, b);
  }
  // What a load of one line missed arrives.
  template <class Loaded>
  void arrives(L1& l1, const Loaded& one, std::uint64_t done) {
    if constexpr (L2::kAnswersLater) l2_.arrives(one, done);
    else l1.arrives(one.entry, done);
  }
  [[gnu::always_inline]] void load_lines(const AccessPlan&, AccessTiming&, const Lines&,
                                         const AskedWords&, std::uint64_t sectors);
  template <class Misses>
  void found(const AccessTiming&, const Lines&, const Misses&, std::uint64_t sectors);
  template <class Misses>
  [[gnu::always_inline]] void read_missed(const AccessPlan&, AccessTiming&, const Lines&,
                                          const Misses&, std::uint64_t* done);
  bool is_plain(const AccessPlan& plan) const { return plain_ && plan.stay == Stay::kUnsaid; }
  void prefetch_l2(const WarpLanes&, const AccessPlan&, AccessTiming&);

  // DRAM is to bring more than the line.
  bool asks_for_block(const AccessPlan& plan) const { return plan.fetch_sectors > line_.sectors(); }
  // Of the L1: banks of tags are those that were measured on an H200.
  bool has_measured_index() const {
    return !Shape::kAsCard && spec_.l1.index.rule() == SetRule::kXorMatrix && line_ == LineSize();
  }
  // A GPU before compute capability 7.0.
  bool is_early() const {
    if constexpr (Shape::kAsCard) return spec_.moves_transactions();
    else return false;
  }
  bool is_cached(const AccessPlan& plan) const;
  // What a global load goes through; nullptr: nothing.
  L1* cache_of(const AccessPlan& plan, int sm);
  L1& textures(int sm) {
    if constexpr (Shape::kAsCard)
      if (!textures_.empty()) return textures_[static_cast<std::size_t>(sm) / spec_.texture_sms];
    return l1_[static_cast<std::size_t>(sm)];
  }
  void list_local(const WarpAccess& word, std::uint64_t area, std::uint64_t k);
  WarpAccess local_word(const WarpAccess& access, std::uint64_t area, std::uint64_t k) const;
  std::uint32_t tag_passes_of(const Lines& lines) const;
  std::uint32_t data_passes_of(const WarpLanes& w, std::uint32_t bytes, std::uint32_t least) const;
  SharedPasses shared_passes_of(const WarpAccess& a, SharedKind kind) const;
  AtomicTraffic atomic_of(const WarpLanes& w, const AccessPlan& plan) const;
  L1& l1(const AccessTiming& place) { return l1_[static_cast<std::size_t>(place.sm)]; }

  SmSpec sm_;
  LaunchSpec launch_;
  MemorySpec spec_;
  LineSize line_;

 protected:
  typename Shape::Sink sink_;
  L2 l2_;

 private:
  std::uint64_t latency_l1_;
  std::vector<DataPorts> ports_;                      // by SM, where time is kept
  std::uint64_t remote_read_ = 0, remote_write_ = 0;  // ticks a sector
  std::pmr::monotonic_buffer_resource l1_memory_{std::size_t{16} << 20, large_pages()};
  std::vector<L1> l1_;               // by SM
  std::vector<L1> textures_;         // by so many SMs as share one; none: they lie in the L1s
  Transactions moved_;               // of an early GPU's access at hand
  std::vector<StoreQueue> stores_;   // by SM
  std::vector<MissEntries> misses_;  // by SM, where time is kept and their number is limited
  std::vector<bool> served_;         // empty: all SMs
  std::uint64_t product_bytes_ = 0;  // that warps read for products, not counted yet
  std::vector<AddressRange> host_;   // of this launch, ascending
  bool plain_ = true;                // none of these, nor an access-policy window
  PolicyWindow window_;
  LocalMemory local_;      // of this launch
  Lines lines_;            // scratch
  TextureTraffic texels_;  // scratch
};

class SectoredMemory final : public ShapedMemory<SectoredShape<L2Cache>>, public LineLister {
 public:
  using Lines = ShapedMemory::Lines;
  using ShapedMemory::ShapedMemory;
  void prepare(const WarpLanes& lanes, const AccessPlan& plan, int sm, Lines& out) override {
    ShapedMemory::prepare(lanes, plan, sm, out);
  }
  void run_prepared(const WarpLanes& lanes, const AccessPlan& plan, AccessTiming& timing,
                    const Lines& lines) override {
    run(lanes, plan, timing, &lines);
  }
  LineLister* line_lister() override { return this; }
  void accept(MemoryVisitor& visitor) override { visitor.visit(*this); }
};

// That of some of the SMs.
using PartMemory = ShapedMemory<SectoredShape<L2Requests>>;

}  // namespace warpmem::model
