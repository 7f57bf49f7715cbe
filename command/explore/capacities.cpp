// `warpmem explore T --capacities l1|l2`: hits at every capacity.
#include <fmt/format.h>

#include "base/units.hpp"
#include "command/command.hpp"
#include "command/explore/task.hpp"
#include "command/options/threads.hpp"
#include "sweep/capacities.hpp"
#include "sweep/range.hpp"
#include "views/sweep.hpp"

namespace warpmem::command {

int explore_capacities(const ExploreOptions& options) {
  if (options.traces.size() > 1)
    return fail({ErrorKind::kUsage, "all capacities are worked out for one trace", "--capacities",
                 "give one trace at a time"});
  if (!options.vary.empty())
    return fail({ErrorKind::kUsage, "capacities have an axis of their own", "--vary",
                 "leave it out; --sizes says which capacities, --set changes the card"});
  auto task = explore_task(options);
  if (!task) return fail(task.error());
  const auto card = load_card(options.card);
  if (!card) return fail(card.error());
  if (auto there = sweep::has_cache(*card, options.capacities == "l2"); !there)
    return fail(there.error());
  sweep::CapacityTask work;
  const auto traces = task->task.traces->of({});
  if (!traces) return fail(traces.error());
  work.trace = &(*traces)->reader(0);
  work.l2 = options.capacities == "l2";
  work.fixed_ways = options.fixed_ways;
  work.by_replay = options.by_replay;
  work.threads = threads_of(options.threads);
  work.only = task->task.only;
  if (options.sizes.empty()) {
    work.sizes = sweep::usual_sizes(*card, work.l2);
  } else {
    const auto sizes = sweep::read_range(options.sizes, "--sizes");
    if (!sizes) return fail(sizes.error());
    for (const std::string& s : *sizes) {
      const auto bytes = parse_bytes(s);
      if (!bytes)
        return fail(
            {ErrorKind::kUsage, fmt::format("'{}' is no size", s), "--sizes", "write it as 64KiB"});
      work.sizes.push_back(*bytes);
    }
    std::ranges::sort(work.sizes);
  }
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  if (auto ok = decode(*task, options); !ok) return fail(ok.error());
  work.decoded = (*traces)->decoded(0);
  auto result = sweep::capacities(work, *card);
  if (!result) return fail(result.error());
  result->notes.push_back(
      "a warp waits as long for what hits as for what misses, so that caches of all capacities are "
      "asked for the same; a replay with the card's own latencies has another order");
  return emit(
      *output, options.output.format,
      [&] { return views::capacities_text(*result, output->terminal()); },
      [&] { return views::capacities_json(*result); },
      [&] { return views::capacities_csv(*result); });
}

}  // namespace warpmem::command
