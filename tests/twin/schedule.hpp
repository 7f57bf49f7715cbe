// One launch by the counts engine's rough clock (docs/design/replay-order.md): CTAs come and go,
// warps take their turns in steps of 16 cycles, and each record goes to the memory system.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "sim/engine/cluster_placement.hpp"
#include "sim/engine/dependence.hpp"
#include "sim/engine/occupancy.hpp"
#include "sim/engine/sites.hpp"
#include "tests/twin/cta_records.hpp"
#include "tests/twin/memory.hpp"

namespace warpmem::twin {

class Schedule {
 public:
  Schedule(const trace::TraceReader& reader, std::uint32_t launch, const model::Card& card,
           Memory& memory, const sim::Occupancy& occupancy, sim::Spills* spills);

  Result<void> run();
  // Barriers that were opened because no warp could go on.
  std::uint64_t forced() const { return forced_; }

 private:
  // A load whose value is not there yet.
  struct Load {
    std::uint32_t site = 0;
    std::uint64_t done = 0;
  };
  struct Warp {
    WarpRecords trace;
    std::size_t next = 0;  // record
    std::uint64_t ready = 0;
    std::uint32_t last_site = 0;
    bool led_up = false;  // `ready` counts the instructions before the next record
    std::vector<Load> loads;
    std::uint64_t copies = 0, older_copies = 0;  // asynchronous ones are back by then
    AsyncSide async;
    int barrier = -1;  // that it stands at
    bool at_end() const { return next == trace.records.size(); }
    const trace::Record& record() const { return trace.records[next]; }
  };
  struct Cta {
    std::uint64_t number = 0;
    std::uint32_t left = 0;  // warps that have not ended
    std::vector<Warp> warps;
    std::map<int, std::uint32_t> expected;  // by barrier at which anybody stands: warps; 0: all
  };
  struct Sm {
    int id = 0;
    std::map<std::uint32_t, Cta> ctas;  // by slot
    std::uint64_t unit_free = 0;        // cycle: the load/store unit has done all it has
    std::uint64_t issue_free = 0;       // quarter cycle: the schedulers have
  };
  // A warp: the place of its SM in the order, CTA slot, number in the CTA.
  struct Who {
    std::size_t sm = 0;
    std::uint32_t slot = 0, warp = 0;
    auto operator<=>(const Who&) const = default;
  };

  Result<void> place_first();
  Result<void> start_next(std::size_t sm, std::uint64_t cycle);
  Result<void> start_clusters(std::uint64_t cycle);
  Result<void> run_warp(const Who& who);
  bool run_record(const Who& who, Cta& cta, Warp& warp, Sm& sm);
  void access(const Who& who, Warp& warp, Sm& sm, const model::AccessPlan& plan,
              std::uint64_t start);
  Fetch take_fetch(Warp& warp) const;
  void look_ahead(Warp& warp);
  void wait_for_loads(Warp& warp);
  std::uint64_t issue(Sm& sm, const Warp& warp, std::uint32_t instructions) const;
  static void remember(Warp& warp, std::uint32_t site, std::uint64_t done);
  void stand(const Who& who, Cta& cta, Warp& warp, const trace::Record& r);
  bool full(const Cta& cta, int barrier) const;
  void open(std::size_t sm, std::uint32_t slot, Cta& cta, int barrier);
  void open_all_by_force();
  Result<void> end_warp(const Who& who, Cta& cta);
  void note(const Who& who, std::uint64_t cycle);

  const trace::TraceReader& reader_;
  const trace::Launch& launch_;
  const model::Card& card_;
  Memory& memory_;
  sim::Occupancy occupancy_;
  TraceRecords records_;
  std::vector<model::AccessPlan> plans_;
  sim::Dependence dependence_;
  std::uint32_t index_;
  std::vector<Sm> sms_;                 // in the order in which they take their turn
  std::vector<std::uint64_t> waiting_;  // CTAs
  std::size_t next_cta_ = 0;
  std::unique_ptr<sim::ClusterPlacement> clusters_;
  std::uint64_t placed_ = 0;  // CTAs of clusters that started at first
  std::uint64_t now_ = 0;     // step
  std::map<std::uint64_t, std::set<Who>> calendar_;
  std::uint64_t forced_ = 0;
};

}  // namespace warpmem::twin
