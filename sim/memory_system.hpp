// The GPU's memory system as the counts engine drives it: an L1 a SM, one L2, DRAM. Takes records
// one at a time and counts.
#pragma once

#include <memory>
#include <memory_resource>
#include <vector>

#include "base/large_pages.hpp"
#include "model/access/access.hpp"
#include "model/card/card.hpp"
#include "model/shared/data_ports.hpp"
#include "model/cache/l1_cache.hpp"
#include "model/l2/l2_cache.hpp"
#include "model/cache/store_queue.hpp"
#include "model/texture/texture.hpp"
#include "sim/counters.hpp"
#include "model/local/local_memory.hpp"
#include "sim/engine/sites.hpp"
#include "traces/format/launch.hpp"
#include "traces/format/record.hpp"

namespace warpmem::sim {

// Which warp runs the record, where and when; and what it cost.
struct Place {
  int sm = 0;
  std::uint32_t warp_slot = 0;    // on the SM: decides where its local memory lies
  std::uint32_t async_wavefronts = 0;      // of an asynchronous copy, for its shared side
  const trace::Record* shared = nullptr;  // its shared side, where the trace has it next to it
  std::uint64_t now = 0;          // cycle in which the access starts
  std::uint64_t tags = 0;         // … in which its tags are looked up, for a store
  std::uint64_t done = 0;         // out: cycle in which its result is there
  std::uint32_t passes = 1;       // out: cycles that it keeps the SM's load/store unit
  std::uint32_t tag_passes = 1;   // out: cycles that it keeps the tag stage
  std::uint64_t held = 0;         // out: cycle in which the store queue has taken it
  std::uint64_t sent = 0;         // out: cycle in which what it writes has left the SM
  std::uint64_t stored = 0;       // out: … in which the L2 has it
  bool left_sm = false;           // out: it went beyond the L1
  std::uint32_t missed = 0;       // out: lines that it asks the L2 for
};

class MemorySystem {
 public:
  // The lines of a global access, and where the caches have them.
  struct Lines : model::L2Cache::Routed {
    model::L1Cache::Seats l1;
    std::unique_ptr<model::MemoryPath::Seats> way;  // of loads, where time is kept
  };

  // Lines of accesses of whole sectors of one line each, of any SMs, and where the caches have
  // them (one_line.hpp).
  struct OneLines {
    model::L2Cache::Routed l2;
    std::array<std::uint32_t, model::LineList::kMost> l1_set;
  };
  // One of them.
  struct OneLine {
    const OneLines& of;
    std::size_t at;
    std::uint8_t sectors;

    std::uint64_t line() const { return of.l2.line[at]; }
    std::uint32_t l1_set() const { return of.l1_set[at]; }
    model::L2Cache::Route l2() const { return of.l2.route(at); }
    model::L2Cache::Draw draw() const { return {of.l2.near[at], of.l2.dram[at]}; }
  };

  explicit MemorySystem(const model::Card& card);
  // Keeps time: accesses wait for each other on their way (nullptr: unloaded latencies).
  void take(model::MemoryPath* path) {
    l2_.take(path);
    path_ = path;
  }

  // Before a launch: L1s are empty and as large as the configuration leaves them.
  // `code`: bytes of the kernel's code, which the launch has fetched. `largest_frame`: local memory of a
  // thread, in bytes, that this launch or one before it takes (local_memory.hpp).
  void begin_launch(const trace::Launch& launch, std::uint64_t code, std::uint64_t shared_config,
                    std::uint64_t largest_frame, bool flush_l2);
  // `prepared`: what prepare() listed of this record, or nullptr.
  void run(const trace::Record& record, const SitePlan& plan, const std::uint64_t* lanes,
           Place& place, const Lines* prepared = nullptr);

  // So many warps start on an SM, from this cycle on (where time is kept).
  void starts_warps(int sm, std::uint64_t cycle, std::uint32_t warps);

  // A texture fetch or surface access, all records of it.
  void texture(const model::TextureAccess& access, const SitePlan& plan, Place& place);

  // Counts a record that is no access.
  void count(const trace::Record& record, const SitePlan& plan) {
    ++counters_.records;
    if (record.mask && plan.instructions) ++(counters_.*plan.instructions);
  }

  // Whether the site's records are for prepare().
  static bool prepares(const SitePlan& plan) {
    return plan.action == Action::kGlobalLoad || plan.action == Action::kGlobalStore ||
           plan.action == Action::kAsyncRead;
  }
  // Lists the lines of a global access and has what run() will look at brought into the host's
  // cache. Changes nothing.
  void prepare(const trace::Record& record, const SitePlan& plan, const std::uint64_t* lanes,
               int sm, Lines& out);

