#include "sim/sample/windows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/in_parallel.hpp"
#include "sim/engine/occupancy.hpp"
#include "sim/metric_rows.hpp"
#include "sim/sample/footprint.hpp"
#include "sim/sample/stays.hpp"
#include "sim/sample/window_plan.hpp"

namespace warpmem::sim {
namespace {

constexpr const char* kCycles = "sm__cycles_elapsed.max";
constexpr const char* kInstructions = "inst_executed";

struct Counted {
  std::vector<double> values;  // by sampled_metrics()
  std::vector<double> before;  // … of Window::before
  std::uint64_t records = 0;   // replayed
  std::uint64_t in_step = 0;   // waves, of the beginning
};

// These CTAs of a launch alone.
Rewrite only(const Range& r) {
  Rewrite out;
  out.choose = [r](const trace::Launch&, std::vector<std::uint64_t>& ctas) {
    ctas.erase(ctas.begin() + static_cast<std::ptrdiff_t>(r.end), ctas.end());
    ctas.erase(ctas.begin(), ctas.begin() + static_cast<std::ptrdiff_t>(r.first));
  };
  return out;
}

Result<Counted> count_window(const trace::TraceReader& reader, std::uint32_t index,
                             const model::Card& card, const Window& w, std::uint64_t wave,
                             bool time) {
  const Rewrite replayed_ctas = only(w.replayed), warm_ctas = only(w.warm);
  ReplayOptions how;
  how.launch = reader.launches()[index].launch.id;
  how.time = time;
  how.stays = time;
  how.rewrite = &replayed_ctas;
  if (w.warm.size() > 0) how.warm = &warm_ctas;
  // The CTAs that count, by number: where the trace lacks some, places and numbers differ.
  auto ctas = reader.ctas(index);
  if (!ctas) return ctas.error();
  const auto numbers = [&](const Range& r) {
    return std::vector<std::uint64_t>((*ctas).begin() + static_cast<std::ptrdiff_t>(r.first),
                                      (*ctas).begin() + static_cast<std::ptrdiff_t>(r.end));
  };
  // A CTA is in one group only: those of the beginning that are in front of its last waves.
  const Range alone = w.first ? Range{0, w.before.first} : w.counted;
  const std::vector<std::vector<std::uint64_t>> groups{numbers(alone), numbers(w.before)};
  how.counted_ctas = &groups;
  const auto replayed = replay(reader, card, how);
  if (!replayed) return replayed.error();
  const ReplayedLaunch& l = replayed->details.at(0);
  Counted out;
  out.records = l.counters.records + l.warm_records;
  const auto values = [&](const model::LaunchCounters& counters, const Range& r, bool whole_last) {
    ReplayedLaunch part = l;
    part.counters = counters;
    std::vector<double> all = sampled_values(part);
    if (!time) return all;
    all[all.size() - 2] = time_of(*l.time, numbers(r), whole_last);
    all[all.size() - 1] = static_cast<double>(l.time->instructions) *
                          static_cast<double>(r.size()) / static_cast<double>(w.replayed.size());
    return all;
  };
  const auto& counted = l.counted;
  // A launch's own traffic belongs to its beginning.
  out.values =
      values(w.first ? counted[0] + counted[1] + l.beside_ctas : counted[0], w.counted, w.last);
  if (w.before.size() > 0) out.before = values(counted[1], w.before, false);
  if (time && w.first) out.in_step = waves_in_step(*l.time, numbers(w.counted), wave);
  return out;
}

// All windows are there.
WindowedLaunch estimate(const WindowPlan& plan,
                        const std::vector<std::optional<Result<Counted>>>& each,
                        std::size_t metrics) {
  WindowedLaunch out;
  out.windows = each.size() - 2;
  for (const auto& one : each) out.records += (*one)->records;
  out.metrics.resize(metrics);
  for (std::size_t m = 0; m < metrics; ++m) {
    Estimate& total = out.metrics[m];
    const Counted& begin = **each.front();
    std::vector<double> seen;
    double drift = 0;
    for (std::size_t i = 1; i + 1 < each.size(); ++i) {
      const Counted& c = **each[i];
      seen.push_back(c.values[m]);
      drift += c.values[m] - c.before[m];
    }
    const auto n = static_cast<double>(out.windows);
    total.may_be_off_by(plan.units * std::abs(drift) / n);
    // While the L2 settles, CTAs are like those before, or like those behind, or in between.
    const double mean = std::accumulate(seen.begin(), seen.end(), 0.0) / n;
    total.may_be_off_by(plan.settling * std::abs(mean - begin.before[m]));
    total.add(begin.values[m]);
    total.add((*each.back())->values[m]);
    total.add(Stratum{plan.units, seen});
  }
  return out;
}

}  // namespace

std::vector<SampledName> sampled_metrics(bool time) {
  std::vector<SampledName> out;
  for (const MetricRow& row : metric_rows()) out.push_back({row.name, row.unit});
  if (time) {
    out.push_back({kCycles, "cycles"});
    out.push_back({kInstructions, "instructions"});
  }
  return out;
}

std::vector<double> sampled_values(const ReplayedLaunch& launch) {
  std::vector<double> out;
  for (const MetricRow& row : metric_rows())
    out.push_back(static_cast<double>(row.value(launch.counters)));
  if (launch.time) {
    out.push_back(static_cast<double>(launch.time->cycles));
    out.push_back(static_cast<double>(launch.time->instructions));
  }
  return out;
}

Result<std::uint64_t> waves_of(const trace::TraceReader& reader, std::uint32_t index,
                               const model::Card& card) {
  const trace::Launch& launch = reader.launches()[index].launch;
  const auto fit = occupancy(card, launch);
  if (!fit) return fit.error();
  const Dim3& c = launch.cluster;
  if (std::uint64_t{c[0]} * c[1] * c[2] > 1) return std::uint64_t{1};
  const auto ctas = reader.ctas(index);
  if (!ctas) return ctas.error();
  return (*ctas).size() / (card.numbers().cta_order.size() * fit->ctas);
}

Result<std::optional<WindowedLaunch>> replay_windows(const trace::TraceReader& reader,
                                                     std::uint32_t index, const model::Card& card,
                                                     const WindowOptions& options) {
  const auto fit = occupancy(card, reader.launches()[index].launch);
  if (!fit) return fit.error();
  const auto all = reader.ctas(index);
  if (!all) return all.error();
  WindowShape shape;
  shape.wave = card.numbers().cta_order.size() * fit->ctas, shape.ctas = (*all).size();
  shape.windows = options.windows, shape.seed = options.seed, shape.time = options.time;
  // Whether it is large enough at all, before anything is replayed.
  if (!plan_windows(shape, {Footprint::End::kSteady, 0, 0}, true, 1))
    return std::optional<WindowedLaunch>();
  const auto footprint = l2_footprint(reader, index, card, shape.ctas / 4);
  if (!footprint) return footprint.error();
  const bool steady = plan_windows(shape, *footprint, true, kMostInStep).has_value();
  if (!plan_windows(shape, *footprint, steady, 1)) return std::optional<WindowedLaunch>();
  const Window beginning = beginning_of(shape, *footprint, steady);
  auto first = count_window(reader, index, card, beginning, shape.wave, options.time);
  if (!first) return first.error();
  // The counts engine does not know when CTAs end: two waves then.
  const auto plan =
      plan_windows(shape, *footprint, steady,
                   options.time ? std::min(first->in_step, kMostInStep) : std::uint64_t{2});
  if (!plan) return std::optional<WindowedLaunch>();
  const std::vector<Window>& windows = plan->windows;
  std::vector<std::optional<Result<Counted>>> each(windows.size());
  each[0] = std::move(first);
  in_parallel(windows.size() - 1, options.threads, [&] {
    return [&](std::size_t i) {
      each[i + 1] = count_window(reader, index, card, windows[i + 1], shape.wave, options.time);
      return each[i + 1]->ok();
    };
  });
  for (const auto& one : each)
    if (one && !*one) return one->error();
  WindowedLaunch out = estimate(*plan, each, sampled_metrics(options.time).size());
  out.records += footprint->records;
  return std::optional(std::move(out));
}

}  // namespace warpmem::sim
