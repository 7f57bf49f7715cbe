#include "sim/sample/windows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "base/in_parallel.hpp"
#include "sim/engine/occupancy.hpp"
#include "sim/metric_rows.hpp"

namespace warpmem::sim {
namespace {

constexpr std::uint64_t kLead = 2;  // waves in front of the one that counts
constexpr const char* kCycles = "sm__cycles_elapsed.max";
constexpr const char* kInstructions = "inst_executed";

// A run of CTAs, by their place in the launch.
struct Range {
  std::uint64_t first = 0, end = 0;
  std::uint64_t size() const { return end - first; }
};

// One piece of a launch: what is replayed, and which of it counts.
struct Window {
  Range replayed, before, counted;  // `before`: the wave in front of the one that counts
  bool first = false, last = false;
};

struct Counted {
  std::vector<double> values;  // by sampled_metrics()
  std::vector<double> before;  // … of the wave in front; empty: there is none
  std::uint64_t records = 0;   // replayed
  double sectors = 0;          // between the L1s and the L2, of the CTAs that count
};

std::uint64_t drawn(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t x = (seed + i + 1) * 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

// When the CTAs that count ended, and when those did whose places they took: means, in cycles. The
// difference is the time of a wave, whether CTAs run in step or not.
struct MeanEnds {
  double own = 0, before = 0;
};
MeanEnds mean_ends(const std::vector<TimeResult::Stay>& stays,
                   const std::vector<std::uint64_t>& counted) {
  const std::set<std::uint64_t> ctas(counted.begin(), counted.end());
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> latest;  // by SM and slot
  MeanEnds out;
  for (const TimeResult::Stay& s : stays) {
    std::uint64_t& end = latest[{s.sm, s.slot}];
    if (ctas.contains(s.cta)) {
      out.own += static_cast<double>(s.end) / static_cast<double>(ctas.size());
      out.before += static_cast<double>(end) / static_cast<double>(ctas.size());
    }
    end = s.end;
  }
  return out;
}

Result<Counted> count_window(const trace::TraceReader& reader, std::uint32_t index,
                             const model::Card& card, const Window& w, const WindowOptions& options,
                             std::uint64_t warm_ctas) {
  const std::uint64_t id = reader.launches()[index].launch.id;
  Rewrite rewrite;
  const Range warm{w.replayed.first - std::min(w.replayed.first, warm_ctas), w.replayed.first};
  ReplayOptions how;
  how.launch = id;
  how.time = options.time;
  how.stays = options.time;
  how.rewrite = &rewrite;
  rewrite.choose = [&](const trace::Launch&, std::vector<std::uint64_t>& ctas) {
    ctas.erase(ctas.begin() + static_cast<std::ptrdiff_t>(w.replayed.end), ctas.end());
    ctas.erase(ctas.begin(), ctas.begin() + static_cast<std::ptrdiff_t>(w.replayed.first));
  };
  Rewrite before;
  before.choose = [&](const trace::Launch&, std::vector<std::uint64_t>& ctas) {
    ctas.erase(ctas.begin() + static_cast<std::ptrdiff_t>(warm.end), ctas.end());
    ctas.erase(ctas.begin(), ctas.begin() + static_cast<std::ptrdiff_t>(warm.first));
  };
  if (warm.size() > 0) how.warm = &before;
  // The CTAs that count, by number: where the trace lacks some, places and numbers differ.
  auto ctas = reader.ctas(index);
  if (!ctas) return ctas.error();
  const auto numbers = [&](const Range& r) {
    return std::vector<std::uint64_t>((*ctas).begin() + static_cast<std::ptrdiff_t>(r.first),
                                      (*ctas).begin() + static_cast<std::ptrdiff_t>(r.end));
  };
  const std::vector<std::vector<std::uint64_t>> groups{numbers(w.counted), numbers(w.before)};
  how.counted_ctas = &groups;
  const auto replayed = replay(reader, card, how);
  if (!replayed) return replayed.error();
  const ReplayedLaunch& l = replayed->details.at(0);
  Counted out;
  out.records = l.counters.records + l.warm_records;
  out.sectors = static_cast<double>(l.counted[0].l1_fill_sectors + l.counted[0].l1_write_sectors);
  const auto values = [&](std::size_t group, bool whole_first, bool whole_last) {
    ReplayedLaunch part = l;
    // A launch's own traffic belongs to its first wave.
    part.counters = whole_first ? l.counted[group] + l.beside_ctas : l.counted[group];
    std::vector<double> all = sampled_values(part);
    if (!options.time) return all;
    const MeanEnds ends = mean_ends(l.time->stays, groups[group]);
    all[all.size() - 2] = (whole_last ? static_cast<double>(l.time->cycles) : ends.own) -
                          (whole_first ? 0 : ends.before);
    all[all.size() - 1] = static_cast<double>(l.time->instructions) *
                          static_cast<double>(groups[group].size()) /
                          static_cast<double>(w.replayed.size());
    return all;
  };
  out.values = values(0, w.first, w.last);
  if (w.before.size() > 0) out.before = values(1, false, false);
  return out;
}

std::vector<Window> windows_of(std::uint64_t ctas, std::uint64_t wave,
                               const WindowOptions& options) {
  std::vector<Window> out;
  out.push_back({{0, 2 * wave}, {}, {0, wave}, true, false});
  const Range middle{wave, ctas - wave};
  for (std::uint64_t i = 0; i < options.windows; ++i) {
    // One in each of as many equal parts.
    const std::uint64_t first = middle.first + middle.size() * i / options.windows,
                        end = middle.first + middle.size() * (i + 1) / options.windows;
    const std::uint64_t room = end - first > wave ? end - first - wave : 0;
    const std::uint64_t at =
        std::min(first + (room ? drawn(options.seed, i) % (room + 1) : 0), middle.end - wave);
    const std::uint64_t lead = std::min(at, kLead * wave);
    out.push_back({{at - lead, std::min(ctas, at + 2 * wave)},
                   lead > wave ? Range{at - wave, at} : Range{},
                   {at, at + wave},
                   false,
                   false});
  }
  out.push_back({{ctas - (kLead + 1) * wave, ctas}, {}, {ctas - wave, ctas}, false, true});
  return out;
}

// Whether windows take more than half as long as all CTAs. The counts engine takes about a quarter
// of the time engine's time (docs/contributing.md).
bool too_long(const std::vector<Window>& windows, std::uint64_t ctas, std::uint64_t warm,
              bool time) {
  double took = 0;
  for (const Window& w : windows)
    took += static_cast<double>(w.replayed.size()) +
            static_cast<double>(std::min(w.replayed.first, warm)) / (time ? 4 : 1);
  return took > static_cast<double>(ctas) / 2;
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
  const std::uint64_t wave = card.numbers().cta_order.size() * fit->ctas, ctas = (*all).size();
  if (ctas < (4 * options.windows + 5) * wave) return std::optional<WindowedLaunch>();
  const std::vector<Window> windows = windows_of(ctas, wave, options);
  std::vector<std::optional<Result<Counted>>> each(windows.size());
  // What the first wave moves says how many CTAs it takes to fill the L2.
  each[0] = count_window(reader, index, card, windows[0], options, 0);
  if (!*each[0]) return each[0]->error();
  const double bytes = std::max(1.0, (*each[0])->sectors * 32 / static_cast<double>(wave));
  const auto warm = static_cast<std::uint64_t>(
      std::min(options.warm * static_cast<double>(card.numbers().l2_bytes) / bytes,
               static_cast<double>(ctas)));
  if (too_long(windows, ctas, warm, options.time)) return std::optional<WindowedLaunch>();
  in_parallel(windows.size() - 1, options.threads, [&] {
    return [&](std::size_t i) {
      each[i + 1] = count_window(reader, index, card, windows[i + 1], options, warm);
      return each[i + 1]->ok();
    };
  });
  WindowedLaunch out;
  for (const auto& one : each) {
    if (one && !*one) return one->error();
    out.records += (*one)->records;
  }
  const std::size_t metrics = sampled_metrics(options.time).size();
  out.metrics.resize(metrics);
  const double middle = static_cast<double>(ctas - 2 * wave) / static_cast<double>(wave);
  // Until the L2 is full, waves are neither like the first nor like those in between.
  const double fill = std::min(
      middle, static_cast<double>(card.numbers().l2_bytes) / (bytes * static_cast<double>(wave)));
  for (std::size_t m = 0; m < metrics; ++m) {
    std::vector<double> seen;
    double drift = 0, drifts = 0;
    for (std::size_t i = 1; i + 1 < windows.size(); ++i) {
      const Counted& c = **each[i];
      seen.push_back(c.values[m]);
      if (c.before.empty()) continue;
      drift += c.values[m] - c.before[m];
      ++drifts;
    }
    if (drifts > 0) out.metrics[m].may_be_off_by(middle * std::abs(drift / drifts));
    const bool of_time = options.time && m + 2 >= metrics;
    const double mean =
        std::accumulate(seen.begin(), seen.end(), 0.0) / static_cast<double>(seen.size());
    if (!of_time) out.metrics[m].may_be_off_by(fill * std::abs(mean - (*each.front())->values[m]));
    out.metrics[m].add((*each.front())->values[m]);
    out.metrics[m].add((*each.back())->values[m]);
    out.metrics[m].add(Stratum{middle, seen});
  }
  return std::optional(std::move(out));
}

}  // namespace warpmem::sim
