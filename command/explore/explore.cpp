// `warpmem explore T… --vary KEY=RANGE`: what-ifs by the thousand.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "base/read_number.hpp"
#include "command/command.hpp"
#include "command/explore/options.hpp"
#include "command/inputs/profile_card.hpp"
#include "command/inputs/trace_card.hpp"
#include "command/inputs/trace_input.hpp"
#include "command/options/number.hpp"
#include "command/options/threads.hpp"
#include "command/options/vocabulary.hpp"
#include "command/usage.hpp"

namespace warpmem::command {
namespace {

// "3/16".
Result<sweep::Shard> read_shard(const std::string& text) {
  const auto slash = text.find('/');
  if (slash != std::string::npos) {
    const auto of = read_whole(text.substr(slash + 1), {1, 1'000'000, "parts"}, "--shard");
    if (!of) return of.error();
    const auto part = read_whole(text.substr(0, slash), {1, *of, "parts"}, "--shard");
    if (!part) return part.error();
    return sweep::Shard{*part, *of};
  }
  return Error{ErrorKind::kUsage, fmt::format("'{}' is no part of a sweep", text), "--shard",
               "write it as 3/16: the third of sixteen parts"};
}

void add_shown_options(CLI::App& app, ExploreOptions& o) {
  app.add_option(
         "--metric", o.metrics,
         "what to show: a metric's name, a short one (cycles, l1_hit_rate, dram_sectors) or "
         "a formula of them; again for more")
      ->type_name("EXPR")
      ->expected(1)
      ->take_all();
  app.add_flag("--plot", o.plot, "a chart below the table");
  app.add_option("--svg", o.svg, "write a drawing to this file")->type_name("OUT");
}

void add_search_options(CLI::App& app, ExploreOptions& o) {
  app.add_option("--objective", o.objective,
                 "search for the point at which this is least, instead of trying all")
      ->type_name("EXPR");
  add_whole_option(
      app, "--budget", {1, kNoMost, "points"}, [&o](std::uint64_t n) { o.budget = n; },
      "points that a search may try");
  add_whole_option(
      app, "--seed", {0, kNoMost, ""}, [&o](std::uint64_t n) { o.seed = n; },
      "of a search: the same seed tries the same points (1)");
  app.add_option("--method", o.method,
                 "of a search: ego (efficient global optimization, Jones et al. 1998) or random")
      ->type_name("METHOD")
      ->check(CLI::IsMember({"ego", "random"}))
      ->capture_default_str();
}

void add_capacity_options(CLI::App& app, ExploreOptions& o) {
  app.add_option("--capacities", o.capacities,
                 "hits of the l1 or the l2 at many capacities, in one pass where it is least "
                 "recently used; by source line and array")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"l1", "l2"}));
  app.add_option("--sizes", o.sizes, "of --capacities: which (1 to 16 ways of the card's sets)")
      ->type_name("RANGE");
  app.add_flag("--fixed-ways", o.fixed_ways,
               "of --capacities: the number of sets changes, not that of ways");
  app.add_flag("--by-replay", o.by_replay, "of --capacities: a replay for each, to compare with");
}

void add_machine_options(CLI::App& app, ExploreOptions& o) {
  app.add_option_function<std::string>(
         "--shard",
         [&o](const std::string& text) {
           const auto shard = read_shard(text);
           if (!shard) throw RefusedValue(shard.error());
           o.shard = *shard;
         },
         "only this part of the points: 3/16; explore merge puts parts together")
      ->type_name("I/N");
  app.add_option("--jobs", o.jobs, "run the points as a job array: slurm")
      ->type_name("SYSTEM")
      ->check(CLI::IsMember({"slurm"}));
  add_whole_option(
      app, "--tasks", {1, 1'000'000, "tasks"}, [&o](std::uint64_t n) { o.tasks = n; },
      "of --jobs: parts that the sweep is shared out into (16)");
  add_whole_option(
      app, "--at-once", {1, 1'000'000, "tasks"}, [&o](std::uint64_t n) { o.at_once = n; },
      "of --jobs: tasks that may run at a time");
  add_whole_option(
      app, "--retries", {0, 100, "attempts"}, [&o](std::uint64_t n) { o.retries = n; },
      "of --jobs: how often parts that fail are sent again (2)");
  app.add_option("--time-limit", o.time_limit, "of --jobs: of a task, as sbatch takes it: 1:00:00")
      ->type_name("TIME");
  app.add_option("--job-option", o.job_options,
                 "of --jobs: a further option of sbatch; again for more")
      ->type_name("OPTION")
      ->expected(1)
      ->take_all();
}

