#include "sweep/run.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "base/in_parallel.hpp"

namespace warpmem::sweep {
namespace {

sim::ReplayOptions replay_options(const Task& task, const Machine& machine, std::size_t trace) {
  sim::ReplayOptions options;
  options.time = task.time;
  options.keep_caches = task.keep_caches;
  options.only = task.keep_caches ? nullptr : task.only;
  options.decoded = task.decoded.at(trace);
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

Result<SweepPoint> run_point(const Task& task, const Space& space, std::uint64_t number,
                             unsigned threads) {
  SweepPoint out;
  out.number = number;
  out.values = space.values(number);
  Changes changes;
  for (std::size_t a = 0; a < out.values.size(); ++a)
    changes.emplace_back(space.axes()[a].key, out.values[a]);
  const auto machine = machine_of(task.gpu, task.settings, changes, task.load);
  if (!machine) {
    if (!of_the_point(machine.error())) return machine.error();
    out.left_out = reason(machine.error());
    return out;
  }
  for (std::size_t t = 0; t < task.traces.size(); ++t) {
    sim::ReplayOptions options = replay_options(task, *machine, t);
    options.threads = threads;
    auto replayed = sim::replay(*task.traces[t], machine->card, options);
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

std::uint64_t records_of(const Task& task) {
  std::uint64_t n = 0;
  for (const trace::TraceReader* t : task.traces)
    for (const trace::LaunchSummary& l : t->launches())
      if (!task.only || task.keep_caches || task.only(l.launch.id)) n += l.end.records;
  return n;
}

Result<double> measured_rate(const Task& task, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto machine = machine_of(task.gpu, task.settings, {}, task.load);
  if (!machine) return machine.error();
  sim::ReplayOptions options = replay_options(task, *machine, 0);
  const auto begin = Clock::now();
  std::uint64_t done = 0;
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  options.progress = [&](std::uint64_t records, std::uint64_t) {
    done = records;
    return passed() < seconds;
  };
  const auto replayed = sim::replay(*task.traces[0], machine->card, options);
  if (!replayed && replayed.error().kind != ErrorKind::kInterrupted) return replayed.error();
  return static_cast<double>(std::max<std::uint64_t>(done, 1)) / std::max(passed(), 1e-6);
}

}  // namespace warpmem::sweep
