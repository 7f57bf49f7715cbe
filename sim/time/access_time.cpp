// What a warp's access takes: of its SM's load/store or texture unit, of the queues in front, and
// until its values are there.
#include <algorithm>
#include <bit>

#include "sim/engine/warp_lanes.hpp"
#include "sim/time/launch_time.hpp"

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

std::uint64_t LaunchTime::read_constants(const Sm& sm, const trace::Record& r,
                                         const std::uint64_t* lanes, std::uint64_t issued) {
  std::array<std::uint64_t, 32> address{};
  auto n = static_cast<std::size_t>(r.active());
  std::uint32_t rest = r.mask;
  for (std::size_t i = 0; i < n; ++i, rest &= rest - 1)
    address[i] =
        r.regular()
            ? r.base + static_cast<std::uint64_t>(std::int64_t{std::countr_zero(rest)} * r.stride)
            : lanes[r.lanes + i];
  std::sort(address.begin(), address.begin() + static_cast<std::ptrdiff_t>(n));
  n = static_cast<std::size_t>(
      std::unique(address.begin(), address.begin() + static_cast<std::ptrdiff_t>(n)) -
      address.begin());
  return issued + constants_.read(sm.id, address.data(), n, issued);
}

void LaunchTime::queue_constants(TimedWarp& warp) {
  const std::uint64_t queue = card_.numbers().time_queue_cycles;
  if (constants_.begun() <= warp.ready + queue) return;
  wait(Wait::kConstants, constants_.begun() - queue - warp.ready);
  warp.ready = constants_.begun() - queue;
}

std::uint64_t LaunchTime::read_cycles(const AccessPlan& plan) const {
  const model::CardNumbers& n = card_.numbers();
  const std::uint64_t more = plan.bytes > 4 ? plan.bytes / 4 - 1 : 0;  // registers
  // Stores to shared memory read two further registers in the time of one (measured:
  // kernels/micro/memory_issue.cu, keep shared_store_1_widest). Loads read addresses alone.
  switch (plan.action) {
    case Action::kGlobalStore:
    case Action::kGlobalAtomic:
    case Action::kLocalStore: return n.time_read_global_cycles + more * n.time_read_register_cycles;
    default:
      return n.time_read_cycles +
             (plan.shared == model::SharedKind::kLoad ? 0 : more * n.time_read_register_cycles / 2);
  }
}

// The cycle from which an SM's addresses can be translated, which an access of cycle `at` asks for.
std::uint64_t LaunchTime::translated(Sm& sm, std::uint64_t at) const {
  if (sm.translated == 0) sm.translated = at + card_.numbers().time_translate_cycles;
  return sm.translated;
}

// What an access that goes beyond its SM at cycle `start` makes others wait for; by how much it is
// late itself.
std::uint64_t LaunchTime::reaches_memory(Sm& sm, TimedWarp& warp, const model::AccessTiming& place,
                                         std::uint64_t start) {
  if (!place.left_sm) return 0;
  const model::CardNumbers& n = card_.numbers();
  reaches_memory_ = true;
  const std::uint64_t from = translated(sm, start);
  last_store_ = std::max(last_store_, place.stored);
  warp.sent = std::max(warp.sent, place.sent);
  if (place.stored > start)
    warp.stored = std::max(warp.stored, place.stored + n.latency_l2_near / 2);
  return from - std::min(start, from);
}

// Where an access is, and of which warp.
inline model::AccessTiming LaunchTime::place_of(const Sm& sm, const TimedCta& cta,
                                                const TimedWarp& warp, std::uint32_t w,
                                                std::uint32_t site) const {
  model::AccessTiming place;
  place.sm = sm.id;
  place.warp_slot = cta.first_slot + w;
  place.site = site, place.cta = cta.number, place.warp = w;
  place.async_wavefronts = warp.async_wavefronts;
  return place;
}

