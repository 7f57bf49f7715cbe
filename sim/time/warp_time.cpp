#include "sim/time/warp_time.hpp"

#include <algorithm>

#include "sim/engine/lacking.hpp"
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

WarpTime::WarpTime(const LaunchRun& run, const std::vector<AccessPlan>& plans,
                   WindowCalendar& calendar, Waits& waits, BarrierTime& barriers,
                   ListedLines& listed)
    : memory_(run.memory),
      cache_(run.cache),
      plans_(plans),
      calendar_(calendar),
      barriers_(barriers),
      paths_(run.sites(), *run.code(), run.card.instructions(), run.card.numbers().code_piece_bytes,
             cluster_size(run.launch(), run.card) > 1, &run.launch(),
             run.spills ? run.spills->slots() : std::span<const SpillSlot>(),
             run.reader.launches()[run.index].end.times),
      lane_paths_(paths_),
      constants_(run.card, waits),
      steps_(run.card.numbers(), calendar, waits, barriers, constants_),
      accesses_(run.card, run.memory, listed, plans, run.occupancy.shared_config, waits) {}

void WarpTime::end(const WarpTurn& turn) {
  // A warp is gone when what it asked for has come, wanted or not.
  for (std::uint64_t clear : turn.warp.clear) turn.warp.ready = std::max(turn.warp.ready, clear);
  barriers_.end_warp(turn);
}

// The instructions from the warp's last record to this one.
inline const Segment* WarpTime::segment_to(TimedWarp& warp, const trace::Record& r,
                                           const AccessPlan& plan) {
  const trace::Piece piece = plan.bulk ? piece_of(r) : trace::Piece::kUnknown;
  if (piece == trace::Piece::kFurther) return &Paths::kNothing;
  if (plan.action == Action::kRounds) return &lane_paths_.next_rounds(warp.paths, r.site);
  return &lane_paths_.next(warp.paths, r.site, r.mask, piece == trace::Piece::kFirst);
}

inline bool WarpTime::begin_segment(const WarpTurn& turn, const trace::Record& r,
                                    const AccessPlan& plan) {
  TimedWarp& warp = turn.warp;
  if (plan.action != Action::kEnd) warp.lanes = static_cast<std::uint32_t>(r.active());
  if (plan.action == Action::kBegin) {
    ++warp.at.next;
    model::AccessTiming place;
    memory_.run(lanes_of(r, nullptr), plan, place);
    LanePaths::begin(warp.paths, r.mask);
    return false;
  }
  warp.segment = segment_to(warp, r, plan);
  warp.step = warp.repeat = 0;
  return true;
}

// A record that says how often the warp goes round a loop that leaves none itself.
void WarpTime::begin_rounds(TimedWarp& warp, const trace::Record& r, const Issued& issued) {
  ++memory_.counters().records;
  if (const Step* step = issued.step)
    warp.set(step->sets, issued.cycle + step->latency, Wait::kShort);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;  // nobody has run more
  const Round& round = paths_.round(r.site, std::span(warp.went_round).first(warp.loops));
  if (warp.loops < warp.went_round.size()) warp.went_round[warp.loops++] = r.site;
  warp.rounds =
      std::min(r.base, kMost) - std::min<std::uint64_t>(r.base, round.always_taken ? 1 : 0);
  warp.round = warp.rounds > 0 && !round.paths.empty() ? &round : nullptr;
}

// All records of a fetch; false: the warp has no more behind it.
Result<bool> WarpTime::run_texture(const WarpTurn& turn, const AccessPlan& plan,
                                   const Issued& issued) {
  auto more = fetch_.take(turn.warp.at, plans_, [&] { return next_records(turn); });
  if (!more) return more.error();
  turn.warp.loops = 0;
  accesses_.fetch_texels(turn, fetch_.access(), plan, issued);
  return *more;
}

// Whether the instruction of a record has been issued and has its turn; false: it is due again.
inline bool WarpTime::issue_access(const WarpTurn& turn, const AccessPlan& plan, Issued& issued) {
  TimedWarp& warp = turn.warp;
  if (warp.issued) {
    issued = {warp.issued_at, warp.issued_in};
    warp.issued = false;
    return true;
  }
  if (!steps_.run_segment(turn, issued)) return false;
  // Accesses go to the load/store unit in the order in which the SM's warps issue them.
  if (!takes_turns(plan.action)) return true;
  if (issued.cycle < calendar_.window_end() && calendar_.is_next(turn.sm.place, issued.cycle))
    return true;
  warp.issued = true;
  warp.issued_at = issued.cycle;
  warp.issued_in = issued.step;
  calendar_.add_again(turn.sm.place, turn.slot(), issued.cycle);
  return false;
}

void WarpTime::load_constants(const WarpTurn& turn, const trace::Record& r, const AccessPlan& plan,
                              const Issued& issued) {
  TimedWarp& warp = turn.warp;
  ++memory_.counters().records;
  memory_.constants(lanes_of(r, warp.at.lanes), plan);
  const std::uint64_t from = constants_.read(turn.sm, r, warp.at.lanes, issued.cycle);
  constants_.queue(warp);
  if (!issued.step) return;
  warp.set(issued.step->sets, from + issued.step->latency, Wait::kConstants);
  warp.set(issued.step->frees, from, Wait::kConstants);
}

inline void WarpTime::access(const WarpTurn& turn, const trace::Record& r, const AccessPlan& plan,
                             const Issued& issued) {
  switch (plan.action) {
    case Action::kBarrier:
      ++memory_.counters().records;
      return barriers_.wait(turn, issued.cycle,
                            static_cast<std::uint32_t>(r.base) % CtaBarriers::kBarriers,
                            static_cast<std::uint32_t>(r.stride) / 32);
    case Action::kConstant: return load_constants(turn, r, plan, issued);
    case Action::kEnd:
    case Action::kIgnore:
    case Action::kProductRead: return accesses_.count(turn, r, plan, issued.cycle);
    default: return accesses_.run(turn, r, plan, issued);
  }
}

Result<void> WarpTime::run(const WarpTurn& turn) {
  TimedWarp& warp = turn.warp;
  const std::uint64_t end_of_window = calendar_.window_end();
  while (true) {
    if (warp.round && !warp.segment && !steps_.go_round(turn)) return {};
    if (warp.at.next == warp.at.end) {
      auto more = next_records(turn);
      if (!more) return more.error();
      if (!*more) return end(turn), Result<void>();
    }
    const trace::Record& r = *warp.at.next;
    const AccessPlan& plan = plans_[r.site];
    if (!warp.segment && !begin_segment(turn, r, plan)) continue;
    Issued issued{warp.ready, nullptr};
    if (!issue_access(turn, plan, issued)) return {};
    warp.segment = nullptr;
    if (is_texture(plan.action)) {
      auto more = run_texture(turn, plan, issued);
      if (!more) return more.error();
      if (!*more) return end(turn), Result<void>();
    } else {
      ++warp.at.next;
      if (plan.action == Action::kRounds) {
        begin_rounds(warp, r, issued);
        continue;
      }
      warp.loops = 0;
      access(turn, r, plan, issued);
      if (plan.action == Action::kBarrier) return {};
    }
    if (warp.ready < end_of_window) continue;
    calendar_.add(turn.sm.place, turn.slot(), warp.ready);
    return {};
  }
}

}  // namespace warpmem::sim
