#include "sweep/run.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>

#include "base/in_parallel.hpp"

namespace warpmem::sweep {
namespace {

// Which launches are replayed: caches that are kept have been filled by others.
TraceSet::Wanted wanted(const Task& task) {
  return task.keep_caches ? TraceSet::Wanted{} : task.only;
}

sim::ReplayOptions replay_options(const Task& task, const Machine& machine, const TraceSet& traces,
                                  std::size_t trace) {
  sim::ReplayOptions options;
  options.time = task.time;
  options.keep_caches = task.keep_caches;
  options.only = wanted(task);
  options.decoded = traces.decoded(trace);
  options.rewrite = &machine.rewrite;
  return options;
}

// Whose fault it is: the point's, or that of the whole sweep.
bool of_the_point(const Error& e) { return e.kind == ErrorKind::kUsage; }

std::string reason(const Error& e) {
  return e.place.empty() ? e.message : e.place + ": " + e.message;
}

}  // namespace

sim::ReplayedLaunch total_of(const sim::ReplayResult& replayed) {
  sim::ReplayedLaunch out;
  for (const sim::ReplayedLaunch& l : replayed.details) {
    out.counters = out.counters + l.counters;
    out.complete &= l.complete;
    if (l.time) {
      if (!out.time) out.time.emplace();
      out.time->cycles += l.time->cycles;
      out.time->instructions += l.time->instructions;
      out.time->warp_cycles += l.time->warp_cycles;
    }
    for (const auto& [name, value] : l.metrics.metrics) {
      MetricValue& sum = out.metrics.metrics[name];
      // A size is no count.
      if (name == "launch__shared_mem_config_size") sum.value = std::max(sum.value, value.value);
      else sum.value += value.value;
      if (!value.known()) sum.missing = value.missing;
    }
  }
  return out;
}

Changes changes_of(const Space& space, std::uint64_t number) {
  Changes out;
  const auto values = space.values(number);
  for (std::size_t a = 0; a < values.size(); ++a) out.emplace_back(space.axes()[a].key, values[a]);
  return out;
}

Changes machine_changes(const Task& task, const Changes& point) {
  Changes out;
  for (const auto& change : point)
    if (std::ranges::find(task.no_card, change.first) == task.no_card.end()) out.push_back(change);
  return out;
}

Result<SweepPoint> run_point(const Task& task, const Space& space, std::uint64_t number,
                             unsigned threads) {
  SweepPoint out;
  out.number = number;
  out.values = space.values(number);
  const Changes changes = changes_of(space, number);
  const auto machine =
      machine_of(task.gpu, task.settings, machine_changes(task, changes), task.load);
  if (!machine) {
    if (!of_the_point(machine.error())) return machine.error();
    out.left_out = reason(machine.error());
    return out;
  }
  const auto made = task.traces->of(changes);
  if (!made) {
    if (!of_the_point(made.error())) return made.error();
    out.left_out = reason(made.error());
    return out;
  }
  const TraceSet& traces = **made;
  if (auto ok = traces.decode(threads, wanted(task)); !ok) return ok.error();
  for (std::size_t t = 0; t < traces.size(); ++t) {
    sim::ReplayOptions options = replay_options(task, *machine, traces, t);
    options.threads = threads;
    auto replayed = sim::replay(traces.reader(t), machine->card, options);
    if (!replayed) {
      if (!of_the_point(replayed.error())) return replayed.error();
      out.metrics.clear();
      out.left_out = reason(replayed.error());
      return out;
    }
    if (task.only)
      std::erase_if(replayed->details,
                    [&](const sim::ReplayedLaunch& l) { return !task.only(l.metrics.launch); });
    out.metrics.push_back(task.metrics(total_of(*replayed), machine->card));
  }
  return out;
}

Result<void> run_points(const Task& task, const Space& space,
                        const std::vector<std::uint64_t>& numbers, std::size_t threads,
                        const std::function<Result<void>(SweepPoint)>& done) {
  std::vector<std::optional<Error>> failed(numbers.size());
  std::mutex telling;
  // Where there are fewer points than threads, a point's launches share those that are left.
  const auto each = static_cast<unsigned>(
      std::max<std::size_t>(1, threads / std::max<std::size_t>(1, numbers.size())));
  in_parallel(numbers.size(), threads, [&] {
    return [&](std::size_t i) {
      auto point = run_point(task, space, numbers[i], each);
      if (!point) {
        failed[i] = point.error();
        return false;
      }
      const std::lock_guard lock(telling);
      if (auto ok = done(std::move(*point)); !ok) failed[i] = ok.error();
      return !failed[i];
    };
  });
  for (const std::optional<Error>& f : failed)
    if (f) return *f;
  return {};
}

Result<TraceSource::Traces> some_traces(const Task& task, const Space& space) {
  constexpr std::size_t kMostTried = 16;
  constexpr std::uint64_t kMostPoints = 10'000;
  const std::uint64_t points = std::min(space.size().value_or(kMostPoints), kMostPoints);
  std::set<Changes> tried;
  for (std::uint64_t p = 0; p < points && tried.size() < kMostTried; ++p) {
    const Changes changes = changes_of(space, p);
    if (!tried.insert(task.traces->program_of(changes)).second) continue;
    auto made = task.traces->of(changes);
    if (made || !of_the_point(made.error())) return made;
  }
  return TraceSource::Traces{};
}

std::uint64_t records_of(const Task& task, const TraceSet& traces) {
  std::uint64_t n = 0;
  for (std::size_t t = 0; t < traces.size(); ++t)
    for (const trace::LaunchSummary& l : traces.reader(t).launches())
      if (!task.only || task.keep_caches || task.only(l.launch.id)) n += l.end.records;
  return n;
}

Result<double> measured_rate(const Task& task, const TraceSet& traces, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto machine = machine_of(task.gpu, task.settings, {}, task.load);
  if (!machine) return machine.error();
  sim::ReplayOptions options = replay_options(task, *machine, traces, 0);
  const auto begin = Clock::now();
  std::uint64_t done = 0;
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  options.progress = [&](std::uint64_t records, std::uint64_t) {
    done = records;
    return passed() < seconds;
  };
  const auto replayed = sim::replay(traces.reader(0), machine->card, options);
  if (!replayed && replayed.error().kind != ErrorKind::kInterrupted) return replayed.error();
  return static_cast<double>(std::max<std::uint64_t>(done, 1)) / std::max(passed(), 1e-6);
}

}  // namespace warpmem::sweep
