// What is no access: a warp's end, marks, and the barriers of a CTA.
#pragma once

#include "sim/counts/launch_replay_body.hpp"

namespace warpmem::sim {

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

}  // namespace warpmem::sim