void LaunchTime::access(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t w,
                        const trace::Record& r, const AccessPlan& plan, const Issued& issued) {
  switch (plan.action) {
    case Action::kBarrier: return come_to_barrier(sm, cta, warp, w, r, issued.cycle);
    case Action::kConstant: return load_constants(sm, warp, r, plan, issued);
    case Action::kEnd:
    case Action::kIgnore:
    case Action::kProductRead: {
      model::AccessTiming place = place_of(sm, cta, warp, w, r.site);
      place.now = issued.cycle;
      memory_.run(lanes_of(r, warp.at.lanes), plan, place);
      return;
    }
    default: return access_memory(sm, cta, warp, w, r, plan, issued);
  }
}

void LaunchTime::come_to_barrier(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t w,
                                 const trace::Record& r, std::uint64_t issued) {
  ++memory_.counters().records;
  sm.barrier =
      std::max({sm.barrier, issued, warp.arrives}) + card_.numbers().time_barrier_warp_cycles;
  warp.ready = std::max(issued, sm.barrier);
  stand_at(sm, cta, w, static_cast<std::uint32_t>(r.base) % CtaBarriers::kBarriers,
           static_cast<std::uint32_t>(r.stride) / 32);
}

void LaunchTime::load_constants(Sm& sm, TimedWarp& warp, const trace::Record& r,
                                const AccessPlan& plan, const Issued& issued) {
  ++memory_.counters().records;
  memory_.constants(lanes_of(r, warp.at.lanes), plan);
  const std::uint64_t from = read_constants(sm, r, warp.at.lanes, issued.cycle);
  queue_constants(warp);
  if (!issued.step) return;
  warp.set(issued.step->sets, from + issued.step->latency, Wait::kConstants);
  warp.set(issued.step->frees, from, Wait::kConstants);
}

// Its lines may have been listed ahead of its turn.
[[gnu::always_inline]] inline void LaunchTime::run_access(const Sm& sm, const TimedWarp& warp,
                                                          const trace::Record& r,
                                                          const AccessPlan& plan,
                                                          model::AccessTiming& place) {
  const model::WarpLanes asked = lanes_of(r, warp.at.lanes);
  const model::SectoredMemory::Lines* listed = listing_->record == &r ? &listing_->lines : nullptr;
  const bool asks_larger = sectored_ && larger_l1_.asks() && r.mask;
  if (asks_larger && !listed && model::SectoredMemory::prepares(plan)) {
    sectored_->prepare(asked, plan, sm.id, larger_lines_);
    listed = &larger_lines_;
  }
  if (listed) sectored_->run(asked, plan, place, listed);
  else memory_.run(asked, plan, place);
  if (asks_larger) larger_l1_.access(plan, sm.id, listed ? *listed : larger_lines_, place.missed);
  listing_->record = nullptr;
}

// Holds a warp up that may not go on before this cycle.
inline void LaunchTime::hold_up(TimedWarp& warp, std::uint64_t until, Wait cause) {
  if (until <= warp.ready) return;
  wait(cause, until - warp.ready);
  warp.ready = until;
}

// Keeps the load/store unit for an access that it is given at this cycle; passes through its data
// stage. The way back to the registers is as wide as that. Two misses take a cycle of it (measured:
// one SM reading from the L2, and columns of a matrix of which one load in eight misses).
[[gnu::always_inline]] inline std::uint64_t LaunchTime::take_unit(Sm& sm, const trace::Record& r,
                                                                  const AccessPlan& plan,
                                                                  const model::AccessTiming& place,
                                                                  std::uint64_t given) {
  const model::CardNumbers& n = card_.numbers();
  const std::uint32_t bytes = static_cast<std::uint32_t>(std::popcount(r.mask)) * plan.bytes,
                      moved = bytes / static_cast<std::uint32_t>(n.lsu_return_bytes);
  const std::uint64_t passes =
      plan.action == Action::kGlobalLoad ? std::max(place.passes, moved) : place.passes;
  const bool bulk = is_bulk(plan.action);
  const std::uint64_t taken =
      passes * n.lsu_cycles + (bulk || n.lsu_queue != 0 ? 0 : place.missed / 2);
  sm.tags = std::max(place.tags + place.tag_passes, place.held);
  sm.lsu = std::max(given + taken, place.held);
  sm.lsu_taken += taken;
  if (!bulk) lane_bytes_ += bytes;
  return passes;
}

