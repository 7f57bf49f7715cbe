#include "sim/sample/sample.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "base/in_parallel.hpp"
#include "sim/sample/groups.hpp"
#include "sim/sample/windows.hpp"

namespace warpmem::sim {
namespace {

// SplitMix64.
std::uint64_t drawn(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  std::uint64_t x =
      (seed + 1) * 0x9e3779b97f4a7c15ull + a * 0xd1b54a32d192ed03ull + b * 0xabc98388fb8fac03ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

// One of each of `count` equal parts.
std::vector<std::uint32_t> choose(const std::vector<std::uint32_t>& from, std::size_t count,
                                  std::uint64_t seed, std::size_t group) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = from.size() * i / count, end = from.size() * (i + 1) / count;
    out.push_back(from[first + drawn(seed, group, i) % (end - first)]);
  }
  return out;
}

struct One {
  std::size_t group = 0;
  std::uint32_t launch = 0;
  bool windows = false;
  std::vector<double> values;  // of a whole replay
  std::optional<WindowedLaunch> windowed;
  std::uint64_t records = 0;
};

Result<void> replay_one(const trace::TraceReader& reader, const model::Card& card,
                        const SampleOptions& options, One& one) {
  const trace::LaunchSummary& l = reader.launches()[one.launch];
  if (one.windows) {
    WindowOptions how;
    how.windows = options.windows;
    how.seed = drawn(options.seed, one.launch, 7);
    how.time = options.time;
    auto found = replay_windows(reader, one.launch, card, how);
    if (!found) return found.error();
    if (*found) {
      one.records = (*found)->records;
      one.windowed = std::move(*found);
      return {};
    }
  }
  ReplayOptions whole;
  whole.launch = l.launch.id;
  whole.time = options.time;
  const auto found = replay(reader, card, whole);
  if (!found) return found.error();
  one.values = sampled_values(found->details.at(0));
  one.records = l.end.records;
  return {};
}

Result<std::vector<One>> chosen_of(const trace::TraceReader& reader, const model::Card& card,
                                   const std::vector<LaunchGroup>& groups,
                                   const SampleOptions& options) {
  std::vector<One> out;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto& all = groups[g].launches;
    const auto share =
        static_cast<std::size_t>(std::ceil(options.share * static_cast<double>(all.size())));
    const std::size_t count = std::min(all.size(), std::max<std::size_t>(share, options.least));
    const auto waves = waves_of(reader, all.front(), card);
    if (!waves) return waves.error();
    const bool windows = options.windows > 1 && *waves > 1;
    for (const std::uint32_t l : choose(all, count, options.seed, g)) {
      One one;
      one.group = g, one.launch = l, one.windows = windows;
      out.push_back(std::move(one));
    }
  }
  return out;
}

// Adds a group's total to those of all. Launches in windows have a variance of their own, beside
// that between launches.
void add_group(const LaunchGroup& group, const std::vector<const One*>& ones,
               std::vector<Estimate>& totals) {
  for (std::size_t m = 0; m < totals.size(); ++m) {
    std::vector<double> seen;
    double within = 0, squares = 0, off = 0;
    for (const One* one : ones) {
      if (!one->windowed) {
        seen.push_back(one->values[m]);
        continue;
      }
      const Estimate& e = one->windowed->metrics[m];
      seen.push_back(e.total());
      within += e.variance();
      off += e.off();
      if (e.variance() > 0) squares += e.variance() * e.variance() / e.freedom();
    }
    const auto units = static_cast<double>(group.launches.size());
    totals[m].add(Stratum{units, seen});
    const auto n = static_cast<double>(ones.size());
    // Cochran, chapter 10: of a second stage, N / n of the variances of those drawn.
    const double factor = units / n;
    totals[m].may_be_off_by(factor * off);
    if (within > 0) totals[m].add(0, factor * within, within * within / squares);
  }
}

}  // namespace

Result<SampleResult> replay_sample(const trace::TraceReader& reader, const model::Card& card,
                                   const SampleOptions& options) {
  const auto groups = group_launches(reader, options.only);
  if (!groups) return groups.error();
  auto ones = chosen_of(reader, card, *groups, options);
  if (!ones) return ones.error();
  std::vector<std::optional<Error>> failed(ones->size());
  std::mutex telling;
  std::uint64_t done = 0;
  in_parallel(ones->size(), options.threads, [&] {
    return [&](std::size_t i) {
      if (auto ok = replay_one(reader, card, options, (*ones)[i]); !ok) failed[i] = ok.error();
      const std::lock_guard lock(telling);
      if (options.progress) options.progress(++done, ones->size());
      return !failed[i];
    };
  });
  for (const auto& f : failed)
    if (f) return *f;
  SampleResult out;
  out.confidence = options.confidence;
  out.seed = options.seed;
  const auto names = sampled_metrics(options.time);
  std::vector<Estimate> totals(names.size());
  for (std::size_t g = 0; g < groups->size(); ++g) {
    const LaunchGroup& group = (*groups)[g];
    std::vector<const One*> of;
    SampledGroup shown;
    for (const One& one : *ones)
      if (one.group == g) {
        of.push_back(&one);
        shown.records_replayed += one.records;
        shown.windows += one.windowed ? one.windowed->windows : 0;
      }
    std::vector<Estimate> own(names.size());
    add_group(group, of, own);
    add_group(group, of, totals);
    const trace::Launch& l = reader.launches()[group.launches.front()].launch;
    const trace::Program& program = reader.programs()[l.program];
    shown.kernel = program.demangled.empty() ? program.name : program.demangled;
    shown.grid = l.grid, shown.block = l.block;
    shown.launches = group.launches.size(), shown.replayed = of.size();
    shown.records = group.records;
    for (std::size_t m = 0; m < names.size(); ++m)
      if (names[m].name == "sm__cycles_elapsed.max") shown.cycles = own[m].total();
    out.launches += shown.launches, out.launches_replayed += shown.replayed;
    out.records += shown.records, out.records_replayed += shown.records_replayed;
    out.groups.push_back(std::move(shown));
  }
  for (std::size_t m = 0; m < names.size(); ++m)
    out.metrics.push_back({names[m].name, names[m].unit, totals[m].total(),
                           totals[m].half_width(options.confidence)});
  std::ranges::stable_sort(out.groups, std::greater<>(), &SampledGroup::records);
  return out;
}

}  // namespace warpmem::sim
