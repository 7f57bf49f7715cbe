#include "command/explore/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/units.hpp"
#include "command/counters/metric_values.hpp"
#include "command/explore/traces.hpp"
#include "command/options/threads.hpp"
#include "command/version.hpp"
#include "sweep/make_command.hpp"
#include "sweep/range.hpp"

namespace warpmem::command {
namespace {

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

// Which keys change the program: those that stand in --make, and block.
struct Keys {
  std::vector<std::string> program, no_card;
};

Result<void> check_axis(const ExploreOptions& options, const std::string& key,
                        const model::Card& card, Keys& keys) {
  const std::string place = "--vary " + key;
  const bool in_make = sweep::has_place(options.make, key);
  const auto known = sweep::check_key(key, card, place);
  if (key == "block" && !options.make.empty() && !in_make)
    return Error{ErrorKind::kUsage, "the command does not say where the block size goes", "--make",
                 "put {block} into it: --make 'nvcc -DBLOCK={block} ...'"};
  if (in_make || key == "block") {
    keys.program.push_back(key);
    if (!known || key == "block") keys.no_card.push_back(key);
    return {};
  }
  if (known || options.make.empty()) return known;
  return Error{ErrorKind::kUsage,
               fmt::format("'{}' is no number of a card, and does not stand in --make", key), place,
               fmt::format("write {{{}}} in the command where its value goes", key)};
}

Result<std::vector<SweepAxis>> read_axes(const ExploreOptions& options, const model::Card& card,
                                         Keys& keys) {
  std::vector<SweepAxis> out;
  for (const std::string& text : options.vary) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error{ErrorKind::kUsage, fmt::format("'{}' is nothing to vary", text), "--vary",
                   "write it as KEY=RANGE, for example l1.size=64KiB:256KiB"};
    const std::string key = text.substr(0, equals), place = "--vary " + key;
    if (std::ranges::find(out, key, &SweepAxis::key) != out.end())
      return Error{ErrorKind::kUsage, fmt::format("'{}' is varied twice", key), place,
                   "give all of its values at once: KEY=a,b,c"};
    if (auto ok = check_axis(options, key, card, keys); !ok) return ok.error();
    auto values = sweep::read_range(text.substr(equals + 1), place);
    if (!values) return values.error();
    if (key == "gpu")
      for (const std::string& gpu : *values)
        if (const auto there = load_card(gpu); !there) {
          Error error = there.error();
          error.place = place + (error.place.empty() ? "" : ", " + error.place);
          return error;
        }
    out.push_back({key, std::move(*values)});
  }
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ","));
}

// Everything that a result depends on.
sweep::Identity identity_of(const ExploreOptions& options, const ExploreTask& task,
                            const model::Card& card, const sweep::Identity& programs) {
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
  out.insert(out.end(), programs.begin(), programs.end());
  if (!options.launches.all()) out.emplace_back("--launch", launches_text(options.launches));
  if (options.keep_caches) out.emplace_back("--keep-caches", "yes");
  out.emplace_back("metrics", std::string(metrics::name_of(task.words)));
  if (!options.objective.empty()) {
    out.emplace_back("--objective", options.objective);
    out.emplace_back("--budget", std::to_string(options.budget));
    out.emplace_back("--seed", std::to_string(options.seed));
    out.emplace_back("--method", options.method);
  }
  // What is given twice counts once, as it was given last.
  std::map<std::string, std::string> by_name;
  for (auto& [name, value] : out) by_name[name] = std::move(value);
  return {by_name.begin(), by_name.end()};
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
  Keys keys;
  auto axes = read_axes(options, *card, keys);
  if (!axes) return axes.error();
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
  auto source = trace_source(options, keys.program, out.space->axes(), task.only);
  if (!source) return source.error();
  task.traces = std::move(source->traces);
  task.no_card = std::move(keys.no_card);
  out.plan.empty.traces = std::move(source->names);
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
  out.plan.identity = identity_of(options, out, *card, source->identity);
  if (!options.shard.whole())
    out.plan.part = fmt::format("{}/{}", options.shard.part, options.shard.of);
  return out;
}

Result<void> decode(const ExploreTask& task, const ExploreOptions& options) {
  if (!task.task.traces->keys().empty()) return {};
  const auto traces = task.task.traces->of({});
  if (!traces) return traces.error();
  return (*traces)->decode(threads_of(options.threads),
                           task.task.keep_caches ? nullptr : task.task.only);
}

Result<double> estimated_seconds(const ExploreTask& task, const ExploreOptions& options,
                                 double points) {
  constexpr double kShort = 5e6;  // records, of which nobody needs to know how long they take
  const auto traces = sweep::some_traces(task.task, *task.space);
  if (!traces) return traces.error();
  if (!*traces) return 0.0;  // of commands that fail each says why
  const double records = points * static_cast<double>(sweep::records_of(task.task, **traces));
  if (records < kShort && points < kPatiencePoints && !options.dry_run) return 0.0;
  const auto rate = sweep::measured_rate(task.task, **traces, 0.3);
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
