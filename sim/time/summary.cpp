#include "sim/time/summary.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/card/ecc.hpp"
#include "model/topology/topology.hpp"

namespace warpmem::sim {

std::uint64_t last_store_of(const AccessTime& accesses, const model::CardNumbers& card,
                            const model::MemoryPath& path) {
  // Without an L2, nothing keeps stores that DRAM has not taken.
  return card.l2_bytes == 0 ? std::max(accesses.last_store(), path.written())
                            : accesses.last_store();
}

namespace {

// How much of the time a place was taken, all of its kind together and the busiest of them. What
// bulk copies add up may keep slices busy after the last CTA has ended: those were in use all the
// time.
void add_use(model::Resource place, std::vector<double> busy, double bytes,
             const model::Topology& topology, std::vector<model::Topology::Load>& loads,
             TimeResult& out) {
  const double all = std::accumulate(busy.begin(), busy.end(), 0.0);
  if (all == 0) return;
  const auto span = static_cast<double>(out.running);
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
  out.uses.push_back(use);
  loads.push_back({place, std::move(busy)});
}

void summarise_sms(const TimedRun& run, TimeResult& out) {
  double ended = 0;
  for (const TimedSm& sm : run.sms) {
    if (sm.ended == 0) continue;
    ++out.sms_used;
    ended += static_cast<double>(sm.ended) / static_cast<double>(out.running);
  }
  out.sms = run.sms.size();
  if (out.sms_used > 0) out.sm_time = ended / static_cast<double>(out.sms_used);
  out.warps_most = run.card.numbers().sm_warps;
  const LargerL1& larger_l1 = run.accesses.larger_l1();
  out.l1_bytes = larger_l1.bytes();
  if (!larger_l1.asks()) return;
  const auto missed = static_cast<double>(std::max<std::uint64_t>(1, larger_l1.missed()));
  out.larger_l1 = {larger_l1.most_bytes(), static_cast<double>(larger_l1.had()) / missed};
}

}  // namespace

// Shares of the time between the first CTA's start and the last one's end, and what of it is due to
// the traffic alone.
void summarise(const TimedRun& run, TimeResult& out) {
  using model::Resource;
  const model::CardNumbers& n = run.card.numbers();
  // Places still work on the last CTAs' stores when these have ended.
  out.running =
      std::max({std::uint64_t{1}, out.last_cta, last_store_of(run.accesses, n, run.path)});
  const auto span = static_cast<double>(out.running);
  const auto schedulers = static_cast<double>(n.sm_schedulers);
  const model::Topology topology(run.card);
  std::vector<model::Topology::Load> loads;
  const auto add = [&](Resource place, std::vector<double> busy, double bytes) {
    add_use(place, std::move(busy), bytes, topology, loads, out);
  };
  const auto of_sms = [&](auto&& busy) {
    std::vector<double> by_sm(run.sms.size(), 0);
    for (const TimedSm& sm : run.sms)
      by_sm[static_cast<std::size_t>(sm.id)] = static_cast<double>(busy(sm));
    return by_sm;
  };
  for (const TimedSm& sm : run.sms) out.instructions += sm.issued;
  add(Resource::kIssue, of_sms([&](const TimedSm& sm) {
        return static_cast<double>(sm.issued * n.sm_issue_interval) / schedulers;
      }),
      0);
  for (std::size_t p = 0; p < kPipes; ++p)
    add(static_cast<Resource>(static_cast<std::size_t>(Resource::kFma) + p),
        of_sms([&](const TimedSm& sm) { return static_cast<double>(sm.pipes[p]) / schedulers; }),
        0);
  add(Resource::kL1, of_sms([](const TimedSm& sm) { return sm.lsu_taken; }),
      static_cast<double>(run.accesses.lane_bytes()));
  add(Resource::kConstant, of_sms([&](const TimedSm& sm) { return run.constants.taken(sm.id); }),
      0);
  add(Resource::kCtaStart, {run.rate.taken()}, 0);
  add(Resource::kTexture, of_sms([](const TimedSm& sm) { return sm.texture_taken; }), 0);
  for (const model::MemoryPath::Use& u : run.path.uses()) {
    std::vector<double> busy;
    for (std::uint64_t ticks : u.busy) busy.push_back(static_cast<double>(ticks) / model::kTicks);
    add(u.place, std::move(busy), 32 * static_cast<double>(u.sectors));
  }
  out.bound = topology.bound(loads);
  std::stable_sort(out.uses.begin(), out.uses.end(),
                   [](const auto& a, const auto& b) { return a.most > b.most; });
  out.bytes_in_flight = static_cast<double>(run.path.sector_cycles()) * 32 / span;
  const double latency =
      static_cast<double>(n.latency_l2_near + n.latency_l2_far / 2 + n.latency_dram);
  out.bytes_needed = static_cast<double>(model::dram_bandwidth(n)) / 1000 * 32 * latency;
  summarise_sms(run, out);
}

}  // namespace warpmem::sim
