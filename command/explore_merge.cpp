// `warpmem explore merge OUT PART…`: the parts of a sweep that was shared out. `warpmem explore
// show FILE`: a finished sweep once more.
#include "command/command.hpp"
#include "command/explore_table.hpp"
#include "sweep/store.hpp"

namespace warpmem::command {
namespace {

int show(const ExploreOptions& options, const SweepResult& result, bool counts) {
  if (auto ok = check_expressions(options.metrics, result, "--metric"); !ok)
    return fail(ok.error());
  auto output = Output::open(options.output, options.parts);
  if (!output) return fail(output.error());
  return show_sweep(options, sweep_table(result, options.metrics, counts), *output);
}

bool by_counts(const sweep::Identity& identity) {
  for (const auto& [name, value] : identity)
    if (name == "engine") return value == "counts";
  return false;
}

}  // namespace

int explore_merge(const ExploreOptions& options) {
  const auto result = sweep::merge(options.parts, options.merged, options.output.force);
  if (!result) return fail(result.error());
  const auto stored = sweep::read_store(options.merged);
  if (!stored) return fail(stored.error());
  return show(options, *result, by_counts(stored->identity));
}

int explore_show(const ExploreOptions& options) {
  const auto stored = sweep::read_store(options.shown);
  if (!stored) return fail(stored.error());
  return show(options, stored->result, by_counts(stored->identity));
}

}  // namespace warpmem::command
