#include "sim/time/launch_time.hpp"

#include <algorithm>

#include "base/prefetch.hpp"
#include "sim/code/code_size.hpp"
#include "sim/engine/lacking.hpp"
#include "sim/engine/placement.hpp"
#include "sim/engine/warp_state.hpp"
#include "sim/time/summary.hpp"

namespace warpmem::sim {

LaunchTime::LaunchTime(const LaunchRun& run, bool stays)
    : run_(run),
      stays_(stays),
      plans_(run.plans()),
      waiting_(run.reader, run.index, run.card, run.occupancy),
      ctas_(run.card.numbers().cta_order.size(), run.occupancy.ctas),
      rate_(run.card.numbers()),
      calendar_(run.card.numbers().cta_order.size()),
      barriers_(run.card.numbers(), calendar_, waits_),
      listed_(run.memory.line_lister()),
      warps_(run_, plans_, calendar_, waits_, barriers_, listed_) {
  const model::CardNumbers& n = run.card.numbers();
  const CodeCache code(n, code_bytes(run.reader.programs()[run.launch().program]));
  const MemoryQueue queue(static_cast<MemoryQueue::Kind>(n.lsu_queue));
  place_of_.resize(n.cta_order.size());
  for (const std::uint64_t sm : n.cta_order) {
    const auto place = static_cast<std::uint32_t>(sms_.size());
    sms_.emplace_back(static_cast<int>(sm), place, code, queue);
    place_of_[sm] = place;
  }
}

Result<TimeResult> LaunchTime::run(const Tick& tick) {
  if (auto ok = waiting_.read(run_.cache.rewrite()); !ok) return ok.error();
  result_.ctas = waiting_.all().size();
  if (auto ok = place_first(); !ok) return ok.error();
  if (auto ok = run_windows(tick); !ok) return ok.error();
  result_.cycles = cycles();
  result_.waits = waits_.cycles();
  summarise({run_.card, *run_.memory.path(), sms_, warps_.accesses(), warps_.constants(), rate_},
            result_);
  result_.taken_once = warps_.taken_once();
  return result_;
}

Result<void> LaunchTime::run_windows(const Tick& tick) {
  const std::uint64_t& records = run_.memory.counters().records;
  std::uint64_t since = 0;
  while (!ctas_.none()) {
    if (calendar_.empty())
      if (auto ok = force_barriers(); !ok) return ok;
    if (auto ok = run_window(); !ok) return ok;
    calendar_.end_window();
    if (tick && records > since + 50000) {
      since = records;
      if (!tick(since)) return run_.interrupted();
    }
  }
  return tick && !tick(records) ? run_.interrupted() : Result<void>();
}

// Of the whole launch.
std::uint64_t LaunchTime::cycles() {
  const model::CardNumbers& n = run_.card.numbers();
  const AccessTime& accesses = warps_.accesses();
  const std::uint64_t last_store = last_store_of(accesses, n, *run_.memory.path());
  // A launch ends with a fence, so that stores have the time of one to arrive before they make it
  // longer.
  const std::uint64_t stored = last_store - std::min(last_store, n.time_fence_cycles);
  return std::max(result_.last_cta, stored) + n.time_launch_cycles + shared_out_ +
         (accesses.reaches_memory() ? n.time_drain_cycles : 0);
}

Result<void> LaunchTime::place_first() {
  if (waiting_.in_clusters()) return start_clusters();
  const auto [sms, starts] = waiting_.first();
  shared_out_ = starts.shared_out;
  for (std::size_t i = 0; i < sms.size(); ++i) {
    if (auto ok = start(sm_of(sms[i]), starts.cycle[i], nullptr); !ok) return ok;
    rate_.starts_at(starts.cycle[i]);
  }
  return {};
}

Result<void> LaunchTime::start_clusters() {
  while (true) {
    const std::vector<int>& chosen = waiting_.next_cluster();
    if (chosen.empty()) return {};
    std::uint64_t cycle = 0;
    for (const int sm : chosen) cycle = std::max(cycle, sm_of(sm).freed);
    rate_.give_cluster();
    const auto cluster =
        std::make_shared<TimedCluster>(run_.card.numbers().time_cluster_barrier_cycles);
    for (const int sm : chosen)
      if (auto ok = start(sm_of(sm), rate_.give(cycle), cluster); !ok) return ok;
  }
}

Result<void> LaunchTime::start(TimedSm& sm, std::uint64_t cycle,
                               std::shared_ptr<TimedCluster> cluster) {
  const model::CardNumbers& n = run_.card.numbers();
  const std::uint32_t warps = run_.occupancy.warps_per_cta;
  cycle += n.time_cta_cycles;
  if (sm.cold) cycle += n.time_first_cycles;
  const std::uint32_t slot = ctas_.free_slot(sm.place);
  TimedCta& cta = ctas_.at(sm.place, slot);
  if (auto ok = cta.begin(run_.reader, run_.index, waiting_.take(), warps, run_.spills); !ok)
    return ok;
  ctas_.take(sm.place, slot);
  cta.sm = sm.place;
  cta.first_slot = slot * warps;
  cta.started = cycle;
  cta.bulk = 0;
  cta.warps.assign(warps, {});
  for (std::uint32_t w = 0; w < warps; ++w) {
    const std::uint64_t at =
        cycle + w * n.time_warp_cycles + (sm.cold ? stagger(run_.card, sm.id, w) : 0);
    cta.warps[w].ready = at;
    calendar_.add(sm.place, cta.first_slot + w, at);
  }
  run_.memory.starts_warps(sm.id, cycle, warps);
  if (ctas_.full(sm.place)) sm.cold = false;
  if (auto ok = cta.next_records(run_.cache, cta.warps.data(), 0); !ok) return ok.error();
  if (cluster) {
    cluster->ctas.push_back(&cta);
    cluster->barrier.add(warps);
  }
  cta.cluster = std::move(cluster);
  return {};
}

Result<void> LaunchTime::end_cta(TimedSm& sm, TimedCta& cta) {
  const std::uint32_t slot = cta.first_slot / run_.occupancy.warps_per_cta;
  std::uint64_t end = 0, sent = 0;
  for (const TimedWarp& w : cta.warps) {
    end = std::max(end, w.ready);
    sent = std::max(sent, w.sent);
  }
  result_.last_cta = std::max(result_.last_cta, end);
  sm.ended = std::max(sm.ended, end);
  result_.warp_cycles += (end - cta.started) * cta.warps.size();
  if (stays_)
    result_.stays.push_back({cta.number, cta.started, end, sm.id, static_cast<std::int32_t>(slot)});
  // The next CTA is sent for when nothing of this one is left on the SM; what it wrote may still be
  // on its path to the L2 (measured: kernels/micro/cta_turn.cu).
  const std::uint64_t room = rate_.room_from(std::max(end, sent));
  ctas_.leave(sm.place, slot);
  if (!waiting_.in_clusters())
    return waiting_.empty() ? Result<void>() : start(sm, rate_.give(room), nullptr);
  std::erase(cta.cluster->ctas, &cta);
  sm.freed = std::max(sm.freed, room);
  waiting_.free(sm.id);
  return start_clusters();
}

std::string LaunchTime::barrier_waits() const {
  AllBarrierWaits all;
  ctas_.each([&](std::size_t sm, std::uint32_t slot) {
    const TimedCta& cta = ctas_.at(sm, slot);
    all.add(cta.number, sms_[sm].id, BarrierTime::where(cta));
  });
  return all.text();
}

Result<void> LaunchTime::force_barriers() {
  if (result_.forced.stuck.empty()) result_.forced.stuck = barrier_waits();
  ctas_.each([&](std::size_t sm, std::uint32_t slot) {
    result_.forced.count += barriers_.force(ctas_.at(sm, slot));
  });
  return calendar_.empty() ? nobody_can_go_on(barrier_waits(), run_.reader.path()) : Result<void>();
}

Result<void> LaunchTime::run_again(std::uint32_t sm, std::uint64_t before) {
  Due due;
  while (calendar_.take_again(sm, before, due))
    if (auto ok = run_due(due); !ok) return ok;
  return {};
}

Result<void> LaunchTime::run_window() {
  const std::span<const Due> all = calendar_.begin_window();
  const std::size_t n = all.size();
  if (n == 0) return {};
  for (std::size_t i = 0; i < n + kCtaAhead; ++i) {
    // The warp whose turn comes so many turns later. What it will need is asked for in steps, each
    // of which reads what the one before it has brought.
    const auto due = [&](std::size_t later) -> const Due* {
      const std::size_t k = i + later - kCtaAhead;
      return i + later >= kCtaAhead && k < n ? &all[k] : nullptr;
    };
    if (const Due* d = due(kCtaAhead)) warpmem::prefetch(&cta_of(*d).warps);
    if (const Due* d = due(kStateAhead)) fetch_state(*d);
    if (const Due* d = due(kRecordAhead)) fetch_record(warp_of(*d).at);
    if (const Due* d = due(kLanesAhead)) fetch_lanes(warp_of(*d).at);
    if (const Due* d = due(ListedLines::kAhead)) look_ahead(i + ListedLines::kAhead, *d);
    const Due* const now = due(0);
    if (!now) continue;
    calendar_.passed(i - kCtaAhead);
    if (auto ok = run_again(now->sm, now->cycle); !ok) return ok;
    calendar_.passed(i - kCtaAhead + 1);
    listed_.begin(i);
    if (auto ok = run_due(*now); !ok) return ok;
    listed_.forget();
  }
  return run_again(WindowCalendar::kNoSm, 0);
}

void LaunchTime::fetch_state(const Due& due) {
  const char* warp = reinterpret_cast<const char*>(&warp_of(due));
  for (std::size_t at = 0; at < sizeof(TimedWarp); at += 64) warpmem::prefetch(warp + at);
}

Result<void> LaunchTime::run_due(const Due& due) {
  TimedSm& sm = sms_[due.sm];
  sm.cold = false;
  TimedCta& cta = cta_of(due);
  const std::uint32_t w = due.slot % run_.occupancy.warps_per_cta;
  TimedWarp& warp = cta.warps[w];
  if (warp.due() >= calendar_.window_end()) {
    calendar_.add(due.sm, due.slot, warp.due());
    return {};
  }
  if (auto ok = warps_.run({sm, cta, warp, w}); !ok) return ok;
  return cta.barriers.left() > 0 ? Result<void>() : end_cta(sm, cta);
}

// Lists the lines of the record that a warp of this window comes to next. A warp without a segment
// mostly has to wait for its last access first, and would be listed again.
void LaunchTime::look_ahead(std::size_t turn, const Due& due) {
  const TimedWarp& warp = warp_of(due);
  const bool comes =
      warp.segment && warp.due() < calendar_.window_end() && warp.at.next != warp.at.end;
  listed_.list(turn, comes ? &warp.at : nullptr, plans_, sms_[due.sm].id);
}

const char* name_of(Wait w) {
  constexpr const char* kNames[] = {
      "issue slot", "execution pipe",      "short latency",    "L1",   "memory",
      "barrier",    "asynchronous copies", "load/store queue", "code", "constants"};
  return kNames[static_cast<std::size_t>(w)];
}

Result<TimeResult> time_launch(const LaunchRun& run, const Tick& tick, bool stays) {
  return LaunchTime(run, stays).run(tick);
}

}  // namespace warpmem::sim
