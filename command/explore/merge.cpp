// `warpmem explore merge OUT PART…`: the parts of a sweep that was shared out. `warpmem explore
// show FILE`: a finished sweep once more.
#include "command/command.hpp"
#include "command/explore/table.hpp"
#include "sweep/store.hpp"

namespace warpmem::command {
namespace {

int show(const ExploreOptions& options, const SweepResult& result, bool counts,
         ExploreOutputs& outputs) {
  if (auto ok = check_expressions(options.metrics, result, "--metric"); !ok)
    return fail(ok.error());
  return show_sweep(options, sweep_table(result, options.metrics, counts), outputs);
}

bool by_counts(const sweep::Identity& identity) {
  for (const auto& [name, value] : identity)
    if (name == "engine") return value == "counts";
  return false;
}

}  // namespace

int explore_merge(const ExploreOptions& options) {
  auto outputs = open_outputs(options);
  if (!outputs) return fail(outputs.error());
  auto file = create_results(options.merged, options.output.force);
  if (!file) return fail(file.error());
  const auto merged = sweep::merge(options.parts, *file);
  if (!merged) return fail(merged.error());
  return show(options, merged->result, by_counts(merged->identity), *outputs);
}

int explore_show(const ExploreOptions& options) {
  auto outputs = open_outputs(options);
  if (!outputs) return fail(outputs.error());
  const auto stored = sweep::read_store(options.shown);
  if (!stored) return fail(stored.error());
  return show(options, stored->result, by_counts(stored->identity), *outputs);
}

}  // namespace warpmem::command