// Copies that are back by then.
inline void LaunchTime::keep_copies(TimedCta& cta, TimedWarp& warp, const AccessPlan& plan,
                                    std::uint64_t done) {
  if (plan.action == Action::kAsyncRead) warp.copies = std::max(warp.copies, done);
  if (plan.action != Action::kBulkRead) return;
  cta.bulk = std::max(cta.bulk, done);
  if (plan.multicast && cta.cluster) cta.cluster->bulk = std::max(cta.cluster->bulk, done);
}

void LaunchTime::access_memory(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t w,
                               const trace::Record& r, const AccessPlan& plan,
                               const Issued& issued) {
  const model::CardNumbers& n = card_.numbers();
  model::AccessTiming place = place_of(sm, cta, warp, w, r.site);
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
  place.tags = std::max({issued.cycle, sm.tags, start - std::min(start, n.time_queue_cycles)});
  run_access(sm, warp, r, plan, place);
  const std::uint64_t passes = take_unit(sm, r, plan, place, given);
  warp.async_wavefronts = place.async_wavefronts;
  const bool bulk = is_bulk(plan.action);
  const std::uint64_t last =
      bulk ? start + passes
           : queue.serve(issued.cycle, start, passes * n.latency_conflict, passes * n.lsu_cycles);
  std::uint64_t done = std::max(place.done + (last - start) - passes, last);
  if (plan.action == Action::kShared) {
    // A barrier behind them waits for the last wavefronts (measured:
    // kernels/micro/shared_conflicts.cu).
    done = n.lsu_queue == 0 ? last + n.latency_shared - 1 : std::max(place.done, last);
    warp.arrives = last - std::min(last, n.time_barrier_lead_cycles);
  }
  if (plan.action == Action::kRemote) warp.stored = std::max(warp.stored, place.stored);
  done += reaches_memory(sm, warp, place, start);
  // So many of a scheduler's accesses wait to be served; a warp beyond them cannot issue.
  hold_up(warp,
          bulk ? start - std::min(start, n.time_queue_cycles)
               : queue.served(is_store(plan.action) ? n.time_queue_stores : n.time_queue_loads),
          Wait::kQueue);
  // A warp's next access comes behind those of others.
  if (translates) hold_up(warp, start, Wait::kMemory);
  keep_copies(cta, warp, plan, done);
  if (!issued.step) return;
  const bool shared = plan.action == Action::kShared || plan.action == Action::kAsyncWrite;
  warp.set(issued.step->sets, done,
           shared          ? Wait::kShort
           : place.left_sm ? Wait::kMemory
                           : Wait::kL1);
  warp.set(issued.step->frees,
           std::max(issued.cycle, queue.served(n.time_queue_moved)) + read_cycles(plan),
           Wait::kShort);
}

// The texture unit takes an SM's fetches in the order in which its warps issue them, beside the
// load/store unit's accesses.
void LaunchTime::fetch_texels(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t w,
                              const AccessPlan& plan, std::uint64_t issued, const Step* step) {
  const model::CardNumbers& n = card_.numbers();
  model::AccessTiming place;
  place.sm = sm.id;
  place.warp_slot = cta.first_slot + w;
  MemoryQueue& queue = sm.schedulers[place.warp_slot & last_scheduler_].texture;
  const std::uint64_t start = std::max({issued, sm.texture, path_.ready(sm.id)});
  place.now = place.tags = start;
  memory_.texture(fetch_.access(), plan, place);
  sm.texture = std::max(start + place.passes, place.held);
  sm.texture_taken += place.passes;
  queue.serve(issued, start, place.passes, place.passes);
  place.done += reaches_memory(sm, warp, place, start);
  const bool store = plan.action == Action::kSurfaceStore;
  const std::uint64_t room = queue.served(store ? n.time_queue_stores : n.time_queue_loads);
  hold_up(warp, room, Wait::kQueue);
  if (!step) return;
  warp.set(step->sets, place.done, place.left_sm ? Wait::kMemory : Wait::kL1);
  warp.set(step->frees, std::max(issued, queue.served(n.time_queue_moved)) + read_cycles(plan),
           Wait::kShort);
}

}  // namespace warpmem::sim
