#include "command/explore_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/printable.hpp"
#include "base/units.hpp"
#include "command/metric_values.hpp"
#include "command/threads_option.hpp"
#include "command/version.hpp"
#include "sweep/range.hpp"

namespace warpmem::command {
namespace {

// FNV-1a: of what a card says, to know it again.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

constexpr double kPatiencePoints = 10'000, kPatienceSeconds = 3600;

Result<std::vector<model::CardSetting>> read_settings(const std::vector<std::string>& settings) {
  std::vector<model::CardSetting> out;
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error{ErrorKind::kUsage, fmt::format("'{}' is no setting", setting), "--set",
                   "write it as KEY=VALUE, for example l1.size=64KiB"};
    out.push_back({setting.substr(0, equals), setting.substr(equals + 1)});
  }
  return out;
}

Result<std::vector<SweepAxis>> read_axes(const std::vector<std::string>& vary,
                                         const model::Card& card) {
  std::vector<SweepAxis> out;
  for (const std::string& text : vary) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error{ErrorKind::kUsage, fmt::format("'{}' is nothing to vary", text), "--vary",
                   "write it as KEY=RANGE, for example l1.size=64KiB:256KiB"};
    const std::string key = text.substr(0, equals), place = "--vary " + key;
    if (auto ok = sweep::check_key(key, card, place); !ok) return ok.error();
    if (std::ranges::find(out, key, &SweepAxis::key) != out.end())
      return Error{ErrorKind::kUsage, fmt::format("'{}' is varied twice", key), place,
                   "give all of its values at once: KEY=a,b,c"};
    auto values = sweep::read_range(text.substr(equals + 1), place);
    if (!values) return values.error();
    out.push_back({key, std::move(*values)});
  }
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ","));
}

// Everything that a result depends on.
sweep::Identity identity_of(const ExploreOptions& options, const ExploreTask& task,
                            const model::Card& card) {
  sweep::Identity out{
      {"version", kVersion}, {"engine", options.counts ? "counts" : "time"}, {"gpu", card.name()}};
  for (const model::CardSetting& s : task.task.settings)
    out.emplace_back("--set " + s.key, s.value);
  // A file of the user's may say something else tomorrow.
  const auto own = [&](const std::string& gpu) {
    if (!gpu.ends_with(".toml") && gpu.find('/') == std::string::npos) return;
    if (const auto read = load_card(gpu)) {
      std::string all;
      for (const model::CardEntry& e : read->entries()) all += e.key + "=" + e.value + ";";
      out.emplace_back("card " + gpu, fmt::format("{:016x}", hash_of(all)));
    }
  };
  own(options.card.gpu);
  for (const SweepAxis& a : task.space->axes()) {
    out.emplace_back("--vary " + a.key, joined(a.values));
    if (a.key == "gpu")
      for (const std::string& gpu : a.values) own(gpu);
  }
  for (std::size_t t = 0; t < task.traces.size(); ++t)
    out.emplace_back(fmt::format("trace {}", t + 1), task.traces[t].hash());
  if (!options.launches.all()) out.emplace_back("--launch", launches_text(options.launches));
  if (options.keep_caches) out.emplace_back("--keep-caches", "yes");
  out.emplace_back("metrics", std::string(metrics::name_of(task.words)));
  if (!options.objective.empty()) {
    out.emplace_back("--objective", options.objective);
    out.emplace_back("--budget", std::to_string(options.budget));
    out.emplace_back("--seed", std::to_string(options.seed));
    out.emplace_back("--method", options.method);
  }
  std::ranges::sort(out);
  return out;
}

Result<void> open_traces(const ExploreOptions& options, ExploreTask& out) {
  if (options.traces.empty())
    return Error{ErrorKind::kUsage, "no trace was given", "explore",
                 "name one or several: warpmem explore t.wmt --vary l1.size=64KiB:256KiB"};
  for (const std::string& path : options.traces) {
    const TraceInput input{path, options.partial};
    auto reader = open_wanted(input, options.launches);
    if (!reader) return reader.error();
    out.plan.empty.traces.push_back(std::filesystem::path(path).filename().string());
    out.traces.push_back(std::move(*reader));
  }
  return {};
}

std::uint64_t free_memory() {
  std::ifstream in("/proc/meminfo");
  std::string name;
  std::uint64_t kib = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    if (words >> name >> kib && name == "MemAvailable:") return kib * 1024;
  }
  return std::uint64_t{2} << 30;
}

}  // namespace

