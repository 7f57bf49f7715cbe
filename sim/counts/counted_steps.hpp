// A step of the clock: which warps are due, their accesses of one line, and what they do next.
#pragma once

#include <algorithm>

#include "sim/counts/counted_sms.hpp"
#include "sim/counts/load_waits.hpp"

namespace warpmem::sim {
namespace {

// How many warps ahead of the one that runs its needs are asked for.
constexpr std::size_t kStateAhead = 24, kRecordAhead = 12, kLanesAhead = 8, kLineAhead = 8,
                      kPrepareAhead = 4;

}  // namespace

template <class Memory>
std::size_t CountedSms<Memory>::run_step() {
  if constexpr (kPart) {
    if (idle() && !std::exchange(idle_, true)) idle_since_ = now_;
    if (!idle()) idle_ = false;
  }
  const std::size_t n = begin_step();
  if (n > 0 && !error_) run_due(n);
  return n;
}

// What the warps of the step need comes in stages, a few warps behind one another; the list ends
// with as many repetitions of its last warp, to be asked for in vain, as spare the loop to look
// where it ends.
template <class Memory>
inline std::size_t CountedSms<Memory>::begin_step() {
  calendar_.take(now_, due_);
  const std::size_t n = due_.size();
  if (n == 0) return 0;
  due_.insert(due_.end(), kStateAhead, due_.back());
  const std::uint32_t* const due = due_.data();
  for (std::size_t i = 0; i < kStateAhead; ++i) warps_.fetch(due[i]);
  for (std::size_t i = 0; i < kRecordAhead; ++i) fetch_record(warps_[due[i]].at);
  for (std::size_t i = 0; i < kLanesAhead; ++i) fetch_lanes(warps_[due[i]].at);
  ahead_.find(due, 0, n, warps_.next());
  ahead_.find(due, Ahead::kTogether, n, warps_.next());
  if constexpr (!kAnyMemory)
    for (std::size_t i = 0; i < std::min(n, kLineAhead); ++i)
      ahead_.fetch(i, sm_of(due[i]).id, warps_.next(due[i]).kind == RecordKind::kStore);
  for (std::size_t i = 0; i < std::min(n, kPrepareAhead); ++i) prepare(i);
  return n;
}

// The step's warps.
template <class Memory>
[[gnu::always_inline]] inline bool CountedSms<Memory>::run_due(std::size_t n) {
  const std::uint32_t* const due = due_.data();
  for (std::size_t i = 0; i < n; ++i) {
    if (i % Ahead::kTogether == 0 && i > 0)
      ahead_.find(due, i + Ahead::kTogether, n, warps_.next());
    warps_.fetch(due[i + kStateAhead]);
    fetch_record(warps_[due[i + kRecordAhead]].at);
    if constexpr (!kAnyMemory)
      if (i + kLineAhead < n && ahead_.some()) {
        const std::uint32_t number = due[i + kLineAhead];
        ahead_.fetch(i + kLineAhead, sm_of(number).id,
                     warps_.next(number).kind == RecordKind::kStore);
      }
    if (ahead_.others()) {
      fetch_lanes(warps_[due[i + kLanesAhead]].at);
      if (i + kPrepareAhead < n) prepare(i + kPrepareAhead);
    }
    if (!run_warp(i)) return false;
  }
  return true;
}

// What a warp will do first in this step that is no access of one line, and the caches that this
// will meet. (After its beginning a warp waits for its next step.)
template <class Memory>
inline void CountedSms<Memory>::prepare(std::size_t i) {
  const std::uint32_t number = due_[i];
  if (warps_.next(number).kind != RecordKind::kOther) return;
  const WarpState& warp = warps_[number];
  if (warp.ready >= (now_ + 1) * kStepCycles) return;
  const trace::Record& r = *warp.at.next;
  ahead_.prepare(i, now_, r, lanes_of(r, warp.at.lanes), code_.plans[r.site], sm_of(number).id);
}

// Whether what a warp waits for next hangs on answers that are not there. In this batch they will
// not be, so that it can only do so for accesses of later ones.
template <class Memory>
inline bool CountedSms<Memory>::retries(WarpState& warp, std::uint32_t instructions) const {
  if (!warp.led_up) warp.ready += std::uint64_t{instructions} * run_.card.numbers().sm_issue_cycles;
  warp.led_up = true;
  return warp.ready >= answers_.batch_end() &&
         std::any_of(warp.done.begin(), warp.done.begin() + warp.loads,
                     [](std::uint64_t done) { return Answers::unknown(done); });
}

// What a warp does next, as far as its records are at hand.
template <class Memory>
inline void CountedSms<Memory>::look_ahead(std::uint32_t number, WarpState& warp) {
  NextRecord& next = warps_.next(number);
  next.kind = RecordKind::kUnknown;
  if (warp.at.next == warp.at.end) return;
  next.kind = RecordKind::kOther;
  if constexpr (kPart) {
    answers_.set_retries(number, Answers::unknown(warp.ready));
    if (answers_.retries(number)) return;
  }
  const trace::Record& r = *warp.at.next;
  next.site = r.site;
  const std::uint32_t instructions = code_.dependence.instructions(warp.last_site, next.site);
  next.instructions = static_cast<std::uint16_t>(instructions);
  if constexpr (kPart) {
    answers_.set_retries(number, retries(warp, instructions));
    if (answers_.retries(number)) return;
  }
  lead_up(warp, next.site, instructions);
  const SiteForm form = code_.forms[next.site];
  if (form.kind == RecordKind::kOther) return;
  if (form.kind == RecordKind::kMark) {
    // A warp that ends will look at its CTA.
    const char* const cta = reinterpret_cast<const char*>(&cta_of(number, warp));
    warpmem::prefetch(cta);
    warpmem::prefetch(cta + 64);
  } else {
    if (r.stride != form.stride || !r.regular() || r.mask != ~0u) return;
    const auto in_line = static_cast<std::uint32_t>(r.base & (code_.line.bytes() - 1));
    const auto bytes = static_cast<std::uint32_t>(form.stride);  // 32 lanes take as many sectors
    if (in_line % model::kSectorBytes != 0 ||
        in_line + bytes * model::kSectorBytes > code_.line.bytes())
      return;
    next.line = code_.line.line(r.base);
    next.sectors = static_cast<std::uint8_t>(((1u << bytes) - 1) << in_line / model::kSectorBytes);
  }
  next.kind = form.kind;
}

// The instructions before the warp's next access take their time, whatever other warps do; it is
// ready then and has all it needs.
template <class Memory>
inline void CountedSms<Memory>::lead_up(WarpState& warp, std::uint32_t site,
                                        std::uint32_t instructions) {
  if (!warp.led_up) warp.ready += std::uint64_t{instructions} * run_.card.numbers().sm_issue_cycles;
  warp.led_up = true;
  if (warp.loads > 0) warp.ready = wait(warp, site);
}

// The cycle from which the next access has all it needs, of some loads that are out.
template <class Memory>
inline std::uint64_t CountedSms<Memory>::wait(WarpState& warp, std::uint32_t site) {
  if (warp.loads > 1) return wait_for_all(warp, site);
  return wait_for_load(warp, site, code_.plans[site], code_.dependence,
                       [this](std::uint64_t a, std::uint64_t b) { return answers_.later(a, b); });
}

template <class Memory>
std::uint64_t CountedSms<Memory>::wait_for_all(WarpState& warp, std::uint32_t site) {
  return wait_for_loads(warp, site, code_.plans[site], code_.dependence,
                        [this](std::uint64_t a, std::uint64_t b) { return answers_.later(a, b); });
}

template <class Memory>
inline void CountedSms<Memory>::remember(WarpState& warp, std::uint32_t site, std::uint64_t done) {
  if (warp.loads == WarpState::kLoads) {
    // More than the warp keeps track of: it waits for the oldest.
    if constexpr (!kPart) warp.ready = std::max(warp.ready, warp.done[0]);
    forget_oldest_load(warp);
  }
  add_load(warp, site, done);
}

// Its access of one line.
template <class Memory>
[[gnu::always_inline]] inline void CountedSms<Memory>::run_line(
    const model::SectoredLines::OneLine& one, const NextRecord& next, WarpState& warp,
    CountedSm& sm) {
  const AccessPlan& plan = code_.plans[next.site];
  const std::uint64_t start =
      std::max(sm.issue(warp.ready, next.instructions, schedulers_), sm.lsu_free);
  if (next.kind == RecordKind::kStore) {
    sm.lsu_free = std::max(start + 1, memory_.store(one, plan, sm.id, start));
  } else {
    sm.lsu_free = start + 1;
    const std::uint64_t done = memory_.load(one, plan, sm.id, start);
    if constexpr (kPart) answers_.note(warps_.number(warp), done);
    remember(warp, next.site, done);
  }
  warp.ready = start + 1;
}

// Runs a warp for as long as its records fall into this step of the clock.
template <class Memory>
[[gnu::always_inline]] inline bool CountedSms<Memory>::run_warp(std::size_t i) {
  const std::uint32_t number = due_[i];
  CountedSm& sm = sm_of(number);
  WarpState& warp = warps_[number];
  const std::uint64_t end = (now_ + 1) * kStepCycles;
  bool found = true;
  while (warp.ready < end) {
    const NextRecord next = warps_.next(number);
    if (next.kind == RecordKind::kUnknown) [[unlikely]] {
      const Turn turn = find_next(number, warp);
      if (turn != Turn::kGoesOn) return turn == Turn::kOver;
      found = false;
      continue;
    }
    if (warp.loads > 0) {
      warp.ready = wait(warp, next.site);
      if (warp.ready >= end) break;
    }
    if (next.kind == RecordKind::kOther) [[unlikely]] {
      const Turn turn = run_other(i, warp, sm);
      if (turn != Turn::kGoesOn) return turn == Turn::kOver;
      found = false;
      continue;
    }
    ++warp.at.next;
    if (next.kind == RecordKind::kMark) {
      ++memory_.counters().records;
      warp.ready = std::max(sm.issue(warp.ready, next.instructions, schedulers_), sm.lsu_free) + 1;
    } else if constexpr (!kAnyMemory) {
      run_line(found ? ahead_.line(i, next.sectors) : ahead_.further(next), next, warp, sm);
    }
    found = false;
    warp.led_up = false;
    warp.last_site = next.site;
    look_ahead(number, warp);
  }
  schedule(number, warp.ready);
  return true;
}

}  // namespace warpmem::sim
