// `warpmem partitions T --gpu gtx280`: what each channel of DRAM moves, and when: who camps on few.
#include <CLI/CLI.hpp>

#include <memory>

#include "command/command.hpp"
#include "command/inputs/card_input.hpp"
#include "command/inputs/trace_input.hpp"
#include "command/partitions/view.hpp"
#include "command/screen/output.hpp"
#include "command/screen/progress.hpp"
#include "sim/replay.hpp"

namespace warpmem::command {
namespace {

struct PartitionsOptions {
  TraceInput input;
  CardInput card;
  LaunchRange launches;
  OutputOptions output;
  bool counts = false;
};

int partitions(const PartitionsOptions& options) {
  const auto card = load_card(options.card);
  if (!card) return fail(card.error());
  const auto reader = open_wanted(options.input, options.launches);
  if (!reader) return fail(reader.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  sim::ReplayOptions engine;
  engine.time = !options.counts;
  engine.general_memory = true;  // the fast one keeps no channel's traffic; it counts the same
  if (!options.launches.all())
    engine.only = [&](std::uint64_t launch) { return options.launches.contains(launch); };
  Progress progress("partitions", "records", reader->quality().records);
  engine.progress = [&](std::uint64_t done, std::uint64_t) {
    progress.update(done);
    return true;
  };
  const auto result = sim::replay(*reader, *card, engine);
  if (!result) return fail(result.error());
  const PartitionsView view{*card, options.input.path, *result};
  return emit(
      *output, options.output.format, [&] { return partitions_text(view, output->terminal()); },
      [&] { return partitions_json(view); }, [&] { return partitions_csv(view); });
}

}  // namespace

Run setup_partitions(CLI::App& app) {
  auto options = std::make_shared<PartitionsOptions>();
  add_trace_options(app, options->input);
  add_card_options(app, options->card);
  add_launch_option(app, options->launches);
  app.add_flag("--counts", options->counts,
               "with the counts engine: faster, and a rougher order of accesses");
  add_output_options(app, options->output);
  return [options] { return partitions(*options); };
}

}  // namespace warpmem::command
