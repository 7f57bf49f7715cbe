// `warpmem import FILE`: a trace that another tool wrote, as a trace of ours.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "base/output_file.hpp"
#include "base/units.hpp"
#include "command/command.hpp"
#include "command/screen/output.hpp"
#include "command/version.hpp"
#include "traces/import/import.hpp"

namespace warpmem::command {
namespace {

struct ImportOptions {
  imports::ImportRequest request;
  bool summary = false;
};

int import_file(ImportOptions& options) {
  imports::ImportRequest& request = options.request;
  const auto place = find_output_place(request.output, {request.overwrite, false});
  if (!place) return fail(place.error());
  if (!place->note.empty()) note(place->note);
  request.command = fmt::format("warpmem import {}", request.path);
  request.output = place->path;
  request.tool = fmt::format("warpmem {} import", kVersion);
  const auto report = imports::import_trace(request);
  if (!report) return fail(report.error());
  summarise(fmt::format("{}: {} {} of {} CTAs, {} instructions; {} records in {}", report->format,
                        grouped(report->launches), report->launches == 1 ? "launch" : "launches",
                        grouped(report->ctas), grouped(report->instructions),
                        grouped(report->records), request.output),
            options.summary);
  for (const std::string& what : report->missing) note("the trace lacks " + what);
  return 0;
}

}  // namespace

Run setup_import(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  options->request.output = "trace.wmt";
  app.add_option(
         "file", options->request.path,
         "a .traceg of Accel-Sim's tracer, its kernelslist.g, or what NVBit's mem_trace printed; "
         "packed by xz too")
      ->required()
      ->type_name("FILE");
  app.add_option("-o,--output", options->request.output, "trace to write")
      ->type_name("OUT")
      ->capture_default_str();
  add_summary_option(app, options->summary);
  add_force_option(app, options->request.overwrite);
  return [options] { return import_file(*options); };
}

}  // namespace warpmem::command