void add_merge(CLI::App& app, ExploreOptions& o) {
  CLI::App* const merge =
      app.add_subcommand("merge", "put the parts of a sweep that was shared out into one file");
  merge->add_option("output", o.merged, "file for the whole sweep")->type_name("OUT")->required();
  merge->add_option("parts", o.parts, "files of all parts")->type_name("PART")->required();
  add_output_options(*merge, o.output);
  add_shown_options(*merge, o);
  CLI::App* const show = app.add_subcommand("show", "a finished sweep once more");
  show->add_option("results", o.shown, "file of a finished sweep")->type_name("FILE")->required();
  add_output_options(*show, o.output);
  add_shown_options(*show, o);
}

// Without --gpu, the card of the first trace's own GPU; with --make there is none yet.
Result<std::string> gpu_of_traces(const ExploreOptions& o) {
  if (o.traces.empty() || !o.make.empty()) return std::string(kUsualCard);
  auto reader = open_wanted({o.traces.front(), o.partial}, o.launches);
  if (!reader) return reader.error();
  const TraceCard card = card_of_trace(*reader);
  if (!card.note.empty()) note(card.note);
  return card.name;
}

int explore(ExploreOptions& o) {
  if (!o.merged.empty()) return explore_merge(o);
  if (!o.shown.empty()) return explore_show(o);
  if (o.card.gpu.empty()) {
    auto gpu = gpu_of_traces(o);
    if (!gpu) return fail(gpu.error());
    o.card.gpu = std::move(*gpu);
  }
  if (!o.jobs.empty()) return explore_slurm(o);
  if (!o.capacities.empty()) return explore_capacities(o);
  if (!o.objective.empty()) return explore_search(o);
  return explore_sweep(o);
}

}  // namespace

Run setup_explore(CLI::App& app) {
  auto o = std::make_shared<ExploreOptions>();
  app.add_option("traces", o->traces, "traces to replay at each point")->type_name("TRACE");
  app.add_flag("--partial", o->partial, "accept traces that are cut short");
  app.add_option(
         "--vary", o->vary,
         "what changes, and what it takes: KEY=a,b,c or KEY=a:b (twice each time), a:b:step, "
         "a:b:*factor; KEY: as of --set, gpu, carveout, loads, order or block; again for more axes")
      ->type_name("KEY=RANGE")
      ->expected(1)
      ->take_all();
  app.add_option("--make", o->make,
                 "a command that makes a trace for each value: {KEY} stands for what --vary says, "
                 "{trace} for the file; instead of traces")
      ->type_name("COMMAND");
  add_trace_card_options(app, o->card);
  add_launch_option(app, o->launches);
  app.add_flag("--counts", o->counts, "with the counts engine: three times as fast, no cycles");
  app.add_flag("--keep-caches", o->keep_caches,
               "do not flush the caches before each launch, as a profiler does");
  add_vocabulary_option(app, "--metrics", o->vocabulary, "in whose words (ncu)");
  app.add_option("--results", o->results,
                 "keep results in this file (SQLite), as they come; the same command goes on where "
                 "it stopped")
      ->type_name("OUT");
  add_shown_options(app, *o);
  app.add_flag("--dry-run", o->dry_run, "how many points, and how long; nothing is replayed");
  app.add_flag("--yes", o->yes,
               "even if it has more than 10,000 points or takes more than an hour");
  add_threads_option(app, o->threads, "points replayed");
  add_search_options(app, *o);
  add_capacity_options(app, *o);
  add_machine_options(app, *o);
  add_output_options(app, o->output);
  add_merge(app, *o);
  return [o] { return explore(*o); };
}

}  // namespace warpmem::command
