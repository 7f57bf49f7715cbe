// `warpmem export T`: a trace as another simulator reads it.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "base/units.hpp"
#include "command/command.hpp"
#include "command/inputs/trace_input.hpp"
#include "command/screen/output.hpp"
#include "command/screen/progress.hpp"
#include "traces/export/export.hpp"

namespace warpmem::command {
namespace {

struct ExportOptions {
  TraceInput input;
  LaunchRange launches;
  exports::ExportRequest request;
  bool summary = false;
};

int export_trace(ExportOptions& options) {
  const auto reader = open_wanted(options.input, options.launches);
  if (!reader) return fail(reader.error());
  exports::ExportRequest& request = options.request;
  request.only = [&](std::uint64_t launch) { return options.launches.contains(launch); };
  Progress progress("export", "records", reader->quality().records);
  request.progress = [&](std::uint64_t records) {
    progress.update(records);
    return true;
  };
  const auto report = exports::export_accel_sim(*reader, request);
  if (!report) return fail(report.error());
  summarise(fmt::format("{} records as {} instructions of {} {}: {}", grouped(report->records),
                        grouped(report->instructions), grouped(report->launches),
                        report->launches == 1 ? "launch" : "launches", request.output),
            options.summary);
  for (const std::string& what : report->missing) note("the files lack " + what);
  return 0;
}

}  // namespace

Run setup_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  options->request.output = "kernelslist.g";
  add_trace_options(app, options->input);
  add_launch_option(app, options->launches);
  app.add_option("-o,--output", options->request.output,
                 "list of launches for Accel-Sim; kernel-1.traceg and so on come beside it")
      ->type_name("OUT")
      ->capture_default_str();
  add_summary_option(app, options->summary);
  add_force_option(app, options->request.replace);
  return [options] { return export_trace(*options); };
}

}  // namespace warpmem::command
