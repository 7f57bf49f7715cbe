// A step of the clock: which warps are due, and their accesses.
#pragma once

#include "sim/counts/launch_replay_body.hpp"

namespace warpmem::sim {

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

}  // namespace warpmem::sim
