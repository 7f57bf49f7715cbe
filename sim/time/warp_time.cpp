#include <algorithm>
#include <bit>

#include "sim/time/launch_time.hpp"
#include "sim/engine/warp_lanes.hpp"

namespace warpmem::sim {
namespace {

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
      warp.set(step.sets, from + step.latency,
          from > issued.cycle ? Wait::kConstants : Wait::kShort);
      warp.set(step.frees, issued.cycle + step.latency / 2, Wait::kShort);
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
        warp.set(last->sets, issued.cycle + last->latency, Wait::kShort);
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
        warp.set(static_cast<std::uint8_t>(b), warp.ready + round.later[b], Wait::kShort);
  }
  warp.round = nullptr;
  return true;
}

Result<void> LaunchTime::end_warp(Sm& sm, TimedCta& cta, TimedWarp& warp) {
  // A warp is gone when what it asked for has come, wanted or not.
  for (std::uint64_t clear : warp.clear) warp.ready = std::max(warp.ready, clear);
  cta.barriers.end_warp();
  if (cta.cluster) leave(*cta.cluster, warp);
  check_barriers(sm, cta);
  return {};
}

// Has the warp's next record at hand; false: it has no more.
inline Result<bool> LaunchTime::next_records(TimedCta& cta, std::uint32_t w) {
  const auto position = [&](std::uint32_t k) -> Position& { return cta.warps[k].at; };
  return cta.stream.advance(cache_, w, position);
}

// The instructions from the warp's last record to this one.
inline const Segment* LaunchTime::segment_to(TimedWarp& warp, const trace::Record& r,
                                             const AccessPlan& plan) {
  const trace::Piece piece = plan.bulk ? piece_of(r) : trace::Piece::kUnknown;
  if (piece == trace::Piece::kFurther) return &Paths::kNothing;
  if (plan.action == Action::kRounds) return &lane_ways_.next_rounds(warp.ways, r.site);
  return &lane_ways_.next(warp.ways, r.site, r.mask, piece == trace::Piece::kFirst);
}

// A record that says how often the warp goes round a loop that leaves none itself.
void LaunchTime::begin_rounds(TimedWarp& warp, const trace::Record& r, const Issued& issued) {
  ++memory_.counters().records;
  if (const Step* step = issued.step)
    warp.set(step->sets, issued.cycle + step->latency, Wait::kShort);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;  // nobody has run more
  const Round& round = paths_.round(r.site, std::span(warp.went_round).first(warp.loops));
  if (warp.loops < warp.went_round.size()) warp.went_round[warp.loops++] = r.site;
  warp.rounds =
      std::min(r.base, kMost) - std::min<std::uint64_t>(r.base, round.always_taken ? 1 : 0);
  warp.round = warp.rounds > 0 && !round.ways.empty() ? &round : nullptr;
}

// All records of a fetch; false: the warp has no more behind it.
Result<bool> LaunchTime::run_texture(Sm& sm, TimedCta& cta, std::uint32_t w, const AccessPlan& plan,
                                     const Issued& issued) {
  TimedWarp& warp = cta.warps[w];
  auto more = fetch_.take(warp.at, plans_, [&] { return next_records(cta, w); });
  if (!more) return more.error();
  warp.loops = 0;
  fetch_texels(sm, cta, warp, w, plan, issued.cycle, issued.step);
  return *more;
}

// Whether the instruction of a record has been issued and has its turn; false: it is due again.
inline bool LaunchTime::issue_access(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t slot,
                                     const AccessPlan& plan, Issued& issued) {
  if (warp.issued) {
    issued = {warp.issued_at, warp.issued_in};
    warp.issued = false;
    return true;
  }
  if (!run_segment(sm, cta, warp, slot, issued)) return false;
  // Accesses go to the load/store unit in the order in which the SM's warps issue them.
  if (!takes_turns(plan.action)) return true;
  if (issued.cycle < (now_ + 1) * kWindow && is_next(sm, issued.cycle)) return true;
  warp.issued = true;
  warp.issued_at = issued.cycle;
  warp.issued_in = issued.step;
  schedule_again(sm, slot, issued.cycle);
  return false;
}

Result<void> LaunchTime::run_warp(Sm& sm, TimedCta& cta, std::uint32_t w) {
  TimedWarp& warp = cta.warps[w];
  const std::uint32_t slot = cta.first_slot + w;
  const std::uint64_t end = (now_ + 1) * kWindow;
  while (true) {
    if (warp.round && !warp.segment && !go_round(sm, cta, warp, slot)) return {};
    if (warp.at.next == warp.at.end) {
      auto more = next_records(cta, w);
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
      warp.segment = segment_to(warp, r, plan);
      warp.step = warp.repeat = 0;
    }
    Issued issued{warp.ready, nullptr};
    if (!issue_access(sm, cta, warp, slot, plan, issued)) return {};
    warp.segment = nullptr;
    if (is_texture(plan.action)) {
      auto more = run_texture(sm, cta, w, plan, issued);
      if (!more) return more.error();
      if (!*more) return end_warp(sm, cta, warp);
      if (warp.ready < end) continue;
      schedule(sm, slot, warp.ready);
      return {};
    }
    ++warp.at.next;
    if (plan.action == Action::kRounds) {
      begin_rounds(warp, r, issued);
      continue;
    }
    warp.loops = 0;
    access(sm, cta, warp, w, r, plan, issued);
    if (plan.action == Action::kBarrier) return {};
    if (warp.ready >= end) {
      schedule(sm, slot, warp.ready);
      return {};
    }
  }
}

}  // namespace warpmem::sim
