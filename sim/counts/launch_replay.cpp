#include "sim/counts/launch_replay.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/large_pages.hpp"
#include "base/prefetch.hpp"
#include "model/system/one_line.hpp"
#include "sim/engine/lacking.hpp"
#include "sim/engine/placement.hpp"
#include "sim/engine/warp_lanes.hpp"

namespace warpmem::sim {
namespace {

constexpr std::uint64_t kStepCycles = 16;  // one step of the clock

// How many warps ahead of the one that runs its needs are asked for.
constexpr std::size_t kStateAhead = 24, kRecordAhead = 12, kLanesAhead = 8, kLineAhead = 8,
                      kPrepareAhead = 4;

constexpr WarpState kNewWarp{};

}  // namespace

template <bool part>
LaunchReplayOf<part>::LaunchReplayOf(const trace::TraceReader& reader, std::uint32_t index,
                                     const model::Card& card, model::MemorySystem& memory,
                                     BlockCache& cache, const Occupancy& occupancy, Spills* spills,
                                     bool flat, const SmRange& sms)
    : reader_(reader),
      index_(index),
      card_(card),
      memory_(memory),
      cache_(cache),
      occupancy_(occupancy),
      schedulers_(std::countr_zero(card.numbers().sm_schedulers)),
      flat_(flat),
      spills_(spills),
      plans_(plan_sites(card, sites_of(reader, index, spills),
                        reader.programs()[reader.launches()[index].launch.program])),
      dependence_(sites_of(reader, index, spills),
                  reader.programs()[reader.launches()[index].launch.program]),
      ctas_((sms.end - sms.first) * occupancy.ctas),
      warps_((sms.end - sms.first) * Calendar::kSlots, large_pages()),
      next_record_(warps_.size()),
      calendar_(sms.end - sms.first) {
  if constexpr (part) sectored_ = static_cast<model::PartMemory*>(&memory);
  else sectored_ = memory.sectored();
  if (cache.rewrite()) cache.rewrite()->apply(plans_);
  for (std::size_t i = sms.first; i < sms.end; ++i) {
    sms_.emplace_back();
    sms_.back().id = static_cast<int>(card.numbers().cta_order[i]);
    sms_.back().free = (std::uint64_t{2} << (occupancy.ctas - 1)) - 1;
  }
  number_.resize(card.numbers().sm_count);
  for (std::uint32_t i = 0; i < sms_.size(); ++i) number_[static_cast<std::size_t>(sms_[i].id)] = i;
  if constexpr (part) {
    again_.resize(warps_.size());
    soonest_back_ = sectored_->l2().soonest_cycles();
  }
  for (const AccessPlan& plan : plans_) {
    const bool mark = plan.action == Action::kBegin || plan.action == Action::kEnd;
    const bool of_line = plan.fetch_sectors <= model::kSectorsPerLine;  // or of a block of two
    const std::uint32_t bytes = sectored_ && !flat_ && of_line && sectored_->takes_lines()
                                    ? model::SectoredLines::bytes_of_lines(plan)
                                    : 0;
    const Kind access = plan.action == Action::kGlobalStore ? Kind::kStore : Kind::kLoad;
    forms_.push_back({static_cast<std::int32_t>(bytes), mark    ? Kind::kMark
                                                        : bytes ? access
                                                                : Kind::kOther});
  }
}

template <bool part>
Result<void> LaunchReplayOf<part>::run(const std::function<bool(std::uint64_t)>& tick) {
  const auto interrupted = [this] {
    return Error{ErrorKind::kInterrupted, "replay was interrupted", reader_.path(), ""};
  };
  auto ctas = reader_.ctas(index_);
  if (!ctas) return ctas.error();
  waiting_ = std::move(ctas).value();
  if (cache_.rewrite()) cache_.rewrite()->apply(reader_.launches()[index_].launch, waiting_);
  if (!place_first()) return *error_;
  std::uint64_t since_tick = 0;
  for (; resident_ > 0; ++now_) {
    if (calendar_.empty()) {
      release_barriers();
      if (calendar_.empty()) return nobody_can_go_on(standing(), reader_.path());
    }
    if (!run_step()) return *error_;
    if (tick && memory_.counters().records > since_tick + 50000) {
      since_tick = memory_.counters().records;
      if (!tick(since_tick)) return interrupted();
    }
  }
  return tick && !tick(memory_.counters().records) ? interrupted() : Result<void>();
}

template <bool part>
bool LaunchReplayOf<part>::fail(Error error) {
  error_ = std::move(error);
  return false;
}

// The first CTAs go where hardware puts them, one after the other; a later one takes the place of
// the one that ended.
template <bool part>
bool LaunchReplayOf<part>::place_first() {
  const trace::Launch& launch = reader_.launches()[index_].launch;
  if (const std::uint64_t cluster = cluster_size(launch, card_); cluster > 1) {
    placement_ = std::make_unique<ClusterPlacement>(card_, cluster, occupancy_.ctas);
    order_by_cluster(launch, waiting_);
    return start_clusters(0);
  }
  const std::vector<int> sms = first_placement(card_, occupancy_.ctas, waiting_.size());
  const bool whole = sms.size() == waiting_.size();
  const auto starts = first_starts(card_, sms, occupancy_.warps_per_cta, whole);
  for (std::size_t i = 0; i < sms.size(); ++i)
    if (!start_next(number_[static_cast<std::size_t>(sms[i])], starts.cycle[i])) return false;
  return true;
}

template <bool part>
bool LaunchReplayOf<part>::start_clusters(std::uint64_t cycle) {
  const trace::Launch& launch = reader_.launches()[index_].launch;
  while (next_ < waiting_.size()) {
    const std::uint64_t number = cluster_of(launch, waiting_[next_]);
    std::size_t ctas = 1;  // of the cluster, that the trace has
    while (next_ + ctas < waiting_.size() && cluster_of(launch, waiting_[next_ + ctas]) == number)
      ++ctas;
    const std::vector<int> chosen = placement_->place(ctas);
    if (chosen.empty()) return true;
    for (int sm : chosen)
      if (!start_next(number_[static_cast<std::size_t>(sm)], cycle ? cycle : placed_++ * 6 / 5))
        return false;
  }
  return true;
}

// The instructions before the warp's next access take their time, whatever other warps do; the
// cycle from which it has all it needs.
template <bool part>
inline std::uint64_t LaunchReplayOf<part>::lead_up(WarpState& warp, std::uint32_t site,
                                                   const AccessPlan& plan,
                                                   std::uint32_t instructions) {
  if (!warp.led_up) warp.ready += std::uint64_t{instructions} * card_.numbers().sm_issue_cycles;
  warp.led_up = true;
  if (warp.loads > 0) warp.ready = wait(warp, site, plan);
  return warp.ready;
}

// The cycle from which the next access has all it needs, of some loads that are out; mostly there
// is one.
template <bool part>
inline std::uint64_t LaunchReplayOf<part>::wait(WarpState& warp, std::uint32_t site,
                                                const AccessPlan& plan) {
  if (warp.loads > 1) return wait_for(warp, site, plan);
  const std::uint64_t done = warp.done[0];
  const bool needs =
      plan.action == Action::kEnd || dependence_.waits(warp.load_site[0], warp.last_site, site);
  if (needs || done <= warp.ready) warp.loads = 0;
  return needs ? later(warp.ready, done) : warp.ready;
}

template <bool part>
inline void LaunchReplayOf<part>::remember(WarpState& warp, std::uint32_t site,
                                           std::uint64_t done) {
  if (warp.loads == WarpState::kLoads) {
    // More than the warp keeps track of: it waits for the oldest.
    if constexpr (!part) warp.ready = std::max(warp.ready, warp.done[0]);
    --warp.loads;
    warp.done[0] = warp.done[warp.loads];
    warp.load_site[0] = warp.load_site[warp.loads];
  }
  warp.done[warp.loads] = done;
  warp.load_site[warp.loads] = static_cast<std::uint16_t>(site);
  ++warp.loads;
}

// Enters a warp into the calendar; what lies beyond it is entered at its end and looked at again.
template <bool part>
inline void LaunchReplayOf<part>::schedule(std::uint32_t number, std::uint64_t cycle) {
  if constexpr (part) {
    if (again_[number] || unknown(cycle)) return later_.push_back(number);
    const std::uint64_t step = std::max(cycle / kStepCycles, now_ + 1);
    late_ |= cycle + soonest_back_ < (step + kMostBatch) * kStepCycles;
  }
  calendar_.add(number,
                std::min(std::max(cycle / kStepCycles, now_ + 1), now_ + Calendar::kSteps - 1));
}

template <bool part>
inline void LaunchReplayOf<part>::fetch_state(std::uint32_t number) const {
  const char* warp = reinterpret_cast<const char*>(&warps_[number]);
  warpmem::prefetch(warp);
  warpmem::prefetch(warp + 64);
}

template <bool part>
bool LaunchReplayOf<part>::start_next(std::uint32_t sm, std::uint64_t cycle) {
  if (next_ == waiting_.size()) return true;
  return start_cta(sm, waiting_[next_++], cycle);
}

template <bool part>
inline bool LaunchReplayOf<part>::start_cta(std::uint32_t sm, std::uint64_t number,
                                            std::uint64_t cycle) {
  const auto slot = static_cast<std::uint32_t>(std::countr_zero(sms_[sm].free));
  const std::uint32_t first = sm * Calendar::kSlots + slot * occupancy_.warps_per_cta;
  for (std::uint32_t w = 0; w < occupancy_.warps_per_cta; ++w) fetch_state(first + w);
  ResidentCta& cta = ctas_[std::size_t{sm} * occupancy_.ctas + slot];
  if (auto ok = cta.stream.open(reader_, index_, number, occupancy_.warps_per_cta, spills_); !ok)
    return fail(ok.error());
  cta.number = number;
  sms_[sm].free &= sms_[sm].free - 1;
  cta.barriers.begin(occupancy_.warps_per_cta);
  ++resident_;
  for (std::uint32_t w = 0; w < occupancy_.warps_per_cta; ++w) {
    WarpState& warp = warps_[first + w];
    warp = kNewWarp;
    const std::uint64_t at = cycle + w + (now_ == 0 ? stagger(card_, sms_[sm].id, w) : 0);
    warp.ready = at;
    warp.cta = static_cast<std::uint8_t>(slot);
    warp.warp = static_cast<std::uint8_t>(w);
  }
  const auto position = [&](std::uint32_t w) -> Position& { return warps_[first + w].at; };
  if (auto ok = cta.stream.advance(cache_, 0, position); !ok) return fail(ok.error());
  for (std::uint32_t w = 0; w < occupancy_.warps_per_cta; ++w) fetch_record(warps_[first + w].at);
  for (std::uint32_t w = 0; w < occupancy_.warps_per_cta; ++w) {
    // Warps come when their first access does, as far as it is known, not to look for it in vain.
    look_ahead(first + w, warps_[first + w]);
    schedule(first + w, warps_[first + w].ready);
  }
  return true;
}

// What the warps of the step need comes in stages, a few warps behind one another; the list ends
// with as many repetitions of its last warp, to be asked for in vain, as spare the loop to look
// where it ends.
template <bool part>
bool LaunchReplayOf<part>::run_step() {
  const std::size_t n = begin_step();
  return n == 0 || run_due(0, n);
}

template <bool part>
inline std::size_t LaunchReplayOf<part>::begin_step() {
  calendar_.take(now_, due_);
  const std::size_t n = due_.size();
  if (n == 0) return 0;
  due_.insert(due_.end(), kStateAhead, due_.back());
  const std::uint32_t* const due = due_.data();
  for (std::size_t i = 0; i < kStateAhead; ++i) fetch_state(due[i]);
  for (std::size_t i = 0; i < kRecordAhead; ++i) fetch_record(warps_[due[i]].at);
  for (std::size_t i = 0; i < kLanesAhead; ++i) fetch_lanes(warps_[due[i]].at);
  find_lines(0, n);
  find_lines(kTogether, n);
  if (sectored_)
    for (std::size_t i = 0; i < std::min(n, kLineAhead); ++i) fetch_line(i);
  for (std::size_t i = 0; i < std::min(n, kPrepareAhead); ++i) prepare(i);
  return n;
}

// The warps from one to another of the step; those before have run.
template <bool part>
[[gnu::always_inline]] inline bool LaunchReplayOf<part>::run_due(std::size_t from,
                                                                 std::size_t end) {
  const std::uint32_t* const due = due_.data();
  const std::size_t n = part ? due_.size() - kStateAhead : end;
  for (std::size_t i = from; i < end; ++i) {
    if (i % kTogether == 0 && i > 0) find_lines(i + kTogether, n);
    fetch_state(due[i + kStateAhead]);
    fetch_record(warps_[due[i + kRecordAhead]].at);
    if (i + kLineAhead < n && (some_lines_[0] | some_lines_[1])) fetch_line(i + kLineAhead);
    if (others_[0] | others_[1]) {
      fetch_lanes(warps_[due[i + kLanesAhead]].at);
      if (i + kPrepareAhead < n) prepare(i + kPrepareAhead);
    }
    if (!run_warp(i)) return false;
  }
  return true;
}

// Where the lines of warps are that come later. In the place of what is no access of one line
// another's line is worked out in vain.
template <bool part>
inline void LaunchReplayOf<part>::find_lines(std::size_t from, std::size_t n) {
  model::SectoredLines::OneLines& lines = lines_[from / kTogether % lines_.size()];
  bool& others = others_[from / kTogether % lines_.size()];
  others = some_lines_[from / kTogether % lines_.size()] = false;
  if (from >= n) return;
  const std::size_t count = std::min(kTogether, n - from);
  std::uint64_t any = 0, line = some_line_;
  for (std::size_t k = 0; k < count && line == 0; ++k) line = next_record_[due_[from + k]].line;
  for (std::size_t k = 0; k < count; ++k) {
    const Next& next = next_record_[due_[from + k]];
    // Without a branch, as nobody can guess which they are.
    const std::uint64_t access = -std::uint64_t{next.is_access()};
    any |= access;
    others |= next.kind == Kind::kOther;
    line = (next.line & access) | (line & ~access);
    lines.l2.line[k] = line;
  }
  some_line_ = line;
  lines.l2.count = static_cast<int>(count);
  if (!any) return;
  some_lines_[from / kTogether % lines_.size()] = true;
  sectored_->find(lines);
}

// Has what a warp's access of one line will meet brought nearer; in the place of what is none
// another's once more, as nobody can guess which they are.
template <bool part>
[[gnu::always_inline]] inline void LaunchReplayOf<part>::fetch_line(std::size_t i) const {
  const std::uint32_t number = due_[i];
  sectored_->prefetch(lines_[i / kTogether % lines_.size()], i % kTogether,
                      sms_[number / Calendar::kSlots].id,
                      next_record_[number].kind == Kind::kStore);
}

// What a warp will do first in this step that is none of that, and the caches that this will meet.
// (After its beginning a warp waits for its next step.)
template <bool part>
inline void LaunchReplayOf<part>::prepare(std::size_t i) {
  const std::uint32_t number = due_[i];
  if (next_record_[number].kind != Kind::kOther) return;
  Prepared& out = prepared_[i % kPrepared];
  const WarpState& warp = warps_[number];
  const trace::Record* r = warp.at.next;
  if (warp.ready >= (now_ + 1) * kStepCycles) return;
  const AccessPlan& plan = plans_[r->site];
  if (!sectored_ || !model::SectoredLines::prepares(plan)) return;
  sectored_->prepare(lanes_of(*r, warp.at.lanes), plan, sms_[number / Calendar::kSlots].id,
                     out.lines);
  out.record = r;
  out.of = i;
  out.step = now_;
}

// An access that starts at this cycle.
template <bool part>
inline void LaunchReplayOf<part>::access(const trace::Record& r, const AccessPlan& plan,
                                         std::size_t i, WarpState& warp, Sm& sm,
                                         std::uint64_t start) {
  // A record's place in memory may be another's later: it has to be this warp's, in this step.
  const Prepared& prepared = prepared_[i % kPrepared];
  const bool known = prepared.record == &r && prepared.of == i && prepared.step == now_;
  model::AccessTiming place;
  place.sm = sm.id;
  place.warp_slot = due_[i] % Calendar::kSlots;
  place.site = r.site, place.cta = cta_of(due_[i], warp).number, place.warp = warp.warp;
  place.now = place.tags = start;
  place.async_wavefronts = warp.async_wavefronts;
  model::WarpLanes side;
  if (const trace::Record* shared = shared_side(r, plan, plans_, warp.at)) {
    side = lanes_of(*shared, warp.at.lanes);
    place.shared = &side;
  }
  const model::WarpLanes lanes = lanes_of(r, warp.at.lanes);
  if (known) sectored_->run(lanes, plan, place, &prepared.lines);
  else memory_.run(lanes, plan, place);
  if (flat_ && place.done > start) place.done = start + place.passes + card_.numbers().latency_l1;
  warp.async_wavefronts = place.async_wavefronts;
  sm.lsu_free = std::max(start + place.passes, place.held);
  if (plan.action == Action::kAsyncRead || plan.action == Action::kBulkRead)
    warp.copies = later(warp.copies, place.done);
  else if (place.done > start) remember(warp, r.site, place.done);
  if (unknown(place.done)) touched_.push_back(due_[i]);
}

// A texture fetch or surface access that starts at this cycle.
template <bool part>
void LaunchReplayOf<part>::fetch(const AccessPlan& plan, std::uint32_t site, std::uint32_t number,
                                 WarpState& warp, Sm& sm, std::uint64_t start) {
  model::AccessTiming place;
  place.sm = sm.id;
  place.warp_slot = number % Calendar::kSlots;
  place.site = site, place.cta = cta_of(number, warp).number, place.warp = warp.warp;
  place.now = place.tags = start;
  memory_.texture(fetch_.access(), plan, place);
  sm.lsu_free = std::max(start + place.passes, place.held);
  if (place.done > start) remember(warp, site, place.done);
  if (unknown(place.done)) touched_.push_back(number);
}

// Whether what a warp waits for next hangs on answers that are not there. In this batch they will
// not be, so that it can only do so for accesses of later ones.
template <bool part>
inline bool LaunchReplayOf<part>::looks_again(WarpState& warp, std::uint32_t instructions) const {
  if (!warp.led_up) warp.ready += std::uint64_t{instructions} * card_.numbers().sm_issue_cycles;
  warp.led_up = true;
  return warp.ready >= batch_end_ && std::any_of(warp.done.begin(), warp.done.begin() + warp.loads,
                                                 [](std::uint64_t done) { return unknown(done); });
}

// What a warp does next, as far as its records are at hand.
template <bool part>
inline void LaunchReplayOf<part>::look_ahead(std::uint32_t number, WarpState& warp) {
  Next& next = next_record_[number];
  next.kind = Kind::kUnknown;
  if (warp.at.next == warp.at.end) return;
  next.kind = Kind::kOther;
  if constexpr (part) {
    again_[number] = unknown(warp.ready);
    if (again_[number]) return;
  }
  const trace::Record& r = *warp.at.next;
  next.site = r.site;
  const std::uint32_t instructions = dependence_.instructions(warp.last_site, next.site);
  next.instructions = static_cast<std::uint16_t>(instructions);
  if constexpr (part) again_[number] = looks_again(warp, instructions);
  if (part && again_[number]) return;
  lead_up(warp, next.site, plans_[next.site], instructions);
  const Form form = forms_[next.site];
  if (form.kind == Kind::kOther) return;
  if (form.kind == Kind::kMark) {
    // A warp that ends will look at its CTA.
    const char* const cta = reinterpret_cast<const char*>(&cta_of(number, warp));
    warpmem::prefetch(cta);
    warpmem::prefetch(cta + 64);
  } else {
    if (r.stride != form.stride || !r.regular() || r.mask != ~0u) return;
    const auto in_line = static_cast<std::uint32_t>(r.base % model::kLineBytes);
    const auto bytes = static_cast<std::uint32_t>(form.stride);  // 32 lanes take as many sectors
    if (in_line % model::kSectorBytes != 0 ||
        in_line + bytes * model::kSectorBytes > model::kLineBytes)
      return;
    next.line = r.base / model::kLineBytes;
    next.sectors = static_cast<std::uint8_t>(((1u << bytes) - 1) << in_line / model::kSectorBytes);
  }
  next.kind = form.kind;
}

// Its access of one line.
template <bool part>
[[gnu::always_inline]] inline void LaunchReplayOf<part>::run_line(
    const model::SectoredLines::OneLine& one, const Next& next, WarpState& warp, Sm& sm) {
  const AccessPlan& plan = plans_[next.site];
  const std::uint64_t start = std::max(issue(sm, warp, next.instructions), sm.lsu_free);
  if (next.kind == Kind::kStore) {
    sm.lsu_free = std::max(start + 1, sectored_->store(one, plan, sm.id, start));
  } else {
    sm.lsu_free = start + 1;
    const std::uint64_t done = sectored_->load(one, plan, sm.id, start);
    if constexpr (part)
      if (unknown(done)) touched_.push_back(static_cast<std::uint32_t>(&warp - warps_.data()));
    remember(warp, next.site, done);
  }
  warp.ready = start + 1;
}

// Runs a warp for as long as its records fall into this step of the clock.
template <bool part>
[[gnu::always_inline]] inline bool LaunchReplayOf<part>::run_warp(std::size_t i) {
  const std::uint32_t number = due_[i];
  Sm& sm = sms_[number / Calendar::kSlots];
  WarpState& warp = warps_[number];
  const std::uint64_t end = (now_ + 1) * kStepCycles;
  bool found = true;
  while (warp.ready < end) {
    const Next next = next_record_[number];
    if (next.kind == Kind::kUnknown) [[unlikely]] {
      const Turn turn = find_next(number, warp, sm);
      if (turn != Turn::kGoesOn) return turn == Turn::kOver;
      found = false;
      continue;
    }
    if (warp.loads > 0) {
      warp.ready = wait(warp, next.site, plans_[next.site]);
      if (warp.ready >= end) break;
    }
    if (next.kind == Kind::kOther) [[unlikely]] {
      const Turn turn = run_other(i, warp, sm);
      if (turn != Turn::kGoesOn) return turn == Turn::kOver;
      found = false;
      continue;
    }
    ++warp.at.next;
    if (next.kind == Kind::kMark) {
      ++memory_.counters().records;
      warp.ready = std::max(issue(sm, warp, next.instructions), sm.lsu_free) + 1;
    } else {
      if (!found) [[unlikely]] {
        further_.l2.line[0] = next.line;
        further_.l2.count = 1;
        sectored_->find(further_);
      }
      const model::SectoredLines::OneLines& lines =
          found ? lines_[i / kTogether % lines_.size()] : further_;
      run_line({lines, found ? i % kTogether : 0, next.sectors}, next, warp, sm);
    }
    found = false;
    warp.led_up = false;
    warp.last_site = next.site;
    look_ahead(number, warp);
  }
  schedule(number, warp.ready);
  return true;
}

// The cycle in which the warp's next access has been issued.
template <bool part>
inline std::uint64_t LaunchReplayOf<part>::issue(Sm& sm, const WarpState& warp,
                                                 std::uint32_t instructions) const {
  sm.issue_free = std::max(sm.issue_free, warp.ready << schedulers_) + instructions;
  return std::max(warp.ready, sm.issue_free >> schedulers_);
}

// Finds out what a warp does next whose records were at an end.
template <bool part>
[[gnu::noinline]] typename LaunchReplayOf<part>::Turn LaunchReplayOf<part>::find_next(
    std::uint32_t number, WarpState& warp, Sm& sm) {
  auto more = next_records(number, warp);
  if (!more) return over(fail(more.error()));
  if (!*more) return over(end_warp(number, warp, sm, (now_ + 1) * kStepCycles));
  look_ahead(number, warp);
  return Turn::kGoesOn;
}

// A record that is none of those.
template <bool part>
typename LaunchReplayOf<part>::Turn LaunchReplayOf<part>::run_other(std::size_t i, WarpState& warp,
                                                                    Sm& sm) {
  const std::uint32_t number = due_[i];
  const trace::Record& r = *warp.at.next;
  const AccessPlan& plan = plans_[r.site];
  const std::uint32_t site = r.site;
  bool goes_on = true;
  if (is_texture(plan.action)) [[unlikely]] {
    auto more = fetch_.take(warp.at, plans_, [&] { return next_records(number, warp); });
    if (!more) return over(fail(more.error()));
    goes_on = *more;
  } else {
    ++warp.at.next;
  }
  warp.led_up = false;
  warp.last_site = site;
  const std::uint64_t issued = issue(sm, warp, next_record_[number].instructions);
  if (plan.action == Action::kBarrier) {
    ++memory_.counters().records;
    warp.ready = later(issued, warp.older_copies);
    if (unknown(warp.ready)) touched_.push_back(number);
    warp.older_copies = warp.copies;
    stand_at(warp, number, static_cast<std::uint32_t>(r.base) % 64,
             static_cast<std::uint32_t>(r.stride) / 32);
    return Turn::kOver;
  }
  const std::uint64_t start = std::max(issued, sm.lsu_free);
  if (is_texture(plan.action)) [[unlikely]]
    fetch(plan, site, number, warp, sm, start);
  else access(r, plan, i, warp, sm, start);
  warp.ready = start + 1;
  if (!goes_on) return over(end_warp(number, warp, sm, (now_ + 1) * kStepCycles));
  look_ahead(number, warp);
  return Turn::kGoesOn;
}

template <bool part>
Result<bool> LaunchReplayOf<part>::next_records(std::uint32_t number, WarpState& warp) {
  const std::uint32_t first = number - warp.warp;
  const auto position = [&](std::uint32_t w) -> Position& { return warps_[first + w].at; };
  return cta_of(number, warp).stream.advance(cache_, warp.warp, position);
}

template <bool part>
bool LaunchReplayOf<part>::end_warp(std::uint32_t number, const WarpState& warp, Sm& sm,
                                    std::uint64_t cycle) {
  ResidentCta& cta = cta_of(number, warp);
  const std::uint32_t left = cta.barriers.end_warp();
  check_barriers(number - warp.warp, cta);
  if (left > 0) return true;
  if constexpr (part) {
    ended_.push_back({number / Calendar::kSlots, warp.cta});
    --resident_;
    return true;
  }
  sm.free |= std::uint64_t{1} << warp.cta;
  --resident_;
  if (!placement_) return start_next(number / Calendar::kSlots, cycle);
  placement_->free(sm.id);
  return start_clusters(cycle);
}

// The cycle from which the next access has all it needs.
template <bool part>
std::uint64_t LaunchReplayOf<part>::wait_for(WarpState& warp, std::uint32_t site,
                                             const AccessPlan& plan) {
  std::uint64_t until = warp.ready;
  const bool all = plan.action == Action::kEnd;
  for (std::uint32_t i = 0; i < warp.loads;) {
    const std::uint64_t done = warp.done[i];
    const bool needs = all || dependence_.waits(warp.load_site[i], warp.last_site, site);
    if (needs) until = later(until, done);
    if (needs || done <= warp.ready) {
      --warp.loads;
      warp.done[i] = warp.done[warp.loads];
      warp.load_site[i] = warp.load_site[warp.loads];
    } else {
      ++i;
    }
  }
  return until;
}

template <bool part>
void LaunchReplayOf<part>::stand_at(WarpState& warp, std::uint32_t number, std::uint32_t barrier,
                                    std::uint32_t expected) {
  ResidentCta& cta = cta_of(number, warp);
  warp.waits = static_cast<std::uint8_t>(barrier);
  cta.barriers.arrive(barrier, expected);
  if (cta.barriers.complete(barrier)) open(number - warp.warp, cta, barrier);
}

template <bool part>
void LaunchReplayOf<part>::check_barriers(std::uint32_t first_warp, ResidentCta& cta) {
  cta.barriers.each_standing([&](std::uint32_t b) {
    if (cta.barriers.complete(b)) open(first_warp, cta, b);
  });
}

template <bool part>
void LaunchReplayOf<part>::open(std::uint32_t first_warp, ResidentCta& cta, std::uint32_t barrier) {
  cta.barriers.open(barrier);
  WarpState* const first = &warps_[first_warp];
  WarpState* const end = first + occupancy_.warps_per_cta;
  std::uint64_t last = 0;
  for (const WarpState* w = first; w != end; ++w)
    if (w->waits == barrier) last = later(last, w->ready);
  for (WarpState* w = first; w != end; ++w) {
    if (w->waits != barrier) continue;
    w->waits = WarpState::kNoBarrier;
    w->ready = last;
    look_ahead(first_warp + w->warp, *w);
    schedule(first_warp + w->warp, w->ready);
  }
}

template <bool part>
std::string LaunchReplayOf<part>::standing() const {
  Standings all;
  add_standing(all);
  return all.text();
}

template <bool part>
void LaunchReplayOf<part>::add_standing(Standings& all) const {
  for (std::uint32_t sm = 0; sm < sms_.size(); ++sm)
    for (std::uint32_t slot = 0; slot < occupancy_.ctas; ++slot) {
      if (sms_[sm].free >> slot & 1) continue;
      const ResidentCta& cta = ctas_[std::size_t{sm} * occupancy_.ctas + slot];
      all.add(cta.number, sms_[sm].id, cta.barriers.where());
    }
}

// A trace that was cut short, or filtered, can leave warps at a barrier that nobody else reaches.
template <bool part>
void LaunchReplayOf<part>::release_barriers() {
  if (!part && stuck_.empty()) stuck_ = standing();
  for (std::uint32_t sm = 0; sm < sms_.size(); ++sm)
    for (std::uint32_t slot = 0; slot < occupancy_.ctas; ++slot) {
      ResidentCta& cta = ctas_[std::size_t{sm} * occupancy_.ctas + slot];
      cta.barriers.each_standing([&](std::uint32_t b) {
        ++forced_;
        open(sm * Calendar::kSlots + slot * occupancy_.warps_per_cta, cta, b);
      });
    }
}

template <bool part>
bool LaunchReplayOf<part>::start(std::uint64_t cta, int sm, std::uint64_t cycle) {
  return start_cta(number_[static_cast<std::size_t>(sm)], cta, cycle);
}

template <bool part>
void LaunchReplayOf<part>::begin_batch(std::uint64_t steps) {
  if constexpr (part) sectored_->l2().begin();
  late_ = false;
  batch_end_ = (now_ + steps) * kStepCycles;
}

template <bool part>
std::size_t LaunchReplayOf<part>::run_part_step() {
  if (idle() && !std::exchange(idle_, true)) idle_since_ = now_;
  if (!idle()) idle_ = false;
  const std::size_t n = begin_step();
  if (n > 0 && !error_) run_due(0, n);
  return n;
}

template <bool part>
void LaunchReplayOf<part>::answered() {
  if constexpr (part) {
    const model::L2Requests& answers = sectored_->l2();
    const auto settle = [&](WarpState& warp) {
      warp.ready = answers.known(warp.ready);
      warp.copies = answers.known(warp.copies);
      warp.older_copies = answers.known(warp.older_copies);
      for (std::uint64_t& done : warp.done) done = answers.known(done);
    };
    for (const std::uint32_t number : touched_) settle(warps_[number]);
    for (const std::uint32_t number : later_) settle(warps_[number]);
    touched_.clear();
    std::swap(later_, settled_);
    for (const std::uint32_t number : settled_) {
      if (std::exchange(again_[number], std::uint8_t{0})) look_ahead(number, warps_[number]);
      schedule(number, warps_[number].ready);
    }
    settled_.clear();
  }
}

template <bool part>
void LaunchReplayOf<part>::end_step(std::uint64_t next_cta) {
  for (const Ended& e : ended_) {
    sms_[e.sm].free |= std::uint64_t{1} << e.slot;
    if (next_cta < all_->size() && !error_)
      start_cta(e.sm, (*all_)[next_cta++], (now_ + 1) * kStepCycles);
  }
  ended_.clear();
  ++now_;
}

template class LaunchReplayOf<false>;
template class LaunchReplayOf<true>;

}  // namespace warpmem::sim
