// `warpmem explore T --vary … --objective E --budget N`: a search for the point with the least
// objective.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.hpp"
#include "command/command.hpp"
#include "command/explore/table.hpp"
#include "command/explore/task.hpp"
#include "command/options/threads.hpp"
#include "command/screen/progress.hpp"
#include "sweep/search.hpp"

namespace warpmem::command {
namespace {

constexpr std::size_t kMostImpossible = 50;  // points that may be no GPU for each that is tried

std::vector<sweep::SearchAxis> axes_of(const sweep::Space& space) {
  std::vector<sweep::SearchAxis> out;
  for (const SweepAxis& a : space.axes())
    out.push_back({a.values.size(), std::ranges::all_of(a.values, [](const std::string& v) {
                     return parse_bytes(v).has_value();
                   })});
  return out;
}

// Of all traces together; nothing: it is not known.
std::optional<double> objective_of(const SweepPoint& p, const std::string& objective,
                                   const SweepResult& sweep) {
  if (!p.left_out.empty()) return {};
  double sum = 0;
  for (std::size_t t = 0; t < p.metrics.size(); ++t) {
    const MetricValue v = value_of(objective, sweep, p, t);
    if (!v.known() || !std::isfinite(v.value)) return {};
    sum += v.value;
  }
  return sum;
}

struct Searched {
  std::map<std::uint64_t, SweepPoint> points;
  std::size_t possible = 0;  // … of them, which the budget is of: what is no GPU costs nothing
  std::optional<std::uint64_t> best;
  double least = 0;
};

Result<Searched> search(const ExploreOptions& options, ExploreTask& task, sweep::Store& store) {
  auto method = options.method == "random"
                    ? sweep::random_search(axes_of(*task.space), options.seed)
                    : sweep::ego(axes_of(*task.space), options.seed);
  Searched out;
  std::map<std::uint64_t, SweepPoint> known;
  SweepResult before = store.result();
  for (SweepPoint& p : before.points) known.emplace(p.number, std::move(p));
  Progress progress("explore", "points", options.budget);
  // Of a space that has hardly any GPU in it not all is looked through.
  const std::size_t most = kMostImpossible * options.budget;
  while (out.possible < options.budget && out.points.size() < most) {
    const auto round =
        method->next(std::min<std::size_t>(sweep::kRound, options.budget - out.possible));
    if (round.empty()) break;
    std::vector<std::uint64_t> fresh;
    for (const std::uint64_t p : round)
      if (!known.contains(p)) fresh.push_back(p);
    const auto ok = sweep::run_points(task.task, *task.space, fresh, threads_of(options.threads),
                                      [&](const SweepPoint& p) -> Result<void> {
                                        if (auto added = store.add(p); !added) return added;
                                        known.emplace(p.number, p);
                                        return {};
                                      });
    if (!ok) return ok.error();
    for (const std::uint64_t p : round) {
      const SweepPoint& point = out.points.emplace(p, known.at(p)).first->second;
      const auto value = objective_of(point, options.objective, task.plan.empty);
      method->tell(p, value);
      out.possible += point.left_out.empty();
      if (value && (!out.best || *value < out.least)) out.best = p, out.least = *value;
    }
    progress.update(out.possible);
  }
  return out;
}

}  // namespace

int explore_search(const ExploreOptions& options) {
  if (options.budget == 0)
    return fail({ErrorKind::kUsage, "a search needs to know how many points it may try",
                 "--objective", "give --budget, for example --budget 100"});
  auto task = explore_task(options);
  if (!task) return fail(task.error());
  if (task->space->axes().empty())
    return fail({ErrorKind::kUsage, "there is nothing to search", "--objective",
                 "say what may change: --vary l1.size=64KiB:256KiB"});
  if (auto ok = check_expressions({options.objective}, task->plan.empty, "--objective"); !ok)
    return fail(ok.error());
  if (auto ok = check_expressions(options.metrics, task->plan.empty, "--metric"); !ok)
    return fail(ok.error());
  const auto count = static_cast<double>(std::min(options.budget, task->plan.points));
  const auto seconds = estimated_seconds(*task, options, count);
  if (!seconds) return fail(seconds.error());
  if (options.dry_run)
    return emit(options.output, fmt::format("{} of {} points, about {} with {} threads\n",
                                            number(count), grouped(task->plan.points),
                                            duration(*seconds), threads_of(options.threads)));
  if (auto ok = check_patience(options, count, *seconds); !ok) return fail(ok.error());
  auto outputs = open_outputs(options);
  if (!outputs) return fail(outputs.error());
  auto store = sweep::Store::open(options.results, task->plan, options.output.force);
  if (!store) return fail(store.error());
  if (!store->note().empty()) note(store->note());
  if (auto ok = decode(*task, options); !ok) return fail(ok.error());
  const auto found = search(options, *task, *store);
  if (!found) return fail(found.error());
  if (!found->best)
    return fail(
        {ErrorKind::kUsage,
         fmt::format("the objective has no value at any of {} points", found->points.size()),
         "--objective", "cycles need the time engine: leave out --counts"});
  if (auto ok = store->publish(); !ok) return fail(ok.error());
  SweepResult result = task->plan.empty;
  std::size_t best = 0;
  for (const auto& [number, p] : found->points) {
    if (number == *found->best) best = result.points.size();
    result.points.push_back(p);
  }
  std::vector<std::string> shown{options.objective};
  for (const std::string& m : options.metrics)
    if (m != options.objective) shown.push_back(m);
  SweepTable table = sweep_table(result, shown, options.counts);
  table.knees.clear();
  table.best = best;
  table.notes.push_back(
      fmt::format("{} (seed {}) tried {} of {} points; the least {} is {} at {}", options.method,
                  options.seed, found->possible, grouped(task->plan.points), options.objective,
                  number(found->least), fmt::join(task->space->values(*found->best), ", ")));
  return show_sweep(options, table, *outputs);
}

}  // namespace warpmem::command