std::string launches_text(const LaunchRange& launches) {
  const bool open = launches.end == ~std::uint64_t{0};
  return fmt::format("{}:{}", launches.first, open ? "" : std::to_string(launches.end));
}

Result<ExploreTask> explore_task(const ExploreOptions& options) {
  ExploreTask out;
  const auto card = load_card(options.card);
  if (!card) return card.error();
  auto settings = read_settings(options.card.settings);
  if (!settings) return settings.error();
  auto axes = read_axes(options.vary, *card);
  if (!axes) return axes.error();
  if (auto ok = open_traces(options, out); !ok) return ok.error();
  out.words = metrics::vocabulary_named(options.vocabulary).value_or(metrics::Vocabulary::kNcu);
  out.space = std::make_unique<sweep::Space>(std::move(*axes));
  sweep::Task& task = out.task;
  task.gpu = options.card.gpu;
  task.settings = std::move(*settings);
  task.load = [](const std::string& gpu) { return load_card(gpu); };
  task.time = !options.counts;
  task.keep_caches = options.keep_caches;
  if (!options.launches.all())
    task.only = [&options](std::uint64_t l) { return options.launches.contains(l); };
  for (const trace::TraceReader& t : out.traces) task.traces.push_back(&t);
  task.decoded.assign(out.traces.size(), nullptr);
  for (const metrics::Metric& m : metrics::metrics_of(out.words))
    out.plan.empty.metrics.push_back({std::string(m.name), std::string(m.unit)});
  task.metrics = [words = out.words, names = out.plan.empty.metrics](
                     const sim::ReplayedLaunch& total, const model::Card& of) {
    std::vector<MetricValue> values(names.size(), MetricValue{0, "no replay counts it"});
    for (const ShownMetric& m : metrics_of(total, of, words)) {
      const auto at = std::ranges::find(names, m.metric->name, &SweepMetric::name);
      if (at != names.end()) values[static_cast<std::size_t>(at - names.begin())] = m.value;
    }
    return values;
  };
  out.plan.empty.axes = out.space->axes();
  const auto size = out.space->size();
  if (!size)
    return Error{ErrorKind::kUsage, "the space has more points than 64 bits can count", "--vary",
                 "give fewer values"};
  out.plan.points = *size;
  out.plan.identity = identity_of(options, out, *card);
  if (!options.shard.whole())
    out.plan.part = fmt::format("{}/{}", options.shard.part, options.shard.of);
  return out;
}

Result<void> decode(ExploreTask& task, const ExploreOptions& options) {
  std::uint64_t bytes = 0;
  for (const trace::TraceReader& t : task.traces)
    bytes += sim::DecodedTrace::least_bytes(t, task.task.only);
  // Addresses of scattered lanes may take ten times a record's own room; half of what is free is to
  // stay for the replays.
  if (bytes > free_memory() / 8) return {};
  for (std::size_t i = 0; i < task.traces.size(); ++i) {
    auto decoded = sim::DecodedTrace::of(task.traces[i], threads_of(options.threads),
                                         task.task.keep_caches ? nullptr : task.task.only);
    if (!decoded) return decoded.error();
    task.decoded.push_back(std::make_unique<sim::DecodedTrace>(std::move(*decoded)));
    task.task.decoded[i] = task.decoded.back().get();
  }
  return {};
}

Result<double> estimated_seconds(const ExploreTask& task, const ExploreOptions& options,
                                 double points) {
  constexpr double kShort = 5e6;  // records, of which nobody needs to know how long they take
  const double records = points * static_cast<double>(sweep::records_of(task.task));
  if (records < kShort && points < kPatiencePoints && !options.dry_run) return 0.0;
  const auto rate = sweep::measured_rate(task.task, 0.3);
  if (!rate) return rate.error();
  const double threads =
      std::min<double>(static_cast<double>(threads_of(options.threads)), std::max(1.0, points));
  return records / *rate / threads;
}

Result<void> check_patience(const ExploreOptions& options, double points, double seconds) {
  if (options.yes || (points <= kPatiencePoints && seconds <= kPatienceSeconds)) return {};
  return Error{ErrorKind::kResources,
               fmt::format("the sweep has {} points, which take about {} here", number(points),
                           duration(seconds)),
               "explore",
               "give fewer values, search it (--objective, --budget), share it out (--shard, "
               "--jobs slurm), or say --yes"};
}

}  // namespace warpmem::command