  // Whether load() and store() may take the place of run().
  bool takes_lines() const { return plain_ && !path_; }
  // Whether they may for this site: the bytes a lane, or 0.
  static std::uint32_t bytes_of_lines(const SitePlan& plan) {
    const bool load = plan.action == Action::kGlobalLoad && !plan.bypass_l1;
    const bool other = plan.empties_before || plan.empties_behind || !plan.instructions;
    return (load || plan.action == Action::kGlobalStore) && !other && plan.bytes <= 4 ? plan.bytes : 0;
  }
  // Says where the caches have lines of which the numbers are known.
  void find(OneLines& lines) {
    const model::LineWords words(lines.l2);
    l1_.front().sets(lines.l2, words, lines.l1_set.data());
    l2_.route(lines.l2, words);
  }
  // Has what load() or store() will look at brought into the host's cache. Changes nothing.
  void prefetch(const OneLines& lines, std::size_t i, int sm, bool store) const {
    l1_[static_cast<std::size_t>(sm)].prefetch(lines.l1_set[i]);
    l2_.prefetch(sm, lines.l2.route(i), store);
  }
  std::uint64_t load(const OneLine& one, const SitePlan& plan, int sm, std::uint64_t now);
  std::uint64_t store(const OneLine& one, const SitePlan& plan, int sm, std::uint64_t now);

  LaunchCounters& counters() { return counters_; }
  LaunchCounters finish_launch();

 private:
  void prepare_ways(int sm, Lines& out);
  void access(const trace::Record&, const SitePlan&, const std::uint64_t*, Place&, const Lines* prepared);
  void empty_l1(int sm);  // but for local memory
  static std::uint32_t async_wavefronts(const trace::Record&, const SitePlan&, const std::uint64_t*, const Place&,
                                        std::uint32_t lines);
  void copy_past_l1(const trace::Record&, const SitePlan&, const std::uint64_t*, Place&, const Lines&);
  void global_load(const trace::Record&, const SitePlan&, const std::uint64_t*, Place&,
                   const Lines&);
  void load_line(const trace::Record&, const SitePlan&, const std::uint64_t*, Place&, const Lines&);
  void store_line(const trace::Record&, const SitePlan&, const std::uint64_t*, Place&, const Lines&);
  void global_store(const trace::Record&, const SitePlan&, const std::uint64_t*, Place&,
                    const Lines&);
  void global_atomic(const trace::Record&, const SitePlan&, const std::uint64_t*, Place&);
  void local_access(const trace::Record&, const SitePlan&, const std::uint64_t*, Place&);
  void shared_access(const trace::Record&, const SitePlan&, const std::uint64_t*, Place&);
  void remote_access(const trace::Record&, const SitePlan&, const std::uint64_t*, Place&);
  void product_read(const SitePlan&);
  void bulk(const trace::Record&, const SitePlan&, const std::uint64_t*, Place&);
  std::uint64_t read_beyond(const Place&, std::uint64_t at, std::uint64_t line, const model::L2Cache::Route&,
                            std::uint8_t sectors, std::uint32_t fetch,
                            const model::MemoryPath::Seat* seat = nullptr, bool apart = false);
  // When it is back.
  std::uint64_t read_l2(Place&, std::uint64_t at, std::uint64_t line, const model::L2Cache::Route&, std::uint8_t sectors,
                        std::uint32_t fetch, const model::MemoryPath::Seat* seat = nullptr, bool apart = false);
  void lands(int sm, std::uint64_t cycle, std::uint8_t sectors, std::uint64_t millicycles);
  // `tags`, `data`: cycles in which the line passes the L1's two stages.
  void write_l2(Place&, const model::LineTouch& touch, const model::L2Cache::Route&,
                std::uint64_t tags, std::uint64_t data);
  // To the L2 at cycle `at`: sectors of `again` are with an earlier request, and one that does not
  // open a request of its own rides along.
  void send(Place&, const model::LineTouch& touch, const model::L2Cache::Route&, std::uint8_t again,
            bool opens, std::uint64_t at);
  bool in_host_memory(std::uint64_t line) const;
  bool persists(std::uint64_t line) const;

  const model::Card& card_;
  std::uint64_t latency_l1_;
  model::MemoryPath* path_ = nullptr;  // where time is kept
  std::vector<model::DataPorts> ports_;  // by SM, where time is kept
  std::uint64_t remote_read_ = 0, remote_write_ = 0;  // ticks a sector
  std::pmr::monotonic_buffer_resource l1_memory_{std::size_t{16} << 20, large_pages()};
  std::vector<model::L1Cache> l1_;  // by SM
  std::vector<model::StoreQueue> stores_;  // by SM
  model::L2Cache l2_;
  LaunchCounters counters_;
  std::uint64_t product_bytes_ = 0;  // that warps read for products, not counted yet
  std::vector<trace::Allocation> host_;   // of this launch, sorted by base
  bool plain_ = true;                     // none of these, nor anything that persists
  trace::AccessWindow window_;
  LocalMemory local_;                     // of this launch
  Lines lines_;                           // scratch
  model::TextureTraffic texels_;          // scratch
};

}  // namespace warpmem::sim
