#include "sim/time/warp_steps.hpp"

#include <algorithm>
#include <bit>

namespace warpmem::sim {

WarpSteps::WarpSteps(const model::CardNumbers& card, WindowCalendar& calendar, Waits& waits,
                     BarrierTime& barriers, ConstantTime& constants)
    : card_(card),
      calendar_(calendar),
      waits_(waits),
      barriers_(barriers),
      constants_(constants),
      last_scheduler_(static_cast<std::uint32_t>(card.sm_schedulers) - 1) {}

inline std::uint64_t WarpSteps::cleared(const TimedCta& cta, const TimedWarp& warp,
                                        const Step& step, Wait& cause) {
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
inline std::uint64_t WarpSteps::issue(const WarpTurn& turn, const Work<N>& work) {
  TimedSm& sm = turn.sm;
  TimedWarp& warp = turn.warp;
  Scheduler& s = sm.schedulers[turn.slot() & last_scheduler_];
  const std::uint64_t start = warp.ready;
  const std::uint64_t free = std::max(start, s.issue);
  const std::uint64_t interval = card_.sm_issue_interval;
  s.issue = free + (std::uint64_t{work.issues} + work.lost) * interval;
  std::uint64_t last =
      std::max(start + work.to_last, free + (std::uint64_t{work.issues} - 1) * interval);
  waits_.add(Wait::kIssue, last - (start + work.to_last));
  std::uint64_t held = last;
  for (std::size_t p = 0; p < kPipes; ++p) {
    if (!work.busy[p]) continue;
    sm.pipes[p] += work.busy[p];
    s.pipe[p] = std::max(s.pipe[p], start) + work.busy[p];
    const std::uint64_t each = work.busy[p] / std::max<std::uint64_t>(1, work.issues);
    held = std::max(held, s.pipe[p] - std::min(s.pipe[p], each + 1));
  }
  waits_.add(Wait::kPipe, held - last);
  last = held;
  warp.ready = last + (work.cycles - work.to_last);
  sm.issued += work.issues;
  return last;
}

// The driver's functions take each caller a while, its further lanes more, an SM's first callers
// longer, and all callers wait for what is the GPU's (measured: kernels/micro/device_heap.cu). Who
// calls is not known: the lanes of the next record.
void WarpSteps::call_driver(DriverCall call, const WarpTurn& turn, std::uint64_t issued) {
  const std::vector<std::uint64_t>& cost = call == DriverCall::kMalloc ? card_.driver_malloc
                                           : call == DriverCall::kFree ? card_.driver_free
                                                                       : card_.driver_print;
  if (cost.empty()) return;
  std::uint64_t& free = driver_free_[static_cast<std::size_t>(call)];
  const std::uint64_t lanes = std::max(1u, turn.warp.lanes);
  free = std::max(free, issued) + cost[2] + lanes * cost[3];
  std::uint64_t& first = turn.sm.driver_first[static_cast<std::size_t>(call)];
  if (first == 0) first = issued + cost[4];  // its code is there by then
  const std::uint64_t done =
      std::max(std::max(issued, first) + cost[0] + (lanes - 1) * cost[1], free);
  waits_.hold_up(turn.warp, done, Wait::kMemory);
}

inline bool WarpSteps::gets_ready(const WarpTurn& turn, const Step& step) {
  TimedSm& sm = turn.sm;
  TimedWarp& warp = turn.warp;
  Wait cause = Wait::kShort;
  const std::uint64_t from = cleared(turn.cta, warp, step, cause);
  waits_.hold_up(warp, from, cause);
  if (!warp.has_code) {
    waits_.hold_up(warp, sm.code.fetch(step.piece, warp.ready), Wait::kCode);
    warp.has_code = true;
  }
  if (step.parameters)
    waits_.hold_up(warp,
                   sm.operands.fetch(step.parameters, warp.ready, card_.constant_operand_cycles),
                   Wait::kConstants);
  if (step.operand && !warp.has_operand) {
    waits_.hold_up(warp, constants_.read(sm, *step.operand, warp.ready), Wait::kConstants);
    warp.has_operand = true;
  }
  if (warp.ready >= calendar_.window_end()) {
    calendar_.add(sm.place, turn.slot(), warp.ready);
    return false;
  }
  warp.has_code = warp.has_operand = false;
  return true;
}

inline void WarpSteps::leave_results(const WarpTurn& turn, const Step& step, std::uint64_t issued) {
  std::uint64_t from = issued;
  if (step.loads) {
    from = constants_.read(turn.sm, *step.loads, issued);
    constants_.queue(turn.warp);
  }
  if (step.loads_parameters)
    from = turn.sm.loads.fetch(step.loads_parameters, from, card_.constant_load_cycles);
  turn.warp.set(step.sets, from + step.latency, from > issued ? Wait::kConstants : Wait::kShort);
  turn.warp.set(step.frees, issued + step.latency / 2, Wait::kShort);
}

bool WarpSteps::run_steps(const WarpTurn& turn, const Segment& segment, std::uint32_t& at,
                          std::uint32_t until, Issued& issued) {
  TimedWarp& warp = turn.warp;
  const bool in_cluster = turn.cta.cluster != nullptr;
  while (at < until) {
    const Step& step = segment.steps[at];
    if (step.meets && in_cluster && !barriers_.wait_at_cluster(turn)) return false;
    if (!gets_ready(turn, step)) return false;
    issued = {issue(turn, step), &step};
    if (step.driver != DriverCall::kNone) call_driver(step.driver, turn, issued.cycle);
    if (step.commits) warp.groups[warp.group++ % warp.groups.size()] = warp.copies;
    ++at;
    if (step.meets) warp.at_cluster.passed = false;
    if (step.joins && in_cluster) barriers_.arrive_at_cluster(turn, issued.cycle);
    // What a record's own instruction leaves is its access's to say.
    if (at < segment.steps.size()) leave_results(turn, step, issued.cycle);
  }
  return true;
}

bool WarpSteps::run_segment(const WarpTurn& turn, Issued& issued) {
  TimedWarp& warp = turn.warp;
  const Segment& segment = *warp.segment;
  for (; warp.repeat < segment.repeats.size(); ++warp.repeat) {
    const Segment::Repeat& r = segment.repeats[warp.repeat];
    if (!run_steps(turn, segment, warp.step, r.after, issued)) return false;
    if (!warp.round) warp.round = r.round, warp.rounds = r.rounds;
    if (!go_round(turn)) return false;
  }
  return run_steps(turn, segment, warp.step, static_cast<std::uint32_t>(segment.steps.size()),
                   issued);
}

namespace {
constexpr std::uint64_t kLeast = 32, kMost = 256, kTurns = 8, kMostTurns = 1024;  // instructions
}  // namespace

// Rounds of a short body are taken several at a time, so many that a warp's turn is short beside
// what it has left to do. How long they take alone is known; issue slots and pipes are shared as
// ever.
bool WarpSteps::go_round(const WarpTurn& turn) {
  TimedWarp& warp = turn.warp;
  const Round& round = *warp.round;
  const std::uint64_t issues = std::max<std::uint64_t>(1, round.work.issues / Round::kRounds);
  while (warp.rounds > 0) {
    if (issues > kMost / 2 || round.stepwise) {  // long enough to be taken step by step
      Issued issued;
      const Segment& path = round.segment(warp.rounds);
      if (!run_steps(turn, path, warp.round_step, static_cast<std::uint32_t>(path.steps.size()),
                     issued))
        return false;
      if (const Step* last = issued.step)
        warp.set(last->sets, issued.cycle + last->latency, Wait::kShort);
      warp.round_step = 0;
      --warp.rounds;
      continue;
    }
    if (warp.ready >= calendar_.window_end()) {
      calendar_.add(turn.sm.place, turn.slot(), warp.ready);
      return false;
    }
    if (!warp.has_code) {
      waits_.hold_up(warp, turn.sm.code.fetch(round.pieces, warp.ready), Wait::kCode);
      warp.has_code = true;
      continue;
    }
    warp.has_code = false;
    issue_rounds(turn, round, issues);
    if (warp.rounds > 0) continue;
    for (std::size_t b = 0; b < kScoreboards; ++b)
      if (round.later[b])
        warp.set(static_cast<std::uint8_t>(b), warp.ready + round.later[b], Wait::kShort);
  }
  warp.round = nullptr;
  return true;
}

void WarpSteps::issue_rounds(const WarpTurn& turn, const Round& round, std::uint64_t issues) {
  TimedWarp& warp = turn.warp;
  const std::uint64_t left = warp.rounds * issues;
  const std::uint64_t instructions =
      std::clamp(left / kTurns, kLeast, std::max(kMost, left / kMostTurns));
  const std::uint64_t n = std::clamp<std::uint64_t>(instructions / issues, 1, warp.rounds);
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
  issue(turn, work);
  waits_.add(Wait::kShort, of_all(round.idle));
  warp.rounds -= n;
}

}  // namespace warpmem::sim
