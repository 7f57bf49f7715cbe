// What is no access of one line: other accesses, texture fetches, barriers, and where a warp's
// records are at an end.
#pragma once

#include "sim/counts/counted_sms.hpp"

namespace warpmem::sim {

// Finds out what a warp does next whose records were at an end.
template <class Memory>
[[gnu::noinline]] typename CountedSms<Memory>::Turn CountedSms<Memory>::find_next(
    std::uint32_t number, WarpState& warp) {
  auto more = next_records(number, warp);
  if (!more) return over(fail(more.error()));
  if (!*more) {
    end_warp(number, warp);
    return Turn::kOver;
  }
  look_ahead(number, warp);
  return Turn::kGoesOn;
}

template <class Memory>
typename CountedSms<Memory>::Turn CountedSms<Memory>::run_other(std::size_t i, WarpState& warp,
                                                                CountedSm& sm) {
  const std::uint32_t number = due_[i];
  const trace::Record& r = *warp.at.next;
  const AccessPlan& plan = code_.plans[r.site];
  const std::uint32_t site = r.site;
  bool goes_on = true;
  if (is_texture(plan.action)) [[unlikely]] {
    auto more = fetch_.take(warp.at, code_.plans, [&] { return next_records(number, warp); });
    if (!more) return over(fail(more.error()));
    goes_on = *more;
  } else {
    ++warp.at.next;
  }
  warp.led_up = false;
  warp.last_site = site;
  const std::uint64_t issued = sm.issue(warp.ready, warps_.next(number).instructions, schedulers_);
  if (plan.action == Action::kBarrier) {
    warp.ready = answers_.later(issued, warp.older_copies);
    wait_at_barrier(number, warp, r);
    return Turn::kOver;
  }
  const std::uint64_t start = std::max(issued, sm.lsu_free);
  if (is_texture(plan.action)) [[unlikely]]
    fetch(plan, site, number, warp, sm, start);
  else access(r, plan, i, warp, sm, start);
  warp.ready = start + 1;
  if (!goes_on) {
    end_warp(number, warp);
    return Turn::kOver;
  }
  look_ahead(number, warp);
  return Turn::kGoesOn;
}

// The warp has come to a barrier of its CTA.
template <class Memory>
inline void CountedSms<Memory>::wait_at_barrier(std::uint32_t number, WarpState& warp,
                                                const trace::Record& r) {
  ++memory_.counters().records;
  answers_.note(number, warp.ready);
  warp.older_copies = warp.copies;
  const std::uint32_t first = number - warp.warp;
  cta_of(number, warp)
      .barriers.wait(warps_.from(first, run_.occupancy.warps_per_cta), warp.warp,
                     static_cast<std::uint32_t>(r.base) % CtaBarriers::kBarriers,
                     static_cast<std::uint32_t>(r.stride) / 32, Barred{*this, first});
}

// An access that starts at this cycle.
template <class Memory>
inline void CountedSms<Memory>::access(const trace::Record& r, const AccessPlan& plan,
                                       std::size_t i, WarpState& warp, CountedSm& sm,
                                       std::uint64_t start) {
  model::AccessTiming place;
  place.sm = sm.id;
  place.warp_slot = due_[i] % Calendar::kSlots;
  place.site = r.site, place.cta = cta_of(due_[i], warp).number, place.warp = warp.warp;
  place.now = place.tags = start;
  place.async_wavefronts = warp.async_wavefronts;
  model::WarpLanes side;
  if (const trace::Record* shared = shared_side(r, plan, code_.plans, warp.at)) {
    side = lanes_of(*shared, warp.at.lanes);
    place.shared = &side;
  }
  ahead_.run(i, now_, r, lanes_of(r, warp.at.lanes), plan, place);
  warp.async_wavefronts = place.async_wavefronts;
  sm.lsu_free = std::max(start + place.passes, place.held);
  if (plan.action == Action::kAsyncRead || plan.action == Action::kBulkRead)
    warp.copies = answers_.later(warp.copies, place.done);
  else if (place.done > start) remember(warp, r.site, place.done);
  answers_.note(due_[i], place.done);
}

// A texture fetch or surface access that starts at this cycle.
template <class Memory>
void CountedSms<Memory>::fetch(const AccessPlan& plan, std::uint32_t site, std::uint32_t number,
                               WarpState& warp, CountedSm& sm, std::uint64_t start) {
  model::AccessTiming place;
  place.sm = sm.id;
  place.warp_slot = number % Calendar::kSlots;
  place.site = site, place.cta = cta_of(number, warp).number, place.warp = warp.warp;
  place.now = place.tags = start;
  memory_.texture(fetch_.access(), plan, place);
  sm.lsu_free = std::max(start + place.passes, place.held);
  if (place.done > start) remember(warp, site, place.done);
  answers_.note(number, place.done);
}

}  // namespace warpmem::sim
