// `warpmem explore T --vary …`: every point of a space.
#include <fmt/format.h>

#include <mutex>

#include "base/units.hpp"
#include "command/command.hpp"
#include "command/explore_table.hpp"
#include "command/explore_task.hpp"
#include "command/progress.hpp"
#include "command/threads_option.hpp"

namespace warpmem::command {
namespace {

std::vector<std::uint64_t> points_of(const ExploreTask& task, const sweep::Shard& shard,
                                     const std::set<std::uint64_t>& finished) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t p = 0; p < task.plan.points; ++p)
    if (shard.has(p) && !finished.contains(p)) out.push_back(p);
  return out;
}

// What a sweep would do, without doing it.
int dry_run(const ExploreTask& task, const ExploreOptions& options, double points, double seconds) {
  constexpr std::uint64_t kMostChecked = 10'000;
  std::string out = fmt::format("{} points of {} records each, about {} with {} threads\n",
                                number(points), grouped(sweep::records_of(task.task)),
                                duration(seconds), threads_of(options.threads));
  std::uint64_t left_out = 0;
  std::string why;
  for (std::uint64_t p = 0; p < std::min(task.plan.points, kMostChecked); ++p) {
    if (!options.shard.has(p)) continue;
    sweep::Changes changes;
    const auto values = task.space->values(p);
    for (std::size_t a = 0; a < values.size(); ++a)
      changes.emplace_back(task.space->axes()[a].key, values[a]);
    const auto machine =
        sweep::machine_of(task.task.gpu, task.task.settings, changes, task.task.load);
    if (machine) continue;
    if (left_out++ == 0)
      why = fmt::format("{}: {}", fmt::join(values, ", "), machine.error().message);
  }
  if (left_out > 0)
    out += fmt::format("{} of them are no possible GPU and will be left out; the first is {}\n",
                       grouped(left_out), why);
  return emit(options.output, out);
}

}  // namespace

int explore_sweep(const ExploreOptions& options) {
  auto task = explore_task(options);
  if (!task) return fail(task.error());
  if (auto ok = check_expressions(options.metrics, task->plan.empty, "--metric"); !ok)
    return fail(ok.error());
  const double count =
      static_cast<double>(task->plan.points) / static_cast<double>(options.shard.of);
  const auto seconds = estimated_seconds(*task, options, count);
  if (!seconds) return fail(seconds.error());
  if (options.dry_run) return dry_run(*task, options, count, *seconds);
  if (auto ok = check_patience(options, count, *seconds); !ok) return fail(ok.error());
  auto output = Output::open(options.output, options.traces);
  if (!output) return fail(output.error());
  auto store = sweep::Store::open(options.results, task->plan, options.output.force);
  if (!store) return fail(store.error());
  if (!store->whole()) {
    const auto points = points_of(*task, options.shard, store->finished());
    if (!store->finished().empty())
      note(fmt::format("{} points were finished before; {} are left", store->finished().size(),
                       points.size()));
    if (!points.empty())
      if (auto ok = decode(*task, options); !ok) return fail(ok.error());
    Progress progress("explore", "points", points.size());
    std::uint64_t done = 0;
    const auto ok = sweep::run_points(task->task, *task->space, points, threads_of(options.threads),
                                      [&](const SweepPoint& p) {
                                        progress.update(++done);
                                        return store->add(p);
                                      });
    if (!ok) return fail(ok.error());
  }
  const auto result = store->result();
  if (!result) return fail(result.error());
  if (!result->points.empty() &&
      std::ranges::all_of(result->points, [](const SweepPoint& p) { return !p.left_out.empty(); }))
    return fail(
        {ErrorKind::kUsage,
         fmt::format("none of the points is a possible GPU: {}", result->points[0].left_out),
         fmt::format("point {}", fmt::join(result->points[0].values, ", ")),
         "give other values to --vary"});
  if (auto ok = store->publish(); !ok) return fail(ok.error());
  return show_sweep(options, sweep_table(*result, options.metrics, options.counts), *output);
}

}  // namespace warpmem::command
