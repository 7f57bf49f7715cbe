#include "tests/twin/schedule.hpp"

#include <algorithm>

#include "sim/engine/placement.hpp"

namespace warpmem::twin {
namespace {

using model::AccessPlan;
using model::Action;
using trace::Record;

constexpr std::uint64_t kStep = 16;  // cycles
constexpr std::size_t kLoads = 6;    // that a warp keeps track of

bool is_mark(Action a) { return a == Action::kBegin || a == Action::kEnd; }
bool is_fetch(Action a) {
  return a == Action::kTexture || a == Action::kSurfaceLoad || a == Action::kSurfaceStore;
}

}  // namespace

Schedule::Schedule(const trace::TraceReader& reader, std::uint32_t launch, const model::Card& card,
                   Memory& memory, const sim::Occupancy& occupancy, sim::Spills* spills)
    : reader_(reader),
      launch_(reader.launches()[launch].launch),
      card_(card),
      memory_(memory),
      occupancy_(occupancy),
      records_(reader, launch, spills),
      plans_(sim::plan_sites(card, sim::sites_of(reader, launch, spills),
                             *reader.code(launch_.program))),
      dependence_(sim::sites_of(reader, launch, spills), *reader.code(launch_.program)),
      index_(launch) {
  for (std::uint64_t id : card.numbers().cta_order) sms_.emplace_back().id = static_cast<int>(id);
}

Result<void> Schedule::run() {
  auto ctas = reader_.ctas(index_);
  if (!ctas) return ctas.error();
  waiting_ = std::move(ctas).value();
  if (auto ok = place_first(); !ok) return ok;
  const auto any_resident = [this] {
    return std::any_of(sms_.begin(), sms_.end(), [](const Sm& sm) { return !sm.ctas.empty(); });
  };
  while (any_resident()) {
    if (calendar_.empty()) open_all_by_force();
    if (calendar_.empty())
      return Error{ErrorKind::kInternal, "the twin: no warp can go on", reader_.path(), ""};
    // Nothing happens in steps in which no warp is due.
    now_ = std::max(now_, calendar_.begin()->first);
    const std::set<Who> due = calendar_.begin()->second;
    calendar_.erase(calendar_.begin());
    for (const Who& who : due)
      if (auto ok = run_warp(who); !ok) return ok;
    ++now_;
  }
  return {};
}

Result<void> Schedule::place_first() {
  if (const std::uint64_t cluster = sim::cluster_size(launch_); cluster > 1) {
    clusters_ = std::make_unique<sim::ClusterPlacement>(card_, cluster, occupancy_.ctas);
    sim::order_by_cluster(launch_, waiting_);
    return start_clusters(0);
  }
  const std::vector<int> sms = sim::first_placement(card_, occupancy_.ctas, waiting_.size());
  const auto starts =
      sim::first_starts(card_, sms, occupancy_.warps_per_cta, sms.size() == waiting_.size());
  for (std::size_t i = 0; i < sms.size(); ++i) {
    const auto at =
        std::find_if(sms_.begin(), sms_.end(), [&](const Sm& sm) { return sm.id == sms[i]; });
    if (auto ok = start_next(static_cast<std::size_t>(at - sms_.begin()), starts.cycle[i]); !ok)
      return ok;
  }
  return {};
}

Result<void> Schedule::start_clusters(std::uint64_t cycle) {
  while (next_cta_ < waiting_.size()) {
    const std::uint64_t number = sim::cluster_of(launch_, waiting_[next_cta_]);
    const auto of_cluster = static_cast<std::size_t>(
        std::count_if(waiting_.begin() + static_cast<std::ptrdiff_t>(next_cta_), waiting_.end(),
                      [&](std::uint64_t cta) { return sim::cluster_of(launch_, cta) == number; }));
    const std::vector<int> chosen = clusters_->place(of_cluster);
    if (chosen.empty()) return {};
    for (int id : chosen) {
      const auto at =
          std::find_if(sms_.begin(), sms_.end(), [id](const Sm& sm) { return sm.id == id; });
      // The first ones start 1.2 cycles after one another.
      const std::uint64_t from = cycle ? cycle : placed_++ * 6 / 5;
      if (auto ok = start_next(static_cast<std::size_t>(at - sms_.begin()), from); !ok) return ok;
    }
  }
  return {};
}

// The next CTA takes the lowest free slot of the SM.
Result<void> Schedule::start_next(std::size_t at, std::uint64_t cycle) {
  if (next_cta_ == waiting_.size()) return {};
  Sm& sm = sms_[at];
  std::uint32_t slot = 0;
  while (sm.ctas.count(slot)) ++slot;
  Cta& cta = sm.ctas[slot];
  cta.number = waiting_[next_cta_++];
  cta.left = occupancy_.warps_per_cta;
  cta.warps.resize(occupancy_.warps_per_cta);
  auto records = records_.of_cta(cta.number, occupancy_.warps_per_cta);
  if (!records) return records.error();
  for (std::uint32_t w = 0; w < occupancy_.warps_per_cta; ++w) {
    Warp& warp = cta.warps[w];
    warp.trace = std::move((*records)[w]);
    warp.ready = cycle + w + (now_ == 0 ? sim::stagger(card_, sm.id, w) : 0);
    look_ahead(warp);
    note({at, slot, w}, warp.ready);
  }
  return {};
}

void Schedule::note(const Who& who, std::uint64_t cycle) {
  calendar_[std::max(cycle / kStep, now_ + 1)].insert(who);
}

// The instructions before the next record take their time, and it waits for the loads it needs.
void Schedule::look_ahead(Warp& warp) {
  if (warp.at_end()) return;
  if (!warp.led_up)
    warp.ready += dependence_.instructions(warp.last_site, warp.record().site) *
                  card_.numbers().sm_issue_cycles;
  warp.led_up = true;
  wait_for_loads(warp);
}

void Schedule::wait_for_loads(Warp& warp) {
  const std::uint32_t site = warp.record().site;
  const bool all = plans_[site].action == Action::kEnd;
  std::uint64_t until = warp.ready;
  // The last of those that are left takes the place of one that goes: the engine's order.
  for (std::size_t i = 0; i < warp.loads.size();) {
    const Load load = warp.loads[i];
    const bool needs = all || dependence_.waits(load.site, warp.last_site, site);
    if (needs) until = std::max(until, load.done);
    if (!needs && load.done > warp.ready) {
      ++i;
      continue;
    }
    warp.loads[i] = warp.loads.back();
    warp.loads.pop_back();
  }
  warp.ready = until;
}

void Schedule::remember(Warp& warp, std::uint32_t site, std::uint64_t done) {
  if (warp.loads.size() == kLoads) {
    warp.loads.front() = warp.loads.back();
    warp.loads.pop_back();
  }
  warp.loads.push_back({site, done});
}

std::uint64_t Schedule::issue(Sm& sm, const Warp& warp, std::uint32_t instructions) const {
  const std::uint64_t schedulers = card_.numbers().sm_schedulers;
  sm.issue_free = std::max(sm.issue_free, warp.ready * schedulers) + instructions;
  return std::max(warp.ready, sm.issue_free / schedulers);
}

// As long as its records fall into this step.
Result<void> Schedule::run_warp(const Who& who) {
  Sm& sm = sms_[who.sm];
  Cta& cta = sm.ctas.at(who.slot);
  Warp& warp = cta.warps[who.warp];
  while (warp.ready < (now_ + 1) * kStep) {
    if (warp.at_end()) return end_warp(who, cta);
    wait_for_loads(warp);
    if (warp.ready >= (now_ + 1) * kStep) break;
    if (!run_record(who, cta, warp, sm)) return {};
  }
  note(who, warp.ready);
  return {};
}

// False: the warp stands at a barrier, or went on from one that opened.
bool Schedule::run_record(const Who& who, Cta& cta, Warp& warp, Sm& sm) {
  const Record r = warp.record();
  const AccessPlan& plan = plans_[r.site];
  const std::uint32_t instructions = dependence_.instructions(warp.last_site, r.site);
  const std::uint64_t issued = issue(sm, warp, instructions);
  warp.led_up = false;
  warp.last_site = r.site;
  const std::uint64_t start = std::max(issued, sm.unit_free);
  if (plan.action == Action::kBarrier) {
    ++memory_.counters.records;
    ++warp.next;
    warp.ready = std::max(issued, warp.older_copies);
    warp.older_copies = warp.copies;
    stand(who, cta, warp, r);
    return false;
  }
  if (is_mark(plan.action)) {
    ++memory_.counters.records;
    ++warp.next;
  } else {
    access(who, warp, sm, plan, start);
  }
  warp.ready = start + 1;
  look_ahead(warp);
  return true;
}

void Schedule::access(const Who& who, Warp& warp, Sm& sm, const AccessPlan& plan,
                      std::uint64_t start) {
  Turn turn;
  turn.sm = sm.id;
  turn.warp_slot = who.slot * occupancy_.warps_per_cta + who.warp;
  turn.now = start;
  turn.lanes = warp.trace.lanes.data();
  const std::uint32_t site = warp.record().site;
  Cost cost;
  if (is_fetch(plan.action)) {
    cost = memory_.fetch(take_fetch(warp), plan, turn);
  } else {
    const Record& r = warp.trace.records[warp.next++];
    if (!warp.at_end() && plans_[warp.record().site].action == Action::kAsyncWrite)
      turn.shared = &warp.record();
    cost = memory_.run(r, plan, turn, warp.async);
  }
  sm.unit_free = std::max(start + cost.passes, cost.held);
  if (plan.action == Action::kAsyncRead || plan.action == Action::kBulkRead)
    warp.copies = std::max(warp.copies, cost.done);
  else if (cost.done > start) remember(warp, site, cost.done);
}

// A fetch's records: the first, and those of further texels behind it.
Fetch Schedule::take_fetch(Warp& warp) const {
  constexpr std::size_t kMostTexels = 8;
  Fetch f;
  const AccessPlan& first = plans_[warp.record().site];
  f.mask = warp.record().mask;
  f.bytes = first.bytes;
  f.request_lanes = first.request_lanes;
  f.linear = first.action == Action::kTexture && first.by_number;
  f.gathers = first.gathers;
  do {
    f.texels.push_back(access_of(warp.record(), f.bytes, warp.trace.lanes.data()).lanes);
    ++warp.next;
  } while (!warp.at_end() && f.texels.size() < kMostTexels &&
           plans_[warp.record().site].action == Action::kTexel &&
           plans_[warp.record().site].pc == first.pc);
  return f;
}

void Schedule::stand(const Who& who, Cta& cta, Warp& warp, const Record& r) {
  const auto barrier = static_cast<int>(r.base % 64);
  warp.barrier = barrier;
  cta.expected[barrier] = std::min(static_cast<std::uint32_t>(r.stride) / 32, 255u);
  if (full(cta, barrier)) open(who.sm, who.slot, cta, barrier);
}

// Whether all have come that the barrier waits for; those that have not ended suffice.
bool Schedule::full(const Cta& cta, int barrier) const {
  const auto arrived = std::count_if(cta.warps.begin(), cta.warps.end(),
                                     [barrier](const Warp& w) { return w.barrier == barrier; });
  const std::uint32_t expected = cta.expected.at(barrier);
  return arrived >= (expected ? std::min(expected, cta.left) : cta.left);
}

// Its warps go on together.
void Schedule::open(std::size_t sm, std::uint32_t slot, Cta& cta, int barrier) {
  cta.expected.erase(barrier);
  std::uint64_t last = 0;
  for (const Warp& w : cta.warps)
    if (w.barrier == barrier) last = std::max(last, w.ready);
  for (std::uint32_t w = 0; w < cta.warps.size(); ++w) {
    Warp& warp = cta.warps[w];
    if (warp.barrier != barrier) continue;
    warp.barrier = -1;
    warp.ready = last;
    look_ahead(warp);
    note({sm, slot, w}, warp.ready);
  }
}

// In a trace that was cut short, or filtered, warps wait for others that nobody knows of.
void Schedule::open_all_by_force() {
  for (std::size_t sm = 0; sm < sms_.size(); ++sm)
    for (auto& [slot, cta] : sms_[sm].ctas)
      for (const auto& [barrier, expected] : std::map(cta.expected)) {
        ++forced_;
        open(sm, slot, cta, barrier);
      }
}

Result<void> Schedule::end_warp(const Who& who, Cta& cta) {
  --cta.left;
  for (const auto& [barrier, expected] : std::map(cta.expected))
    if (full(cta, barrier)) open(who.sm, who.slot, cta, barrier);
  if (cta.left > 0) return {};
  Sm& sm = sms_[who.sm];
  sm.ctas.erase(who.slot);
  const std::uint64_t cycle = (now_ + 1) * kStep;
  if (!clusters_) return start_next(who.sm, cycle);
  clusters_->free(sm.id);
  return start_clusters(cycle);
}

}  // namespace warpmem::twin
