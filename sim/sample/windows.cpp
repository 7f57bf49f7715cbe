#include "sim/sample/windows.hpp"

#include <algorithm>
#include <optional>

#include "base/in_parallel.hpp"
#include "sim/engine/occupancy.hpp"
#include "sim/metric_rows.hpp"

namespace warpmem::sim {
namespace {

constexpr const char* kCycles = "sm__cycles_elapsed.max";
constexpr const char* kInstructions = "inst_executed";

// A run of CTAs, by their place in the launch.
struct Range {
  std::uint64_t first = 0, end = 0;
  std::uint64_t size() const { return end - first; }
};

// One piece of a launch: what is replayed, and which of it counts.
struct Window {
  Range replayed, counted;
  bool first = false, last = false;
};

struct Counted {
  std::vector<double> values;  // by sampled_metrics()
  std::uint64_t records = 0;   // replayed
};

std::uint64_t drawn(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t x = (seed + i + 1) * 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

// The cycle by which so many CTAs have ended.
double ended_by(const std::vector<std::uint64_t>& ends, std::uint64_t count) {
  if (count == 0 || ends.empty()) return 0;
  return static_cast<double>(ends[std::min<std::size_t>(count, ends.size()) - 1]);
}

Result<Counted> count_window(const trace::TraceReader& reader, std::uint32_t index,
                             const model::Card& card, const Window& w,
                             const WindowOptions& options, std::uint64_t wave) {
  const std::uint64_t id = reader.launches()[index].launch.id;
  Rewrite rewrite;
  const Range warm{w.replayed.first - std::min(w.replayed.first, options.warm_waves * wave),
                   w.replayed.first};
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
  const std::vector<std::uint64_t> own((*ctas).begin() + static_cast<std::ptrdiff_t>(w.counted.first),
                                       (*ctas).begin() + static_cast<std::ptrdiff_t>(w.counted.end));
  how.counted_ctas = &own;
  const auto replayed = replay(reader, card, how);
  if (!replayed) return replayed.error();
  const ReplayedLaunch& l = replayed->details.at(0);
  Counted out;
  out.records = l.counters.records + l.warm_records;
  // A launch's own traffic belongs to its first wave.
  ReplayedLaunch part = l;
  part.counters = w.first ? l.counted + l.beside_ctas : l.counted;
  out.values = sampled_values(part);
  if (!options.time) return out;
  std::vector<std::uint64_t> ends;
  for (const TimeResult::Stay& s : l.time->stays) ends.push_back(s.end);
  std::ranges::sort(ends);
  const std::uint64_t skipped = w.counted.first - w.replayed.first;
  const double begin = w.first ? 0 : ended_by(ends, skipped);
  const double end = w.last ? static_cast<double>(l.time->cycles) : ended_by(ends, skipped + w.counted.size());
  out.values[out.values.size() - 2] = end - begin;
  out.values[out.values.size() - 1] = static_cast<double>(l.time->instructions) *
                                      static_cast<double>(w.counted.size()) /
                                      static_cast<double>(w.replayed.size());
  return out;
}

std::vector<Window> windows_of(std::uint64_t ctas, std::uint64_t wave, const WindowOptions& options) {
  std::vector<Window> out;
  out.push_back({{0, 2 * wave}, {0, wave}, true, false});
  const Range middle{wave, ctas - wave};
  for (std::uint64_t i = 0; i < options.windows; ++i) {
    // One in each of as many equal parts.
    const std::uint64_t first = middle.first + middle.size() * i / options.windows,
                        end = middle.first + middle.size() * (i + 1) / options.windows;
    const std::uint64_t room = end - first > wave ? end - first - wave : 0;
    const std::uint64_t at =
        std::min(first + (room ? drawn(options.seed, i) % (room + 1) : 0), middle.end - wave);
    out.push_back({{at - wave, std::min(ctas, at + 2 * wave)}, {at, at + wave}, false, false});
  }
  out.push_back({{ctas - 2 * wave, ctas}, {ctas - wave, ctas}, false, true});
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

Result<WindowedLaunch> replay_windows(const trace::TraceReader& reader, std::uint32_t index,
                                      const model::Card& card, const WindowOptions& options) {
  const auto fit = occupancy(card, reader.launches()[index].launch);
  if (!fit) return fit.error();
  const auto all = reader.ctas(index);
  if (!all) return all.error();
  const std::uint64_t wave = card.numbers().cta_order.size() * fit->ctas, ctas = (*all).size();
  const std::vector<Window> windows = windows_of(ctas, wave, options);
  std::vector<std::optional<Result<Counted>>> each(windows.size());
  in_parallel(windows.size(), options.threads, [&] {
    return [&](std::size_t i) {
      each[i] = count_window(reader, index, card, windows[i], options, wave);
      return each[i]->ok();
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
  for (std::size_t m = 0; m < metrics; ++m) {
    std::vector<double> seen;
    for (std::size_t i = 1; i + 1 < windows.size(); ++i) seen.push_back((*each[i])->values[m]);
    out.metrics[m].add((*each.front())->values[m]);
    out.metrics[m].add((*each.back())->values[m]);
    out.metrics[m].add(Stratum{middle, seen});
  }
  return out;
}

}  // namespace warpmem::sim
