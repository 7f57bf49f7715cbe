#include "sim/time/launch_time.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/prefetch.hpp"
#include "model/card/spec_of.hpp"
#include "sim/code/code_size.hpp"
#include "sim/engine/lacking.hpp"
#include "sim/engine/placement.hpp"
#include "sim/engine/warp_lanes.hpp"
#include "model/card/ecc.hpp"

namespace warpmem::sim {

LaunchTime::LaunchTime(const trace::TraceReader& reader, std::uint32_t index,
                       const model::Card& card, model::MemorySystem& memory, BlockCache& cache,
                       const Occupancy& occupancy, bool stays, Spills* spills)
    : stays_(stays),
      reader_(reader),
      index_(index),
      card_(card),
      memory_(memory),
      sectored_(memory.sectored()),
      path_(*memory.path()),
      cache_(cache),
      occupancy_(occupancy),
      last_scheduler_(static_cast<std::uint32_t>(card.numbers().sm_schedulers) - 1),
      spills_(spills),
      plans_(plan_sites(card, sites_of(reader, index, spills),
                        *reader.code(reader.launches()[index].launch.program))),
      paths_(sites_of(reader, index, spills), *reader.code(reader.launches()[index].launch.program),
             card.instructions(),
             card.numbers().code_piece_bytes, cluster_size(reader.launches()[index].launch, card) > 1, &reader.launches()[index].launch,
             spills ? spills->slots() : std::span<const SpillSlot>(),
             reader.launches()[index].end.times),
      launch_(reader.launches()[index].launch),
      constants_(model::spec_of<model::ConstantSpec>(card)),
      larger_l1_(card, occupancy.shared_config) {
  if (cache.rewrite()) cache.rewrite()->apply(plans_);
  const CodeCache code(card.numbers(), code_bytes(reader.programs()[launch_.program]));
  for (std::uint64_t sm : card.numbers().cta_order) {
    sms_.emplace_back(code);
    sms_.back().id = static_cast<int>(sm);
    sms_.back().ctas.resize(occupancy.ctas);
    const MemoryQueue queue(static_cast<MemoryQueue::Kind>(card.numbers().lsu_queue));
    for (Scheduler& s : sms_.back().schedulers) s.global = s.shared = s.texture = queue;
  }
  sm_at_.resize(sms_.size());
  for (std::size_t i = 0; i < sms_.size(); ++i) sm_at_[static_cast<std::size_t>(sms_[i].id)] = i;
  if (const std::uint64_t cluster = cluster_size(launch_, card); cluster > 1)
    placement_ = std::make_unique<ClusterPlacement>(card, cluster, occupancy.ctas);
}

Result<TimeResult> LaunchTime::run(const std::function<bool(std::uint64_t)>& tick) {
  auto ctas = reader_.ctas(index_);
  if (!ctas) return ctas.error();
  waiting_ = std::move(ctas).value();
  if (cache_.rewrite()) cache_.rewrite()->apply(launch_, waiting_);
  result_.ctas = waiting_.size();
  if (auto ok = place_first(); !ok) return ok.error();
  std::uint64_t since = 0;
  while (resident_ > 0) {
    if (due_ == 0 && later_.empty()) {
      release_barriers();
      if (due_ == 0 && later_.empty())
        return nobody_can_go_on(standing(), reader_.path());
    }
    if (auto ok = run_window(); !ok) return ok.error();
    if (!later_.empty()) take_later();
    ++now_;
    if (tick && memory_.counters().records > since + 50000) {
      since = memory_.counters().records;
      if (!tick(since)) return interrupted();
    }
  }
  if (tick && !tick(memory_.counters().records)) return interrupted();
  const model::CardNumbers& n = card_.numbers();
  // Without an L2, nothing keeps stores that DRAM has not taken.
  if (n.l2_bytes == 0) last_store_ = std::max(last_store_, path_.written());
  // A launch ends with a fence, so that stores have the time of one to arrive before they make it
  // longer.
  const std::uint64_t stored = last_store_ - std::min(last_store_, n.time_fence_cycles);
  result_.cycles = std::max(result_.last_cta, stored) + n.time_launch_cycles + shared_out_ +
                   (reaches_memory_ ? n.time_drain_cycles : 0);
  summarise();
  return result_;
}

// Shares of the time between the first CTA's start and the last one's end, and what of it is due to
// the traffic alone.
void LaunchTime::summarise() {
  using model::Place;
  const model::CardNumbers& n = card_.numbers();
  // Places still work on the last CTAs' stores when these have ended.
  result_.running = std::max({std::uint64_t{1}, result_.last_cta, last_store_});
  const auto span = static_cast<double>(result_.running);
  const auto schedulers = static_cast<double>(n.sm_schedulers);
  const model::Topology topology(card_);
  std::vector<model::Topology::Load> loads;
  const auto add = [&](Place place, std::vector<double> busy, double bytes) {
    add_use(place, std::move(busy), bytes, topology, loads);
  };
  const auto of_sms = [&](auto&& busy) {
    std::vector<double> by_sm(sms_.size(), 0);
    for (const Sm& sm : sms_)
      by_sm[static_cast<std::size_t>(sm.id)] = static_cast<double>(busy(sm));
    return by_sm;
  };
  for (const Sm& sm : sms_) result_.instructions += sm.issued;
  result_.taken_once = paths_.taken_once();
  add(Place::kIssue,
      of_sms([&](const Sm& sm) { return static_cast<double>(sm.issued * n.sm_issue_interval) / schedulers; }), 0);
  for (std::size_t p = 0; p < kPipes; ++p)
    add(static_cast<Place>(static_cast<std::size_t>(Place::kFma) + p),
        of_sms([&](const Sm& sm) { return static_cast<double>(sm.pipes[p]) / schedulers; }), 0);
  add(Place::kL1, of_sms([](const Sm& sm) { return sm.lsu_taken; }),
      static_cast<double>(lane_bytes_));
  add(Place::kConstant, of_sms([&](const Sm& sm) { return constants_.taken(sm.id); }), 0);
  add(Place::kCtaStart, {static_cast<double>(starting_) / 1000}, 0);
  add(Place::kTexture, of_sms([](const Sm& sm) { return sm.texture_taken; }), 0);
  for (const model::MemoryPath::Use& u : path_.uses()) {
    std::vector<double> busy;
    for (std::uint64_t ticks : u.busy) busy.push_back(static_cast<double>(ticks) / model::kTicks);
    add(u.place, std::move(busy), 32 * static_cast<double>(u.sectors));
  }
  result_.bound = topology.bound(loads);
  std::stable_sort(result_.uses.begin(), result_.uses.end(),
                   [](const auto& a, const auto& b) { return a.most > b.most; });
  result_.bytes_in_flight = static_cast<double>(path_.sector_cycles()) * 32 / span;
  const double latency =
      static_cast<double>(n.latency_l2_near + n.latency_l2_far / 2 + n.latency_dram);
  result_.bytes_needed = static_cast<double>(model::dram_bandwidth(n)) / 1000 * 32 * latency;
  summarise_sms();
}

// How much of the time a place was taken, all of its kind together and the busiest of them. What
// bulk copies add up may keep slices busy after the last CTA has ended: those were in use all the
// time.
void LaunchTime::add_use(model::Place place, std::vector<double> busy, double bytes,
                         const model::Topology& topology,
                         std::vector<model::Topology::Load>& loads) {
  const double all = std::accumulate(busy.begin(), busy.end(), 0.0);
  if (all == 0) return;
  const auto span = static_cast<double>(result_.running);
  const auto count = static_cast<double>(busy.size());
  const auto most = std::max_element(busy.begin(), busy.end());
  TimeResult::Use use;
  use.place = place;
  use.share = std::min(1.0, all / (count * span));
  use.most = std::min(1.0, *most / span);
  use.element = static_cast<std::uint32_t>(most - busy.begin());
  use.count = static_cast<std::uint32_t>(busy.size());
  use.alike = static_cast<std::uint32_t>(
      std::count_if(busy.begin(), busy.end(), [&](double b) { return b >= 0.9 * *most; }));
  use.bytes = bytes;
  use.peak = topology.link(place).bytes * count;
  result_.uses.push_back(use);
  loads.push_back({place, std::move(busy)});
}

void LaunchTime::summarise_sms() {
  double ended = 0;
  for (const Sm& sm : sms_) {
    if (sm.ended == 0) continue;
    ++result_.sms_used;
    ended += static_cast<double>(sm.ended) / static_cast<double>(result_.running);
  }
  result_.sms = sms_.size();
  if (result_.sms_used > 0) result_.sm_time = ended / static_cast<double>(result_.sms_used);
  result_.warps_most = card_.numbers().sm_warps;
  result_.l1_bytes = larger_l1_.bytes();
  if (!larger_l1_.asks()) return;
  const auto missed = static_cast<double>(std::max<std::uint64_t>(1, larger_l1_.missed()));
  result_.larger_l1 = {larger_l1_.most_bytes(), static_cast<double>(larger_l1_.had()) / missed};
}

Error LaunchTime::interrupted() const {
  return {ErrorKind::kInterrupted, "replay was interrupted", reader_.path(), ""};
}

Result<void> LaunchTime::place_first() {
  if (placement_) {
    order_by_cluster(launch_, waiting_);
    return start_clusters();
  }
  const std::vector<int> sms = first_placement(card_, occupancy_.ctas, waiting_.size());
  const bool whole = sms.size() == waiting_.size();
  const auto starts = first_starts(card_, sms, occupancy_.warps_per_cta, whole);
  shared_out_ = starts.shared_out;
  for (std::size_t i = 0; i < sms.size(); ++i) {
    Sm& sm = sms_[sm_at_[static_cast<std::size_t>(sms[i])]];
    if (auto ok = start(sm, starts.cycle[i], nullptr); !ok) return ok;
    given_ = std::max(given_, starts.cycle[i] * 1000);
  }
  starting_ = given_;
  return {};
}

Result<void> LaunchTime::start_next(Sm& sm, std::uint64_t cycle) {
  if (next_ == waiting_.size()) return {};
  return start(sm, given_from(cycle), nullptr);
}

std::uint64_t LaunchTime::room_from(std::uint64_t end) const {
  const model::CardNumbers& n = card_.numbers();
  return end + n.time_turn_cycles - std::min(n.time_turn_cycles, n.time_cta_cycles);
}

std::uint64_t LaunchTime::given_from(std::uint64_t cycle) {
  starting_ += card_.numbers().time_cta_millicycles;
  given_ = std::max(given_ + card_.numbers().time_cta_millicycles, cycle * 1000);
  return given_ / 1000;
}

Result<void> LaunchTime::start(Sm& sm, std::uint64_t cycle, std::shared_ptr<TimedCluster> cluster) {
  const model::CardNumbers& n = card_.numbers();
  cycle += n.time_cta_cycles;
  if (sm.cold) cycle += n.time_first_cycles;
  auto cta = std::make_unique<TimedCta>();
  cta->started = cycle;
  cta->number = waiting_[next_];
  if (auto ok =
          cta->stream.open(reader_, index_, waiting_[next_++], occupancy_.warps_per_cta, spills_);
      !ok)
    return ok;
  const auto slot = static_cast<std::uint32_t>(std::find(sm.ctas.begin(), sm.ctas.end(), nullptr) -
                                               sm.ctas.begin());
  cta->first_slot = slot * occupancy_.warps_per_cta;
  cta->warps.resize(occupancy_.warps_per_cta);
  cta->barriers.begin(occupancy_.warps_per_cta);
  ++sm.resident;
  ++resident_;
  for (std::uint32_t w = 0; w < occupancy_.warps_per_cta; ++w) {
    const std::uint64_t at = cycle + w * n.time_warp_cycles + (sm.cold ? stagger(card_, sm.id, w) : 0);
    cta->warps[w].ready = at;
    schedule(sm, cta->first_slot + w, at);
  }
  memory_.starts_warps(sm.id, cycle, occupancy_.warps_per_cta);
  if (sm.resident == occupancy_.ctas) sm.cold = false;
  const auto position = [&](std::uint32_t w) -> Position& { return cta->warps[w].at; };
  if (auto ok = cta->stream.advance(cache_, 0, position); !ok) return ok.error();
  if (cluster) {
    cluster->members.push_back({&sm, cta.get()});
    cluster->left += cta->barriers.left();
    cta->cluster = std::move(cluster);
  }
  sm.ctas[slot] = std::move(cta);
  return {};
}

namespace {

constexpr auto kEarliestFirst = [](const auto& a, const auto& b) {
  if (a.cycle != b.cycle) return a.cycle > b.cycle;
  if (a.sm != b.sm) return a.sm > b.sm;
  return a.slot > b.slot;
};

}  // namespace

void LaunchTime::schedule(Sm& sm, std::uint32_t slot, std::uint64_t cycle) {
  if (cycle / kWindow >= now_ + kWindows) {
    later_.push_back({&sm, slot, cycle});
    std::push_heap(later_.begin(), later_.end(), kEarliestFirst);
    return;
  }
  const std::uint64_t window = std::max(cycle / kWindow, now_ + 1) % kWindows;
  sm.calendar[window] |= std::uint64_t{1} << slot;
  sm.within[slot] = static_cast<std::uint8_t>(cycle % kWindow);
  ++due_in_[window];
  ++due_;
}

void LaunchTime::take_later() {
  if (due_ == 0) now_ = std::max(now_, later_.front().cycle / kWindow - 1);
  while (!later_.empty() && later_.front().cycle / kWindow < now_ + kWindows) {
    const Due due = later_.front();
    std::pop_heap(later_.begin(), later_.end(), kEarliestFirst);
    later_.pop_back();
    schedule(*due.sm, due.slot, due.cycle);
  }
}

void LaunchTime::schedule_again(Sm& sm, std::uint32_t slot, std::uint64_t cycle) {
  if (cycle >= (now_ + 1) * kWindow) return schedule(sm, slot, cycle);
  auto at = again_.end();
  while (at != again_.begin() + static_cast<std::ptrdiff_t>(again_at_) &&
         std::prev(at)->cycle > cycle)
    --at;
  again_.insert(at, {&sm, slot, cycle});
}

bool LaunchTime::is_next(const Sm& sm, std::uint64_t cycle) const {
  if (again_at_ < again_.size() && again_[again_at_].cycle <= cycle) return false;
  return next_due_ == due_now_.size() || due_now_[next_due_].sm != &sm ||
         due_now_[next_due_].cycle > cycle;
}

Result<void> LaunchTime::run_again(const Sm* sm, std::uint64_t before) {
  while (again_at_ < again_.size()) {
    const Due due = again_[again_at_];
    if (due.sm == sm && due.cycle >= before) return {};
    ++again_at_;
    if (auto ok = run_due(due); !ok) return ok;
  }
  again_.clear();
  again_at_ = 0;
  return {};
}

// The warps that are due in this window, an SM's in the order in which they are.
void LaunchTime::take_due() {
  due_now_.clear();
  const std::uint64_t window = now_ % kWindows;
  if (due_in_[window] == 0) return;
  for (Sm& sm : sms_) {
    const std::size_t first = due_now_.size();
    const auto within = [&](std::size_t i) { return due_now_[i].cycle; };
    for (std::uint64_t due = sm.calendar[window]; due; due &= due - 1) {
      const auto slot = static_cast<std::uint32_t>(std::countr_zero(due));
      due_now_.push_back({&sm, slot, now_ * kWindow + sm.within[slot]});
      for (std::size_t i = due_now_.size() - 1; i > first && within(i - 1) > within(i); --i)
        std::swap(due_now_[i], due_now_[i - 1]);
    }
    sm.calendar[window] = 0;
  }
  due_in_[window] = 0;
  due_ -= due_now_.size();
}

Result<void> LaunchTime::run_window() {
  take_due();
  const std::size_t n = due_now_.size();
  if (n == 0) return {};
  for (std::size_t i = 0; i < n + kCtaAhead; ++i) {
    // The warp whose turn comes so many turns later. What it will need is asked for in steps, each
    // of which reads what the one before it has brought.
    const auto due = [&](std::size_t later) -> const Due* {
      const std::size_t k = i + later - kCtaAhead;
      return i + later >= kCtaAhead && k < n ? &due_now_[k] : nullptr;
    };
    if (const Due* d = due(kCtaAhead)) warpmem::prefetch(&cta_of(*d).warps);
    if (const Due* d = due(kStateAhead)) fetch_state(*d);
    if (const Due* d = due(kRecordAhead)) fetch_record(warp_of(*d).at);
    if (const Due* d = due(kLanesAhead)) fetch_lanes(warp_of(*d).at);
    if (const Due* d = due(kLinesAhead)) look_ahead(*d, listed_[(i + kLinesAhead) % kListed]);
    const Due* const now = due(0);
    if (!now) continue;
    next_due_ = i - kCtaAhead;
    if (auto ok = run_again(now->sm, now->cycle); !ok) return ok;
    ++next_due_;
    listing_ = &listed_[i % kListed];
    if (auto ok = run_due(*now); !ok) return ok;
    listing_->record = nullptr;  // its place in memory may soon be another's
  }
  return run_again(nullptr, 0);
}

void LaunchTime::fetch_state(const Due& due) {
  const char* warp = reinterpret_cast<const char*>(&warp_of(due));
  for (std::size_t at = 0; at < sizeof(TimedWarp); at += 64) warpmem::prefetch(warp + at);
}

Result<void> LaunchTime::run_due(const Due& due) {
  Sm& sm = *due.sm;
  sm.cold = false;
  const std::uint32_t slot = due.slot;
  TimedCta& cta = cta_of(due);
  const std::uint32_t w = slot % occupancy_.warps_per_cta;
  if (cta.warps[w].due() >= (now_ + 1) * kWindow) {
    schedule(sm, slot, cta.warps[w].due());
    return {};
  }
  if (auto ok = run_warp(sm, cta, w); !ok) return ok;
  if (cta.barriers.left() > 0) return {};
  std::uint64_t end = 0, sent = 0;
  for (const TimedWarp& s : cta.warps) {
    end = std::max(end, s.ready);
    sent = std::max(sent, s.sent);
  }
  result_.last_cta = std::max(result_.last_cta, end);
  sm.ended = std::max(sm.ended, end);
  result_.warp_cycles += (end - cta.started) * cta.warps.size();
  if (stays_)
    result_.stays.push_back({cta.number, cta.started, end, sm.id,
                             static_cast<std::int32_t>(slot / occupancy_.warps_per_cta)});
  // The next CTA is sent for when nothing of this one is left on the SM; what it wrote may still be
  // on its way to the L2 (measured: kernels/micro/cta_turn.cu).
  const std::uint64_t room = room_from(std::max(end, sent));
  if (cta.cluster) end_in_cluster(sm, cta, room);
  sm.ctas[slot / occupancy_.warps_per_cta].reset();
  --sm.resident;
  --resident_;
  return placement_ ? start_clusters() : start_next(sm, room);
}

// Lists the lines of the record that a warp of this window comes to next. A warp without a segment
// mostly has to wait for its last access first, and would be listed again.
void LaunchTime::look_ahead(const Due& due, Listed& out) {
  const TimedWarp& warp = warp_of(due);
  out.record = nullptr;
  if (!warp.segment || warp.due() >= (now_ + 1) * kWindow || warp.at.next == warp.at.end) return;
  const trace::Record& r = *warp.at.next;
  if (!sectored_ || !model::SectoredMemory::prepares(plans_[r.site])) return;
  sectored_->prepare(lanes_of(r, warp.at.lanes), plans_[r.site], due.sm->id, out.lines);
  out.record = &r;
}

const char* name_of(Wait w) {
  constexpr const char* kNames[] = {
      "issue slot", "execution pipe",      "short latency",    "L1",   "memory",
      "barrier",    "asynchronous copies", "load/store queue", "code", "constants"};
  return kNames[static_cast<std::size_t>(w)];
}

Result<TimeResult> time_launch(const trace::TraceReader& reader, std::uint32_t launch,
                               const model::Card& card, model::MemorySystem& memory,
                               BlockCache& cache, const Occupancy& occupancy,
                               const std::function<bool(std::uint64_t)>& tick, bool stays,
                               Spills* spills) {
  return LaunchTime(reader, launch, card, memory, cache, occupancy, stays, spills).run(tick);
}

}  // namespace warpmem::sim
