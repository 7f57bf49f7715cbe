#include <algorithm>
#include <bit>

#include "sim/time/launch_time.hpp"
#include "sim/engine/warp_lanes.hpp"

namespace warpmem::sim {
namespace {

// What an SM cannot begin before it knows where addresses lie. (Stores wait in their queue.)
bool waits_for_translation(Action action) {
  return action == Action::kGlobalLoad || action == Action::kGlobalAtomic ||
         action == Action::kAsyncRead;
}

void set(TimedWarp& warp, std::uint8_t scoreboard, std::uint64_t cycle, Wait cause) {
  if (scoreboard >= kScoreboards) return;
  if (cycle >= warp.clear[scoreboard])
    warp.clear[scoreboard] = cycle, warp.cause[scoreboard] = cause;
}

// Whether an instruction is the load/store unit's.
bool takes_turns(Action action) {
  switch (action) {
    case Action::kBegin:
    case Action::kEnd:
    case Action::kIgnore:
    case Action::kRounds:
    case Action::kBarrier:
    case Action::kTexel:
    case Action::kProductRead:
    case Action::kConstant: return false;
    default: return true;
  }
}

}  // namespace

std::uint64_t LaunchTime::cleared(const TimedCta& cta, const TimedWarp& warp, const Step& step,
                                  Wait& cause) const {
  std::uint64_t until = warp.ready;
  for (std::uint32_t m = step.waits; m; m &= m - 1) {
    const auto b = static_cast<std::size_t>(std::countr_zero(m));
    if (b < kScoreboards && warp.clear[b] > until) until = warp.clear[b], cause = warp.cause[b];
  }
  if (step.drains != kNoScoreboard && warp.group > step.leaves) {
    const std::uint64_t back = warp.groups[(warp.group - 1 - step.leaves) % warp.groups.size()];
    if (back > until) until = back, cause = Wait::kCopies;
  }
  if (step.waits_copies) {
    const std::uint64_t bulk = cta.cluster ? std::max(cta.bulk, cta.cluster->bulk) : cta.bulk;
    if (bulk > until) until = bulk, cause = Wait::kCopies;
  }
  if (step.fences && warp.stored > until) until = warp.stored, cause = Wait::kMemory;
  return until;
}

// A scheduler's warps take turns instruction by instruction, so their steps overlap: each is done
// when its own stalls are over and the scheduler has issued what all of them asked for until then.
template <class N>
std::uint64_t LaunchTime::issue(Sm& sm, TimedWarp& warp, std::uint32_t slot, const Work<N>& work) {
  Scheduler& s = sm.schedulers[slot & last_scheduler_];
  const std::uint64_t start = warp.ready;
  const std::uint64_t free = std::max(start, s.issue);
  const std::uint64_t interval = card_.numbers().sm_issue_interval;
  s.issue = free + (std::uint64_t{work.issues} + work.lost) * interval;
  std::uint64_t last =
      std::max(start + work.to_last, free + (std::uint64_t{work.issues} - 1) * interval);
  wait(Wait::kIssue, last - (start + work.to_last));
  std::uint64_t held = last;
  for (std::size_t p = 0; p < kPipes; ++p) {
    if (!work.busy[p]) continue;
    sm.pipes[p] += work.busy[p];
    s.pipe[p] = std::max(s.pipe[p], start) + work.busy[p];
    const std::uint64_t each = work.busy[p] / std::max<std::uint64_t>(1, work.issues);
    held = std::max(held, s.pipe[p] - std::min(s.pipe[p], each + 1));
  }
  wait(Wait::kPipe, held - last);
  last = held;
  warp.ready = last + (work.cycles - work.to_last);
  sm.issued += work.issues;
  return last;
}

// The driver's functions take each caller a while, its further lanes more, an SM's first callers
// longer, and all callers wait for what is the GPU's (measured: kernels/micro/device_heap.cu). Who
// calls is not known: the lanes of the next record.
void LaunchTime::call_driver(DriverCall call, Sm& sm, TimedWarp& warp, std::uint64_t issued) {
  const model::CardNumbers& n = card_.numbers();
  const std::vector<std::uint64_t>& cost = call == DriverCall::kMalloc ? n.driver_malloc
                                           : call == DriverCall::kFree ? n.driver_free
                                                                       : n.driver_print;
  if (cost.empty()) return;
  std::uint64_t& free = driver_free_[static_cast<std::size_t>(call)];
  const std::uint64_t lanes = std::max(1u, warp.lanes);
  free = std::max(free, issued) + cost[2] + lanes * cost[3];
  std::uint64_t& first = sm.driver_first[static_cast<std::size_t>(call)];
  if (first == 0) first = issued + cost[4];  // its code is there by then
  const std::uint64_t done =
      std::max(std::max(issued, first) + cost[0] + (lanes - 1) * cost[1], free);
  if (done <= warp.ready) return;
  wait(Wait::kMemory, done - warp.ready);
  warp.ready = done;
}

bool LaunchTime::run_steps(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t slot,
                           const Segment& segment, std::uint32_t& at, std::uint32_t until,
                           Issued& issued) {
  const auto steps = static_cast<std::uint32_t>(segment.steps.size());
  const std::uint64_t end = (now_ + 1) * kWindow;
  while (at < until) {
    const Step& step = segment.steps[at];
    if (step.meets && cta.cluster && !meet(*cta.cluster, warp)) return false;
    Wait cause = Wait::kShort;
    if (const std::uint64_t from = cleared(cta, warp, step, cause); from > warp.ready) {
      wait(cause, from - warp.ready);
      warp.ready = from;
    }
    if (!warp.has_code) {
      const std::uint64_t from = sm.code.fetch(step.piece, warp.ready);
      wait(Wait::kCode, from - warp.ready);
      warp.ready = from;
      warp.has_code = true;
    }
    if (step.parameters) {
      const std::uint64_t from = sm.operands.fetch(step.parameters, warp.ready,
                                                   card_.numbers().constant_operand_cycles);
      wait(Wait::kConstants, from - warp.ready);
      warp.ready = from;
    }
    if (step.operand && !warp.has_operand) {
      const std::uint64_t from = read_constants(sm, *step.operand, warp.ready);
      wait(Wait::kConstants, from - warp.ready);
      warp.ready = from;
      warp.has_operand = true;
    }
    if (warp.ready >= end) {
      schedule(sm, slot, warp.ready);
      return false;
    }
    warp.has_code = warp.has_operand = false;
    issued = {issue(sm, warp, slot, step), &step};
    if (step.driver != DriverCall::kNone) call_driver(step.driver, sm, warp, issued.cycle);
    if (step.commits) warp.groups[warp.group++ % warp.groups.size()] = warp.copies;
    ++at;
    if (step.meets) warp.passed = false;
    if (step.joins && cta.cluster) join(*cta.cluster, warp, issued.cycle);
    if (at < steps) {
      std::uint64_t from = issued.cycle;
      if (step.loads) {
        from = read_constants(sm, *step.loads, issued.cycle);
        queue_constants(warp);
      }
      if (step.loads_parameters)
        from = sm.loads.fetch(step.loads_parameters, from, card_.numbers().constant_load_cycles);
      set(warp, step.sets, from + step.latency,
          from > issued.cycle ? Wait::kConstants : Wait::kShort);
      set(warp, step.frees, issued.cycle + step.latency / 2, Wait::kShort);
    }
  }
  return true;
}

bool LaunchTime::run_segment(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t slot,
                             Issued& issued) {
  const Segment& segment = *warp.segment;
  for (; warp.repeat < segment.repeats.size(); ++warp.repeat) {
    const Segment::Repeat& r = segment.repeats[warp.repeat];
    if (!run_steps(sm, cta, warp, slot, segment, warp.step, r.after, issued)) return false;
    if (!warp.round) warp.round = r.round, warp.rounds = r.rounds;
    if (!go_round(sm, cta, warp, slot)) return false;
  }
  return run_steps(sm, cta, warp, slot, segment, warp.step,
                   static_cast<std::uint32_t>(segment.steps.size()), issued);
}

// Rounds of a short body are taken several at a time, so many that a warp's turn is short beside
// what it has left to do. How long they take alone is known; issue slots and pipes are shared as
// ever.
bool LaunchTime::go_round(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t slot) {
  constexpr std::uint64_t kLeast = 32, kMost = 256, kTurns = 8, kMostTurns = 1024;  // instructions
  const Round& round = *warp.round;
  const std::uint64_t issues = std::max<std::uint64_t>(1, round.work.issues / Round::kRounds);
  while (warp.rounds > 0) {
    if (issues > kMost / 2 || round.stepwise) {  // long enough to be taken step by step
      Issued issued;
      const Segment& way = round.segment(warp.rounds);
      if (!run_steps(sm, cta, warp, slot, way, warp.round_step,
                     static_cast<std::uint32_t>(way.steps.size()), issued))
        return false;
      if (const Step* last = issued.step)
        set(warp, last->sets, issued.cycle + last->latency, Wait::kShort);
      warp.round_step = 0;
      --warp.rounds;
      continue;
    }
    if (warp.ready >= (now_ + 1) * kWindow) {
      schedule(sm, slot, warp.ready);
      return false;
    }
    if (!warp.has_code) {
      const std::uint64_t from = sm.code.fetch(round.pieces, warp.ready);
      wait(Wait::kCode, from - warp.ready);
      warp.ready = from;
      warp.has_code = true;
      continue;
    }
    warp.has_code = false;
    const std::uint64_t left = warp.rounds * issues;
    const std::uint64_t turn =
        std::clamp(left / kTurns, kLeast, std::max(kMost, left / kMostTurns));
    const std::uint64_t n = std::clamp<std::uint64_t>(turn / issues, 1, warp.rounds);
    Work<std::uint64_t> work = round.work;
    const auto of_all = [&](std::uint64_t all) { return all * n / Round::kRounds; };
    const std::uint64_t behind = (work.cycles - work.to_last) / Round::kRounds;
    // Rounds differ: what is left of a whole number goes to later ones.
    const auto exact = [&](std::uint64_t all) {
      return all * warp.rounds / Round::kRounds - all * (warp.rounds - n) / Round::kRounds;
    };
    work.issues = exact(work.issues);
    work.lost = exact(work.lost);
    for (std::uint64_t& busy : work.busy) busy = exact(busy);
    work.cycles = std::max(behind, of_all(work.cycles));
    work.to_last = work.cycles - behind;
    issue(sm, warp, slot, work);
    wait(Wait::kShort, of_all(round.idle));
    warp.rounds -= n;
    if (warp.rounds > 0) continue;
    for (std::size_t b = 0; b < kScoreboards; ++b)
      if (round.later[b])
        set(warp, static_cast<std::uint8_t>(b), warp.ready + round.later[b], Wait::kShort);
  }
  warp.round = nullptr;
  return true;
}

Result<void> LaunchTime::end_warp(Sm& sm, TimedCta& cta, TimedWarp& warp) {
  // A warp is gone when what it asked for has come, wanted or not.
  for (std::uint64_t clear : warp.clear) warp.ready = std::max(warp.ready, clear);
  --cta.left;
  if (cta.cluster) leave(*cta.cluster, warp);
  check_barriers(sm, cta);
  return {};
}

Result<void> LaunchTime::run_warp(Sm& sm, TimedCta& cta, std::uint32_t w) {
  TimedWarp& warp = cta.warps[w];
  const std::uint32_t slot = cta.first_slot + w;
  const std::uint64_t end = (now_ + 1) * kWindow;
  while (true) {
    if (warp.round && !warp.segment && !go_round(sm, cta, warp, slot)) return {};
    if (warp.at.next == warp.at.end) {
      const auto position = [&](std::uint32_t k) -> Position& { return cta.warps[k].at; };
      auto more = cta.stream.advance(cache_, w, position);
      if (!more) return more.error();
      if (!*more) return end_warp(sm, cta, warp);
    }
    const trace::Record& r = *warp.at.next;
    const AccessPlan& plan = plans_[r.site];
    if (!warp.segment) {
      if (plan.action != Action::kEnd) warp.lanes = static_cast<std::uint32_t>(r.active());
      if (plan.action == Action::kBegin) {
        ++warp.at.next;
        model::AccessTiming place;
        memory_.run(lanes_of(r, nullptr), plan, place);
        LaneWays::begin(warp.ways, r.mask);
        continue;
      }
      const trace::Piece piece = plan.bulk ? piece_of(r) : trace::Piece::kUnknown;
      warp.segment =
          piece == trace::Piece::kFurther ? &Paths::kNothing
          : plan.action == Action::kRounds
              ? &lane_ways_.next_rounds(warp.ways, r.site)
              : &lane_ways_.next(warp.ways, r.site, r.mask, piece == trace::Piece::kFirst);
      warp.step = warp.repeat = 0;
    }
    Issued issued{warp.ready, nullptr};
    if (warp.issued) {
      issued = {warp.issued_at, warp.issued_in};
      warp.issued = false;
    } else {
      if (!run_segment(sm, cta, warp, slot, issued)) return {};
      // Accesses go to the load/store unit in the order in which the SM's warps issue them.
      if (takes_turns(plan.action) && (issued.cycle >= end || !is_next(sm, issued.cycle))) {
        warp.issued = true;
        warp.issued_at = issued.cycle;
        warp.issued_in = issued.step;
        schedule_again(sm, slot, issued.cycle);
        return {};
      }
    }
    warp.segment = nullptr;
    if (is_texture(plan.action)) {
      const auto position = [&](std::uint32_t k) -> Position& { return cta.warps[k].at; };
      auto more =
          fetch_.take(warp.at, plans_, [&] { return cta.stream.advance(cache_, w, position); });
      if (!more) return more.error();
      warp.loops = 0;
      fetch_texels(sm, cta, warp, w, plan, issued.cycle, issued.step);
      if (!*more) return end_warp(sm, cta, warp);
      if (warp.ready < end) continue;
      schedule(sm, slot, warp.ready);
      return {};
    }
    ++warp.at.next;
    if (plan.action == Action::kRounds) {
      ++memory_.counters().records;
      if (const Step* step = issued.step)
        set(warp, step->sets, issued.cycle + step->latency, Wait::kShort);
      constexpr std::uint64_t kMost = std::uint64_t{1} << 40;  // nobody has run more
      const Round& round = paths_.round(r.site, std::span(warp.went_round).first(warp.loops));
      if (warp.loops < warp.went_round.size()) warp.went_round[warp.loops++] = r.site;
      warp.rounds =
          std::min(r.base, kMost) - std::min<std::uint64_t>(r.base, round.always_taken ? 1 : 0);
      warp.round = warp.rounds > 0 && !round.ways.empty() ? &round : nullptr;
      continue;
    }
    warp.loops = 0;
    access(sm, cta, warp, w, r, plan, warp.at.lanes, issued.cycle, issued.step);
    if (plan.action == Action::kBarrier) return {};
    if (warp.ready >= end) {
      schedule(sm, slot, warp.ready);
      return {};
    }
  }
}

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

void LaunchTime::access(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t w,
                        const trace::Record& r, const AccessPlan& plan, const std::uint64_t* lanes,
                        std::uint64_t issued, const Step* step) {
  const model::CardNumbers& n = card_.numbers();
  if (plan.action == Action::kBarrier) {
    ++memory_.counters().records;
    sm.barrier = std::max({sm.barrier, issued, warp.arrives}) + n.time_barrier_warp_cycles;
    warp.ready = std::max(issued, sm.barrier);
    stand_at(sm, cta, w, static_cast<std::uint32_t>(r.base) % 64,
             static_cast<std::uint32_t>(r.stride) / 32);
    return;
  }
  model::AccessTiming place;
  place.sm = sm.id;
  place.warp_slot = cta.first_slot + w;
  place.site = r.site, place.cta = cta.number, place.warp = w;
  place.async_wavefronts = warp.async_wavefronts;
  model::WarpLanes side;
  if (const trace::Record* shared = shared_side(r, plan, plans_, warp.at)) {
    side = lanes_of(*shared, lanes);
    place.shared = &side;
  }
  if (plan.action == Action::kConstant) {
    ++memory_.counters().records;
    memory_.constants(lanes_of(r, lanes), plan);
    const std::uint64_t from = read_constants(sm, r, lanes, issued);
    queue_constants(warp);
    if (step) set(warp, step->sets, from + step->latency, Wait::kConstants);
    if (step) set(warp, step->frees, from, Wait::kConstants);
    return;
  }
  if (plan.action == Action::kEnd || plan.action == Action::kIgnore ||
      plan.action == Action::kProductRead) {
    place.now = issued;
    memory_.run(lanes_of(r, lanes), plan, place);
    return;
  }
  Scheduler& scheduler = sm.schedulers[place.warp_slot & last_scheduler_];
  MemoryQueue& queue = plan.action == Action::kShared ? scheduler.shared : scheduler.global;
  std::uint64_t given = std::max({issued, sm.lsu, path_.ready(sm.id)});
  // The SM's first read waits until its addresses can be translated, and those behind it wait with
  // it, to be served in turn (measured: reads past the L1 that neighbouring warps make of the same
  // lines share no requests; kernels/micro/own_reads.cu, sum3).
  const bool translates = waits_for_translation(plan.action) && issued < translated(sm, given);
  if (translates) given = std::max(given, sm.translated);
  const std::uint64_t start = std::max(given, queue.free());
  place.now = start;
  // Tags are looked up ahead of the data, by as much as the queue in front of the unit holds.
  place.tags = std::max({issued, sm.tags, start - std::min(start, n.time_queue_cycles)});
  const model::WarpLanes asked = lanes_of(r, lanes);
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
  // The way back to the registers is as wide as the data stage. Two misses take a cycle of it
  // (measured: one SM reading from the L2, and columns of a matrix of which one load in eight
  // misses).
  const std::uint32_t bytes = static_cast<std::uint32_t>(std::popcount(r.mask)) * plan.bytes,
                      moved = bytes / static_cast<std::uint32_t>(n.lsu_return_bytes);
  if (plan.action == Action::kGlobalLoad) place.passes = std::max(place.passes, moved);
  const bool bulk = plan.action == Action::kBulkRead || plan.action == Action::kBulkWrite ||
                    plan.action == Action::kBulkReduce;
  const bool queues = n.lsu_queue == 0;
  const std::uint64_t turns = place.passes * n.lsu_cycles;
  const std::uint64_t taken = turns + (bulk || !queues ? 0 : place.missed / 2);
  sm.tags = std::max(place.tags + place.tag_passes, place.held);
  sm.lsu = std::max(given + taken, place.held);
  sm.lsu_taken += taken;
  if (!bulk) lane_bytes_ += bytes;
  warp.async_wavefronts = place.async_wavefronts;
  const std::uint64_t last =
      bulk ? start + place.passes
           : queue.serve(issued, start, place.passes * n.latency_conflict, turns);
  std::uint64_t done = std::max(place.done + (last - start) - place.passes, last);
  if (plan.action == Action::kShared) {
    // A barrier behind them waits for the last wavefronts (measured:
    // kernels/micro/shared_conflicts.cu).
    done = queues ? last + n.latency_shared - 1 : std::max(place.done, last);
    warp.arrives = last - std::min(last, n.time_barrier_lead_cycles);
  }
  if (plan.action == Action::kRemote) warp.stored = std::max(warp.stored, place.stored);
  done += reaches_memory(sm, warp, place, start);
  // So many of a scheduler's accesses wait to be served; a warp beyond them cannot issue.
  const bool stores = plan.action == Action::kGlobalStore || plan.action == Action::kGlobalAtomic ||
                      plan.action == Action::kLocalStore;
  const std::uint64_t room = bulk ? start - std::min(start, n.time_queue_cycles)
                                  : queue.served(stores ? n.time_queue_stores : n.time_queue_loads);
  if (room > warp.ready) {
    wait(Wait::kQueue, room - warp.ready);
    warp.ready = room;
  }
  if (translates && start > warp.ready) {  // a warp's next access comes behind those of others
    wait(Wait::kMemory, start - warp.ready);
    warp.ready = start;
  }
  const bool shared = plan.action == Action::kShared || plan.action == Action::kAsyncWrite;
  const Wait cause = shared ? Wait::kShort : place.left_sm ? Wait::kMemory : Wait::kL1;
  if (plan.action == Action::kAsyncRead) warp.copies = std::max(warp.copies, done);
  if (plan.action == Action::kBulkRead) {
    cta.bulk = std::max(cta.bulk, done);
    if (plan.multicast && cta.cluster) cta.cluster->bulk = std::max(cta.cluster->bulk, done);
  }
  if (step) {
    set(warp, step->sets, done, cause);
    set(warp, step->frees, std::max(issued, queue.served(n.time_queue_moved)) + read_cycles(plan),
        Wait::kShort);
  }
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
  if (room > warp.ready) {
    wait(Wait::kQueue, room - warp.ready);
    warp.ready = room;
  }
  if (!step) return;
  set(warp, step->sets, place.done, place.left_sm ? Wait::kMemory : Wait::kL1);
  set(warp, step->frees, std::max(issued, queue.served(n.time_queue_moved)) + read_cycles(plan),
      Wait::kShort);
}

}  // namespace warpmem::sim
