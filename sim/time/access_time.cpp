#include "sim/time/access_time.hpp"

#include <algorithm>
#include <bit>

#include "sim/engine/warp_lanes.hpp"
#include "sim/engine/warp_state.hpp"

namespace warpmem::sim {
namespace {

// What an SM cannot begin before it knows where addresses lie. (Stores wait in their queue.)
bool waits_for_translation(Action action) {
  return action == Action::kGlobalLoad || action == Action::kGlobalAtomic ||
         action == Action::kAsyncRead;
}

bool is_bulk(Action action) {
  return action == Action::kBulkRead || action == Action::kBulkWrite ||
         action == Action::kBulkReduce;
}

bool is_store(Action action) {
  return action == Action::kGlobalStore || action == Action::kGlobalAtomic ||
         action == Action::kLocalStore;
}

}  // namespace

AccessTime::AccessTime(const model::Card& card, model::MemorySystem& memory, ListedLines& listed,
                       const std::vector<AccessPlan>& plans, std::uint64_t shared_config,
                       Waits& waits)
    : card_(card.numbers()),
      memory_(memory),
      lister_(memory.line_lister()),
      path_(*memory.path()),
      listed_(listed),
      plans_(plans),
      waits_(waits),
      last_scheduler_(static_cast<std::uint32_t>(card.numbers().sm_schedulers) - 1),
      larger_l1_(card, shared_config) {}

std::uint64_t AccessTime::read_cycles(const AccessPlan& plan) const {
  const std::uint64_t more = plan.bytes > 4 ? plan.bytes / 4 - 1 : 0;  // registers
  // Stores to shared memory read two further registers in the time of one (measured:
  // kernels/micro/memory_issue.cu, keep shared_store_1_widest). Loads read addresses alone.
  switch (plan.action) {
    case Action::kGlobalStore:
    case Action::kGlobalAtomic:
    case Action::kLocalStore:
      return card_.time_read_global_cycles + more * card_.time_read_register_cycles;
    default:
      return card_.time_read_cycles + (plan.shared == model::SharedKind::kLoad
                                           ? 0
                                           : more * card_.time_read_register_cycles / 2);
  }
}

// The cycle from which an SM's addresses can be translated, which an access of cycle `at` asks for.
std::uint64_t AccessTime::translated(TimedSm& sm, std::uint64_t at) const {
  if (sm.translated == 0) sm.translated = at + card_.time_translate_cycles;
  return sm.translated;
}

// What an access that goes beyond its SM at cycle `start` makes others wait for; by how much it is
// late itself.
std::uint64_t AccessTime::reaches_memory(TimedSm& sm, TimedWarp& warp,
                                         const model::AccessTiming& place, std::uint64_t start) {
  if (!place.left_sm) return 0;
  reaches_memory_ = true;
  const std::uint64_t from = translated(sm, start);
  last_store_ = std::max(last_store_, place.stored);
  warp.sent = std::max(warp.sent, place.sent);
  if (place.stored > start)
    warp.stored = std::max(warp.stored, place.stored + card_.latency_l2_near / 2);
  return from - std::min(start, from);
}

// Where an access is, and of which warp.
inline model::AccessTiming AccessTime::place_of(const WarpTurn& turn, std::uint32_t site) {
  model::AccessTiming place;
  place.sm = turn.sm.id;
  place.warp_slot = turn.slot();
  place.site = site, place.cta = turn.cta.number, place.warp = turn.number;
  place.async_wavefronts = turn.warp.async_wavefronts;
  return place;
}

void AccessTime::count(const WarpTurn& turn, const trace::Record& r, const AccessPlan& plan,
                       std::uint64_t issued) {
  model::AccessTiming place = place_of(turn, r.site);
  place.now = issued;
  memory_.run(lanes_of(r, turn.warp.at.lanes), plan, place);
}

// Its lines may have been listed ahead of its turn.
[[gnu::always_inline]] inline void AccessTime::run_access(const WarpTurn& turn,
                                                          const trace::Record& r,
                                                          const AccessPlan& plan,
                                                          model::AccessTiming& place) {
  const model::WarpLanes asked = lanes_of(r, turn.warp.at.lanes);
  const model::LineLister::Lines* listed = listed_.of(r);
  const bool asks_larger = lister_ && larger_l1_.asks() && r.mask;
  if (asks_larger && !listed && model::SectoredLines::prepares(plan)) {
    lister_->prepare(asked, plan, turn.sm.id, larger_lines_);
    listed = &larger_lines_;
  }
  if (listed) lister_->run_prepared(asked, plan, place, *listed);
  else memory_.run(asked, plan, place);
  if (asks_larger)
    larger_l1_.access(plan, turn.sm.id, listed ? *listed : larger_lines_, place.missed);
  listed_.forget();
}

// Keeps the load/store unit for an access that it is given at this cycle; passes through its data
// stage. The path back to the registers is as wide as that. Two misses take a cycle of it
// (measured: one SM reading from the L2, and columns of a matrix of which one load in eight
// misses).
[[gnu::always_inline]] inline std::uint64_t AccessTime::take_unit(TimedSm& sm,
                                                                  const trace::Record& r,
                                                                  const AccessPlan& plan,
                                                                  const model::AccessTiming& place,
                                                                  std::uint64_t given) {
  const std::uint32_t bytes = static_cast<std::uint32_t>(std::popcount(r.mask)) * plan.bytes,
                      moved = bytes / static_cast<std::uint32_t>(card_.lsu_return_bytes);
  const std::uint64_t passes =
      plan.action == Action::kGlobalLoad ? std::max(place.passes, moved) : place.passes;
  const bool bulk = is_bulk(plan.action);
  const std::uint64_t taken =
      passes * card_.lsu_cycles + (bulk || card_.lsu_queue != 0 ? 0 : place.missed / 2);
  sm.tags = std::max(place.tags + place.tag_passes, place.held);
  sm.lsu = std::max(given + taken, place.held);
  sm.lsu_taken += taken;
  if (!bulk) lane_bytes_ += bytes;
  return passes;
}

// Copies that are back by then.
inline void AccessTime::keep_copies(TimedCta& cta, TimedWarp& warp, const AccessPlan& plan,
                                    std::uint64_t done) {
  if (plan.action == Action::kAsyncRead) warp.copies = std::max(warp.copies, done);
  if (plan.action != Action::kBulkRead) return;
  cta.bulk = std::max(cta.bulk, done);
  if (plan.multicast && cta.cluster) cta.cluster->bulk = std::max(cta.cluster->bulk, done);
}

void AccessTime::run(const WarpTurn& turn, const trace::Record& r, const AccessPlan& plan,
                     const Issued& issued) {
  TimedSm& sm = turn.sm;
  TimedWarp& warp = turn.warp;
  model::AccessTiming place = place_of(turn, r.site);
  model::WarpLanes side;
  if (const trace::Record* shared = shared_side(r, plan, plans_, warp.at)) {
    side = lanes_of(*shared, warp.at.lanes);
    place.shared = &side;
  }
  Scheduler& scheduler = sm.schedulers[place.warp_slot & last_scheduler_];
  MemoryQueue& queue = plan.action == Action::kShared ? scheduler.shared : scheduler.global;
  std::uint64_t given = std::max({issued.cycle, sm.lsu, path_.ready(sm.id)});
  // The SM's first read waits until its addresses can be translated, and those behind it wait with
  // it, to be served in turn (measured: reads past the L1 that neighbouring warps make of the same
  // lines share no requests; kernels/micro/own_reads.cu, sum3).
  const bool translates =
      waits_for_translation(plan.action) && issued.cycle < translated(sm, given);
  if (translates) given = std::max(given, sm.translated);
  const std::uint64_t start = std::max(given, queue.free());
  place.now = start;
  // Tags are looked up ahead of the data, by as much as the queue in front of the unit holds.
  place.tags = std::max({issued.cycle, sm.tags, start - std::min(start, card_.time_queue_cycles)});
  run_access(turn, r, plan, place);
  const std::uint64_t passes = take_unit(sm, r, plan, place, given);
  warp.async_wavefronts = place.async_wavefronts;
  const bool bulk = is_bulk(plan.action);
  const std::uint64_t last = bulk
                                 ? start + passes
                                 : queue.serve(issued.cycle, start, passes * card_.latency_conflict,
                                               passes * card_.lsu_cycles);
  std::uint64_t done = std::max(place.done + (last - start) - passes, last);
  if (plan.action == Action::kShared) {
    // A barrier behind them waits for the last wavefronts (measured:
    // kernels/micro/shared_conflicts.cu).
    done = card_.lsu_queue == 0 ? last + card_.latency_shared - 1 : std::max(place.done, last);
    warp.arrives = last - std::min(last, card_.time_barrier_lead_cycles);
  }
  if (plan.action == Action::kRemote) warp.stored = std::max(warp.stored, place.stored);
  done += reaches_memory(sm, warp, place, start);
  // So many of a scheduler's accesses wait to be served; a warp beyond them cannot issue.
  waits_.hold_up(
      warp,
      bulk ? start - std::min(start, card_.time_queue_cycles)
           : queue.served(is_store(plan.action) ? card_.time_queue_stores : card_.time_queue_loads),
      Wait::kQueue);
  // A warp's next access comes behind those of others.
  if (translates) waits_.hold_up(warp, start, Wait::kMemory);
  keep_copies(turn.cta, warp, plan, done);
  if (!issued.step) return;
  const bool shared = plan.action == Action::kShared || plan.action == Action::kAsyncWrite;
  warp.set(issued.step->sets, done,
           shared          ? Wait::kShort
           : place.left_sm ? Wait::kMemory
                           : Wait::kL1);
  warp.set(issued.step->frees,
           std::max(issued.cycle, queue.served(card_.time_queue_moved)) + read_cycles(plan),
           Wait::kShort);
}

// The texture unit takes an SM's fetches in the order in which its warps issue them, beside the
// load/store unit's accesses.
void AccessTime::fetch_texels(const WarpTurn& turn, const model::TextureAccess& access,
                              const AccessPlan& plan, const Issued& issued) {
  TimedSm& sm = turn.sm;
  TimedWarp& warp = turn.warp;
  const Step* const step = issued.step;
  model::AccessTiming place;
  place.sm = sm.id;
  place.warp_slot = turn.slot();
  MemoryQueue& queue = sm.schedulers[place.warp_slot & last_scheduler_].texture;
  const std::uint64_t start = std::max({issued.cycle, sm.texture, path_.ready(sm.id)});
  place.now = place.tags = start;
  memory_.texture(access, plan, place);
  sm.texture = std::max(start + place.passes, place.held);
  sm.texture_taken += place.passes;
  queue.serve(issued.cycle, start, place.passes, place.passes);
  place.done += reaches_memory(sm, warp, place, start);
  const bool store = plan.action == Action::kSurfaceStore;
  const std::uint64_t room = queue.served(store ? card_.time_queue_stores : card_.time_queue_loads);
  waits_.hold_up(warp, room, Wait::kQueue);
  if (!step) return;
  warp.set(step->sets, place.done, place.left_sm ? Wait::kMemory : Wait::kL1);
  warp.set(step->frees,
           std::max(issued.cycle, queue.served(card_.time_queue_moved)) + read_cycles(plan),
           Wait::kShort);
}

}  // namespace warpmem::sim
