// `warpmem explore T --vary …`: every point of a space.
#include <fmt/format.h>

#include <map>

#include "base/units.hpp"
#include "command/command.hpp"
#include "command/explore/table.hpp"
#include "command/explore/task.hpp"
#include "command/options/threads.hpp"
#include "command/screen/progress.hpp"

namespace warpmem::command {
namespace {

std::vector<std::uint64_t> points_of(const ExploreTask& task, const sweep::Shard& shard,
                                     const std::set<std::uint64_t>& finished) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t p = 0; p < task.plan.points; ++p)
    if (shard.has(p) && !finished.contains(p)) out.push_back(p);
  // Points of one program one after the other, so that it is made once.
  const sweep::TraceSource& traces = *task.task.traces;
  if (traces.keys().empty()) return out;
  std::map<sweep::Changes, std::vector<std::uint64_t>> by_program;
  for (const std::uint64_t p : out)
    by_program[traces.program_of(sweep::changes_of(*task.space, p))].push_back(p);
  out.clear();
  for (const auto& [program, points] : by_program)
    out.insert(out.end(), points.begin(), points.end());
  return out;
}

// What a sweep would do, without doing it.
int dry_run(const ExploreTask& task, const ExploreOptions& options, double points, double seconds) {
  constexpr std::uint64_t kMostChecked = 10'000;
  const auto traces = sweep::some_traces(task.task, *task.space);
  if (!traces) return fail(traces.error());
  std::string out =
      *traces ? fmt::format("{} points of {} records each, about {} with {} threads\n",
                            number(points), grouped(sweep::records_of(task.task, **traces)),
                            duration(seconds), threads_of(options.threads))
              : fmt::format("{} points; no trace could be made for the first\n", number(points));
  std::uint64_t left_out = 0;
  std::string why;
  for (std::uint64_t p = 0; p < std::min(task.plan.points, kMostChecked); ++p) {
    if (!options.shard.has(p)) continue;
    const sweep::Changes changes =
        sweep::machine_changes(task.task, sweep::changes_of(*task.space, p));
    const auto machine =
        sweep::machine_of(task.task.gpu, task.task.settings, changes, task.task.load);
    if (machine) continue;
    if (left_out++ == 0)
      why = fmt::format("{}: {}", fmt::join(task.space->values(p), ", "), machine.error().message);
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
  auto outputs = open_outputs(options);
  if (!outputs) return fail(outputs.error());
  auto store = sweep::Store::open(options.results, task->plan, options.output.force);
  if (!store) return fail(store.error());
  if (!store->note().empty()) note(store->note());
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
  const SweepResult result = store->result();
  if (!result.points.empty() &&
      std::ranges::all_of(result.points, [](const SweepPoint& p) { return !p.left_out.empty(); }))
    return fail(
        {ErrorKind::kUsage,
         fmt::format("none of the points is a possible {}: {}",
                     task->task.traces->keys().empty() ? "GPU" : "program on a possible GPU",
                     result.points[0].left_out),
         fmt::format("point {}", fmt::join(result.points[0].values, ", ")),
         "give other values to --vary"});
  if (auto ok = store->publish(); !ok) return fail(ok.error());
  return show_sweep(options, sweep_table(result, options.metrics, options.counts), *outputs);
}

}  // namespace warpmem::command
