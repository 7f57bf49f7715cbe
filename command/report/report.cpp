// `warpmem report T -o report.html`: all that is known of a trace's launches, as one page that
// needs no network.
#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/run_files.hpp"
#include "command/command.hpp"
#include "command/options/number.hpp"
#include "command/options/threads.hpp"
#include "command/report/input.hpp"
#include "command/screen/output.hpp"
#include "views/report.hpp"

namespace warpmem::command {
namespace {

struct ReportOptions {
  ReportInput input;
  std::string output;
  bool force = false, json = false, live = false;
};

// The model as WebAssembly, which has a build of its own.
Result<std::string> web_module() {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const fs::path& at : {program / "warpmem.wasm", program / "../build-web/warpmem.wasm",
                             program / "../share/warpmem/warpmem.wasm"}) {
    std::ifstream in = open_to_read(at.string());
    std::ostringstream bytes;
    if (in && bytes << in.rdbuf()) return std::move(bytes).str();
  }
  return Error{ErrorKind::kEnvironment, "the model was not built as WebAssembly", "--live",
               "build it: web/get_zig.sh && cmake --preset web && cmake --build --preset web"};
}

int report(const ReportOptions& options) {
  const auto traces = report_traces(options.input);
  if (!traces) return fail(traces.error());
  for (const ReportTrace& t : *traces) note_input(t.path), note_input(t.profile);
  // A page may lie beside what it shows.
  for (const std::string& source : options.input.sources)
    if (std::error_code none; std::filesystem::is_directory(source, none))
      note_input_folder(source, ".html");
  std::string module;
  if (options.live) {
    auto found = web_module();
    if (!found) return fail(found.error());
    module = std::move(*found);
  }
  // An output that cannot be written is told now, not after minutes of work.
  auto output = Output::open({Format::kTable, options.output, options.force});
  if (!output) return fail(output.error());
  auto made = make_report(options.input, *traces);
  if (!made) return fail(made.error());
  for (const ReportRun& run : made->runs)
    for (const std::string& text : run.notes) warn(run.name + ": " + text);
  if (auto ok = add_sources(options.input.sources, *made); !ok) return fail(ok.error());
  if (auto ok = add_curves(options.input.curves, *made); !ok) return fail(ok.error());
  output->write(options.json ? views::report_json(*made) + "\n"
                             : views::report_html(*made, module));
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

void add_inputs(CLI::App& app, ReportInput& input) {
  app.add_option("traces", input.traces, "recorded traces, or folders of them")
      ->required()
      ->type_name("TRACE|DIR");
  app.add_flag("--partial", input.partial, "accept traces that are known to be incomplete");
  app.add_option("--gpu", input.gpus,
                 "GPU card, or a card of your own: FILE.toml; twice: side by side; without it, the "
                 "card of each trace's own GPU")
      ->type_name("NAME|FILE")
      ->expected(1)
      ->take_all();
  app.add_option("--set", input.settings, "change a number of the cards: --set l1.size=64KiB")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  add_launch_option(app, input.launches);
  app.add_option("--profile", input.profiles,
                 "a profiler's CSV of the same program, to compare with: one a trace")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  app.add_option("--source", input.sources, "show this source file, or those of this folder")
      ->type_name("FILE|DIR")
      ->expected(1)
      ->take_all();
  app.add_option("--curves", input.curves,
                 "show what-if curves: what explore --results wrote, or a CSV whose first column "
                 "is what was changed")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
}

}  // namespace

Run setup_report(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  ReportInput& input = options->input;
  add_inputs(app, input);
  app.add_flag("--counts", input.counts, "with the counts engine: faster, no cycles");
  app.add_flag("--no-gain", input.no_gain, "do not replay the changes that would help");
  add_whole_option(
      app, "--gains", {1, 1000, "findings"},
      [options](std::uint64_t n) { options->input.findings = n; },
      "replay the changes of so many findings of a launch (3; of many launches none)");
  add_threads_option(app, input.threads, "launches replayed");
  app.add_flag("--live", options->live,
               "put the model into the page: access patterns and what-ifs are computed there");
  app.add_flag("--json", options->json, "write what the page shows as JSON");
  app.add_option("-o,--output", options->output, "write to this file instead of stdout")
      ->type_name("OUT");
  add_force_option(app, options->force);
  return [options] { return report(*options); };
}

}  // namespace warpmem::command
