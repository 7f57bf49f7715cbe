// `warpmem replay T --gpu h200`: a trace's counters on a card.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>

#include "base/units.hpp"
#include "command/command.hpp"
#include "command/inputs/card_input.hpp"
#include "command/inputs/trace_card.hpp"
#include "command/inputs/trace_input.hpp"
#include "command/options/number.hpp"
#include "command/options/threads.hpp"
#include "command/options/vocabulary.hpp"
#include "command/replay/timeline.hpp"
#include "command/replay/view.hpp"
#include "command/screen/output.hpp"
#include "command/screen/progress.hpp"
#include "sim/program/program_timeline.hpp"
#include "sim/replay.hpp"
#include "sim/sample/sample.hpp"
#include "views/sampled.hpp"

namespace warpmem::command {

namespace {

struct ReplayCommandOptions {
  TraceInput input;
  CardInput card;
  LaunchRange launches;
  OutputOptions output;
  bool all = false;
  std::string vocabulary;  // empty: the card's usual one
  bool keep_caches = false;
  bool time = true;
  bool counts = false;
  std::string timeline;
  unsigned threads = 0;
  bool sample = false;
  double share = 0.1;
  std::uint64_t seed = 1, windows = 6;
};

// Some launches, and some waves of large ones, for all.
int replay_sampled(const trace::TraceReader& reader, const model::Card& card,
                   const ReplayCommandOptions& options, Output& output) {
  sim::SampleOptions how;
  how.time = options.time && !options.counts;
  how.share = options.share;
  how.seed = options.seed;
  how.windows = options.windows;
  how.threads = static_cast<unsigned>(threads_of(options.threads));
  if (!options.launches.all())
    how.only = [&](std::uint64_t launch) { return options.launches.contains(launch); };
  std::optional<Progress> progress;
  how.progress = [&](std::uint64_t done, std::uint64_t total) {
    if (!progress) progress.emplace("replay", "launches", total);
    progress->update(done);
  };
  const auto result = sim::replay_sample(reader, card, how);
  progress.reset();
  if (!result) return fail(result.error());
  return emit(
      output, options.output.format,
      [&] { return views::sampled_text(*result, output.terminal(), options.all); },
      [&] { return views::sampled_json(*result); }, [&] { return views::sampled_csv(*result); });
}

// The launches of a range: each is independent, unless caches are kept, and then those before it
// have to run as well.
Result<sim::ReplayResult> replay_selected(const trace::TraceReader& reader, const model::Card& card,
                                          const ReplayCommandOptions& options) {
  const auto wanted = [&](std::uint64_t launch) { return options.launches.contains(launch); };
  sim::ReplayOptions engine;
  engine.keep_caches = options.keep_caches;
  engine.time = options.time && !options.counts;
  engine.stays = !options.timeline.empty();
  engine.threads = static_cast<unsigned>(threads_of(options.threads));
  if (!options.launches.all() && !options.keep_caches) engine.only = wanted;
  Progress progress("replay", "records", reader.quality().records);
  engine.progress = [&](std::uint64_t done, std::uint64_t) {
    progress.update(done);
    return true;
  };
  auto result = sim::replay(reader, card, engine);
  if (result && !options.launches.all()) {
    std::erase_if(result->launches, [&](const LaunchMetrics& l) { return !wanted(l.launch); });
    std::erase_if(result->details,
                  [&](const sim::ReplayedLaunch& l) { return !wanted(l.metrics.launch); });
  }
  return result;
}

int replay(const ReplayCommandOptions& options) {
  const auto reader = open_wanted(options.input, options.launches);
  if (!reader) return fail(reader.error());
  const auto card = card_for(options.card, *reader);
  if (!card) return fail(card.error());
  // An output that cannot be written is told now, not after minutes of work.
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  std::optional<OutputFile> timeline;
  if (!options.timeline.empty()) {
    auto opened = create_output(options.timeline, options.output.force);
    if (!opened) return fail(opened.error());
    timeline.emplace(std::move(opened).value());
  }
  const std::string caution = level_caution(*reader, options.launches);
  // In a table it stands in front of the numbers; who reads another format sees it too.
  if (!caution.empty() &&
      (options.sample || options.output.format != Format::kTable || output->file()))
    warn(caution);
  if (options.sample) return replay_sampled(*reader, *card, options, *output);
  const auto result = replay_selected(*reader, *card, options);
  if (!result) return fail(result.error());
  if (timeline)
    if (auto written = write_timeline(
            *result, sim::program_timeline(*reader, *card, result->details), *timeline);
        !written)
      return fail(written.error());
  const metrics::Vocabulary words = metrics::vocabulary_named(options.vocabulary)
                                        .value_or(metrics::usual_vocabulary(card->capability()));
  const ReplayView view{*reader,
                        *card,
                        *result,
                        options.all,
                        options.time && !options.counts,
                        options.keep_caches,
                        words,
                        !options.vocabulary.empty(),
                        caution};
  return emit(
      *output, options.output.format, [&] { return replay_text(view, output->terminal()); },
      [&] { return replay_json(view); }, [&] { return replay_csv(view); });
}

void add_sample_options(CLI::App& app, ReplayCommandOptions& o) {
  app.add_flag("--sample", o.sample,
               "replay some launches of each kind, and some waves of large ones: counters of all, "
               "with confidence intervals");
  add_fraction_option(app, "--sample-share", o.share, "of --sample: of a kind's launches (0.1)");
  add_whole_option(
      app, "--sample-windows", {0, 1000, "windows"}, [&o](std::uint64_t n) { o.windows = n; },
      "of --sample: windows of a large launch, beside its beginning and end; 0: launches whole "
      "(6)");
  add_whole_option(
      app, "--seed", {0, kNoMost, ""}, [&o](std::uint64_t n) { o.seed = n; },
      "of --sample: which are drawn (1)");
}

}  // namespace

Run setup_replay(CLI::App& app) {
  auto options = std::make_shared<ReplayCommandOptions>();
  add_trace_options(app, options->input);
  add_trace_card_options(app, options->card);
  add_launch_option(app, options->launches);
  app.add_flag("--all", options->all, "every counter of every launch, zeros too");
  add_vocabulary_option(app, "--metrics", options->vocabulary,
                        "in whose words: of Nsight Compute, nvprof or the Visual Profiler (the "
                        "ones of the card's time)");
  app.add_flag("--keep-caches", options->keep_caches,
               "do not flush the caches before each launch, as a profiler does");
  CLI::Option* const time =
      app.add_flag("--time", options->time,
                   "with the time engine: cycles too, and what the warps waited for (the default)");
  CLI::Option* const counts = app.add_flag(
      "--counts", options->counts,
      "with the counts engine: three times as fast, no cycles, a rougher order of accesses");
  add_threads_option(app, options->threads, "launches replayed");
  add_sample_options(app, *options);
  app.add_option(
         "--timeline", options->timeline,
         "write where each CTA was, and when, and the program's copies and kernels, as a Chrome "
         "trace (for Perfetto)")
      ->type_name("OUT")
      ->excludes(counts);
  time->excludes(counts);
  add_output_options(app, options->output);
  return [options] { return replay(*options); };
}

}  // namespace warpmem::command
