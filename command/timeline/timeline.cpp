// `warpmem timeline T --gpu h200`: when a program's copies, kernels and waits ran, and what it
// waits for.
#include <CLI/CLI.hpp>

#include <memory>

#include "command/command.hpp"
#include "command/inputs/card_input.hpp"
#include "command/inputs/trace_card.hpp"
#include "command/inputs/trace_input.hpp"
#include "command/options/threads.hpp"
#include "command/screen/output.hpp"
#include "command/screen/progress.hpp"
#include "sim/program/program_timeline.hpp"
#include "sim/replay.hpp"
#include "views/program_timeline.hpp"

namespace warpmem::command {
namespace {

struct TimelineOptions {
  TraceInput input;
  CardInput card;
  OutputOptions output;
  unsigned threads = 0;
};

int timeline(const TimelineOptions& options) {
  const auto reader = open_wanted(options.input, {});
  if (!reader) return fail(reader.error());
  const auto card = card_for(options.card, *reader);
  if (!card) return fail(card.error());
  if (reader->steps().empty())
    return fail({ErrorKind::kUsage,
                 "the trace does not say what the program asked of the GPU beside its launches",
                 options.input.path, "trace the program with `warpmem emulate` of this version"});
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  sim::ReplayOptions engine;
  engine.time = true;
  engine.threads = static_cast<unsigned>(threads_of(options.threads));
  Progress progress("timeline", "records", reader->quality().records);
  engine.progress = [&](std::uint64_t done, std::uint64_t) {
    progress.update(done);
    return true;
  };
  const auto replayed = sim::replay(*reader, *card, engine);
  if (!replayed) return fail(replayed.error());
  const ProgramTimeline program = sim::program_timeline(*reader, *card, replayed->details);
  return emit(
      *output, options.output.format,
      [&] { return views::program_timeline_text(program, output->terminal()); },
      [&] { return views::program_timeline_json(program); },
      [&] { return views::program_timeline_csv(program); });
}

}  // namespace

Run setup_timeline(CLI::App& app) {
  auto options = std::make_shared<TimelineOptions>();
  add_trace_options(app, options->input);
  add_trace_card_options(app, options->card);
  add_threads_option(app, options->threads, "launches replayed");
  add_output_options(app, options->output);
  return [options] { return timeline(*options); };
}

}  // namespace warpmem::command
