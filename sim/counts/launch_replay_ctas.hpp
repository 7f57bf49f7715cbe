// Where a launch's CTAs go, and when their warps are next.
#pragma once

#include "sim/counts/launch_replay_body.hpp"

namespace warpmem::sim {

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
                        *reader.code(reader.launches()[index].launch.program))),
      dependence_(sites_of(reader, index, spills),
                  *reader.code(reader.launches()[index].launch.program)),
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

}  // namespace warpmem::sim
