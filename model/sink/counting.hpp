// What happens in front of the L2, by name: the only place that adds to a launch's counters for it.
//
// A memory system calls its sink as things happen. Counting adds, and does no more; Notifying
// (notifying.hpp) also notifies a listener. Which of the two a memory system has is part of its
// shape (system/sectored_shape.hpp), so that the plain run pays nothing for listeners.
#pragma once

#include <cstdint>

#include "model/access/access_plan.hpp"
#include "model/access/access_timing.hpp"
#include "model/counters/launch_counters.hpp"
#include "model/sink/early_counting.hpp"

namespace warpmem::model {

class Counting {
 public:
  // Whoever notifies speaks of lines of so many bytes.
  explicit Counting(std::uint32_t /*line_bytes*/) {}

  LaunchCounters counters;  // `l2` is the L2's own business

  // A record, and the access that it makes: what comes until it ends is of this access.
  void record(std::uint64_t n = 1) { counters.records += n; }
  void begins(const AccessPlan&, const AccessTiming&) {}
  void ends(const AccessTiming&) {}
  // With an active lane.
  void instruction(const AccessPlan& plan) {
    if (plan.instructions) ++(counters.*plan.instructions);
  }

  // An access asks for so many lines, or transactions, at once.
  void asks(const AccessTiming&, std::uint64_t /*n*/) {}
  // A global load or store of so many lines and distinct sectors in them, of which lanes ask for so
  // many bytes.
  void global_load(std::uint64_t lines, std::uint64_t sectors, std::uint64_t bytes) {
    ++counters.global_ld.requests;
    counters.tag_requests += lines;
    counters.theoretical_global += sectors;
    counters.global_ld_bytes += bytes;
  }
  void load_sectors(std::uint64_t sectors) { counters.global_ld.sectors += sectors; }
  void load_hits(std::uint64_t sectors) { counters.global_ld.hits += sectors; }
  // A line of a load has been looked for: of so many sectors, so many are not there.
  void load_found(const AccessTiming&, std::uint64_t /*line*/, std::uint64_t asked,
                  std::uint64_t missed) {
    load_hits(asked - missed);
  }
  void load_tag_passes(std::uint64_t passes) { counters.tag_wavefronts_ld += passes; }
  // Of an asynchronous copy that goes through the L1.
  void async_load(std::uint64_t sectors) {
    ++counters.ldgsts.requests;
    counters.ldgsts.sectors += sectors;
  }
  // The profiler counts other sectors as wanted than the lanes say (a copy past the L1).
  void instead_wanted(std::uint64_t sectors, std::uint64_t than) {
    counters.theoretical_global += sectors - than;
  }
  void global_store(std::uint64_t lines, std::uint64_t sectors, std::uint64_t bytes) {
    ++counters.global_st.requests;
    counters.tag_requests += lines;
    counters.theoretical_global += sectors;
    counters.global_st.sectors += sectors;
    counters.global_st_bytes += bytes;
  }
  void store_hits(std::uint64_t sectors) { counters.global_st.hits += sectors; }
  void stores_line(const AccessTiming&, std::uint64_t /*line*/, std::uint64_t /*sectors*/) {}
  // Cycles of the data stage that an access takes.
  void data_passes(const AccessTiming&, std::uint64_t /*passes*/) {}

  // So many passes over so many sectors, in so many lines.
  void global_atomic(bool returns, std::uint64_t passes, std::uint64_t sectors,
                     std::uint64_t lines) {
    OpCounters& c = returns ? counters.global_atom : counters.global_red;
    ++c.requests;
    c.sectors += passes;
    counters.tag_requests += lines;
    counters.theoretical_global += sectors;
    counters.l1_write_sectors += passes;
    if (returns) counters.l1_fill_sectors += passes;
  }
  void bulk_reduction(std::uint64_t sectors) {
    counters.global_bulk_red += sectors;
    counters.l1_write_sectors += sectors;
  }

  // A request for a word of local memory of each lane, in so many distinct sectors.
  void local(bool stores, std::uint64_t sectors) {
    ++local_of(stores).requests;
    counters.theoretical_local += sectors;
  }
  void local_sectors(bool stores, std::uint64_t sectors) { local_of(stores).sectors += sectors; }
  void local_hits(bool stores, std::uint64_t sectors) { local_of(stores).hits += sectors; }

  // An access of shared memory takes its banks so many passes; `reported`: as the profiler works
  // them out.
  void shared(const AccessTiming&, std::uint64_t reported, std::uint64_t /*passes*/) {
    counters.shared_wavefronts += reported;
  }
  void shared_load(std::uint64_t bytes, std::uint64_t passes, std::uint64_t conflicts) {
    counters.shared_ld_bytes += bytes;
    counters.shared_wavefronts_ld += passes;
    counters.shared_conflicts_ld += conflicts;
  }
  // The same in the senses of early profilers.
  void shared_early(bool store, std::uint64_t passes, std::uint64_t conflicts) {
    EarlyCounters& c = counters.early;
    ++(store ? c.shared_store : c.shared_load);
    (store ? c.shared_store_transactions : c.shared_load_transactions) += passes;
    (store ? c.shared_store_replays : c.shared_load_replays) += conflicts;
    c.warp_serialize += conflicts > 0;
  }
  // Passes of an access of constants beyond the first.
  void constants_early(std::uint64_t more) {
    counters.early.constant_serialized += more;
    counters.early.warp_serialize += more > 0;
  }
  void shared_store(std::uint64_t bytes, std::uint64_t passes, std::uint64_t conflicts) {
    counters.shared_st_bytes += bytes;
    counters.shared_wavefronts_st += passes;
    counters.shared_conflicts_st += conflicts;
  }
  // Wavefronts that no access of lanes has: of copies, and of matrices that a product reads.
  void shared_wavefronts(std::uint64_t n) { counters.shared_wavefronts += n; }
  // An asynchronous copy of which every lane is filled with zeros has no read that counts it
  // (measured: kernels/micro/async_passes.cu, cold and past).
  void zero_fill(const AccessPlan& plan, std::uint64_t wavefronts) {
    ++counters.inst_ldgsts;
    if (!plan.bypass_l1) ++counters.ldgsts.requests;
    counters.shared_wavefronts += wavefronts;
  }
  // Sectors that go from one SM of a cluster to another.
  void remote(std::uint64_t sectors) {
    counters.remote_sectors += sectors;
    counters.l1_fill_sectors += sectors;
    counters.l1_write_sectors += sectors;
  }

  void texture(const AccessPlan& plan, std::uint64_t requests, std::uint64_t sectors) {
    OpCounters& c = texture_of(plan);
    c.requests += requests;
    c.sectors += sectors;
  }
  void texture_hits(const AccessPlan& plan, std::uint64_t sectors) {
    texture_of(plan).hits += sectors;
  }

  // Sectors of a line that an SM asks the L2 for, or sends to it.
  void fill(const AccessTiming&, std::uint64_t /*line*/, std::uint64_t sectors) {
    counters.l1_fill_sectors += sectors;
  }
  void sends(const AccessTiming&, std::uint64_t /*line*/, std::uint64_t sectors) {
    counters.l1_write_sectors += sectors;
  }

 private:
  OpCounters& local_of(bool stores) { return stores ? counters.local_st : counters.local_ld; }
  OpCounters& texture_of(const AccessPlan& plan) {
    return plan.action == Action::kTexture        ? counters.texture
           : plan.action == Action::kSurfaceStore ? counters.surface_st
                                                  : counters.surface_ld;
  }
};

}  // namespace warpmem::model
