// What a warp's access takes: of its SM's load/store or texture unit, of the queues in front, and
// until its values are there.
#pragma once

#include "model/access/access_timing.hpp"
#include "model/card/card.hpp"
#include "model/interconnect/memory_path.hpp"
#include "model/system/line_lister.hpp"
#include "model/system/memory_system.hpp"
#include "model/texture/texture.hpp"
#include "sim/engine/sites.hpp"
#include "sim/time/larger_l1.hpp"
#include "sim/time/listed_lines.hpp"
#include "sim/time/timed_sm.hpp"
#include "sim/time/warp_steps.hpp"

namespace warpmem::sim {

class AccessTime {
 public:
  // `shared_config`: bytes of an SM's L1 given to shared memory.
  AccessTime(const model::Card& card, model::MemorySystem& memory, ListedLines& listed,
             const std::vector<AccessPlan>& plans, std::uint64_t shared_config, Waits& waits);

  // The record `r` of a warp, whose instruction has been issued.
  void run(const WarpTurn& turn, const trace::Record& r, const AccessPlan& plan,
           const Issued& issued);
  // A record that takes nothing of the load/store unit: the memory system only counts it.
  void count(const WarpTurn& turn, const trace::Record& r, const AccessPlan& plan,
             std::uint64_t issued);
  // A texture fetch or surface access.
  void fetch_texels(const WarpTurn& turn, const model::TextureAccess& access,
                    const AccessPlan& plan, const Issued& issued);

  // Of all accesses so far:
  std::uint64_t last_store() const { return last_store_; }  // cycle in which the last one is there
  std::uint64_t lane_bytes() const { return lane_bytes_; }  // moved between L1s and registers
  bool reaches_memory() const { return reaches_memory_; }   // some went beyond their SM
  const LargerL1& larger_l1() const { return larger_l1_; }

 private:
  static model::AccessTiming place_of(const WarpTurn& turn, std::uint32_t site);
  void run_access(const WarpTurn& turn, const trace::Record& r, const AccessPlan& plan,
                  model::AccessTiming& place);
  std::uint64_t take_unit(TimedSm& sm, const trace::Record& r, const AccessPlan& plan,
                          const model::AccessTiming& place, std::uint64_t given);
  static void keep_copies(TimedCta& cta, TimedWarp& warp, const AccessPlan& plan,
                          std::uint64_t done);
  // How long an access keeps the registers that it reads.
  std::uint64_t read_cycles(const AccessPlan& plan) const;
  std::uint64_t translated(TimedSm& sm, std::uint64_t at) const;
  std::uint64_t reaches_memory(TimedSm& sm, TimedWarp& warp, const model::AccessTiming& place,
                               std::uint64_t start);

  const model::CardNumbers& card_;
  model::MemorySystem& memory_;
  model::LineLister* lister_;  // of the same; nullptr: it lists none
  model::MemoryPath& path_;
  ListedLines& listed_;
  const std::vector<AccessPlan>& plans_;
  Waits& waits_;
  std::uint32_t last_scheduler_;  // of an SM, from 0: warp slots go round them
  std::uint64_t last_store_ = 0;
  std::uint64_t lane_bytes_ = 0;
  bool reaches_memory_ = false;
  LargerL1 larger_l1_;
  model::LineLister::Lines larger_lines_;  // of an access that is listed for it
};

}  // namespace warpmem::sim
