// `warpmem explain T`: which line, which lanes, why, and what would change it.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/printable.hpp"
#include "base/run_files.hpp"
#include "base/units.hpp"
#include "command/command.hpp"
#include "command/explain/needs.hpp"
#include "command/inputs/card_input.hpp"
#include "command/inputs/trace_card.hpp"
#include "command/inputs/trace_input.hpp"
#include "command/options/number.hpp"
#include "command/screen/output.hpp"
#include "command/screen/progress.hpp"
#include "sim/explain/explain.hpp"
#include "sim/program/program_timeline.hpp"
#include "views/explanation.hpp"
#include "views/lanes.hpp"
#include "views/program_timeline.hpp"
#include "views/source.hpp"

namespace warpmem::command {
namespace {

struct ExplainCommandOptions {
  TraceInput input;
  CardInput card;
  LaunchRange launches;
  OutputOptions output;
  bool no_gain = false, counts = false, needs = false;
  std::string source, lanes;
  std::uint64_t findings = 3;
};

Result<std::string> read_source(const std::string& path) {
  std::ifstream in = open_to_read(path);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf()))
    return Error{ErrorKind::kUsage, "the file cannot be read", path,
                 "give the kernel's source file to --source"};
  return text.str();
}

bool of_line(const SiteTraffic& t, const std::string& line) {
  if (line.starts_with("0x"))
    return fmt::format("{:#x}", t.pc) == line || fmt::format("{:#06x}", t.pc) == line;
  const std::size_t colon = line.rfind(':');
  if (colon == std::string::npos) return t.line != 0 && std::to_string(t.line) == line;
  return t.line != 0 && std::to_string(t.line) == line.substr(colon + 1) &&
         views::same_file(line.substr(0, colon), t.file);
}

Result<std::string> lanes_of(const std::vector<LaunchExplanation>& all, const std::string& line,
                             const std::string& path, const views::Terminal& terminal) {
  std::string out;
  std::vector<std::string> known;
  for (const LaunchExplanation& l : all)
    for (const SiteTraffic& t : l.sites) {
      if (std::ranges::find(known, views::place_of(t)) == known.end())
        known.push_back(views::place_of(t));
      if (!of_line(t, line) || t.examples.empty()) continue;
      const LaneAccess& e = t.examples.front();
      out += fmt::format("{}{}, {} {} of {} bytes a lane: CTA {}, warp {}\n  {}\n",
                         out.empty() ? "" : "\n", printable(views::place_of(t)), t.space, t.op,
                         t.bytes, e.cta, e.warp, printable(t.instruction));
      out += views::lanes_text(e, terminal);
      out += views::wrapped(views::lanes_words(e), terminal.width, 0);
    }
  if (!out.empty()) return out;
  if (known.size() > 8) known.resize(8), known.emplace_back("…");
  return Error{ErrorKind::kUsage, fmt::format("no access is from line '{}'", line), path,
               fmt::format("lines with accesses: {}; or give an instruction's pc (0x120)",
                           fmt::join(known, ", "))};
}

Result<std::vector<LaunchExplanation>> explain_all(const trace::TraceReader& reader,
                                                   const model::Card& card,
                                                   const ExplainCommandOptions& options) {
  std::vector<LaunchExplanation> out;
  for (std::uint32_t i = 0; i < reader.launches().size(); ++i) {
    const trace::LaunchSummary& summary = reader.launches()[i];
    if (!options.launches.contains(summary.launch.id)) continue;
    sim::ExplainOptions engine;
    engine.gains = !options.no_gain && options.lanes.empty() && options.source.empty();
    engine.time = !options.counts;
    engine.findings = options.findings;
    Progress progress("explain", "records", summary.end.records);
    engine.progress = [&](std::uint64_t done, std::uint64_t) {
      progress.update(done);
      return true;
    };
    auto one = sim::explain(reader, i, card, engine);
    if (!one) return one.error();
    if (options.needs) {
      auto needs = needs_of(reader, summary.launch.id, card);
      if (!needs) return needs.error();
      one->needs = std::move(*needs);
    }
    out.push_back(std::move(*one));
  }
  return out;
}

Result<std::string> text_of(const trace::TraceReader& reader, const model::Card& card,
                            const ExplainCommandOptions& options,
                            const std::vector<LaunchExplanation>& all,
                            const views::Terminal& terminal) {
  if (!options.lanes.empty()) return lanes_of(all, options.lanes, reader.path(), terminal);
  if (!options.source.empty()) {
    const auto source = read_source(options.source);
    if (!source) return source.error();
    std::string out;
    for (const LaunchExplanation& l : all) {
      out +=
          fmt::format("{}launch {}: {}\n", out.empty() ? "" : "\n", l.launch, printable(l.kernel));
      out += views::source_text(l, options.source, *source, terminal);
    }
    return out;
  }
  std::string out = fmt::format(
      "{} on {} ({}), {} engine, trace of level {}\n", printable(file_name(reader)), card.name(),
      card.full_name(), options.counts ? "counts" : "time", level_name(reader.origin().level));
  for (const model::CardEntry& entry : card.entries())
    if (entry.overridden) out += fmt::format("with {} = {}\n", entry.key, entry.value);
  if (const std::string caution = level_caution(reader, options.launches); !caution.empty())
    out += cautioned(caution, terminal);
  for (const LaunchExplanation& l : all) out += "\n" + views::explanation_text(l, terminal);
  if (!reader.steps().empty() && options.launches.all() && !options.counts) {
    std::map<std::uint64_t, std::uint64_t> cycles;
    for (const LaunchExplanation& l : all) cycles[l.launch] = l.cost.cycles;
    const std::string summary = views::program_summary(sim::program_timeline(reader, card, cycles));
    out += "\n" + views::wrapped(summary + " (warpmem timeline)", terminal.width, 2);
  }
  return out;
}

int explain(const ExplainCommandOptions& options) {
  if (options.needs && options.output.format == Format::kCsv)
    return fail({ErrorKind::kUsage, "a row of the CSV is an instruction, not an array", "--needs",
                 "give --format json, or ask explore: --capacities l1 --format csv"});
  const auto reader = open_wanted(options.input, options.launches);
  if (!reader) return fail(reader.error());
  const auto card = card_for(options.card, *reader);
  if (!card) return fail(card.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  const auto all = explain_all(*reader, *card, options);
  if (!all) return fail(all.error());
  const std::string caution = level_caution(*reader, options.launches);
  if (!caution.empty() && (options.output.format != Format::kTable || output->file()))
    warn(caution);
  switch (options.output.format) {
    case Format::kTable: {
      const auto text = text_of(*reader, *card, options, *all, output->terminal());
      if (!text) return fail(text.error());
      output->write(*text);
      break;
    }
    case Format::kJson:
      output->write(views::explanation_json(
          *all,
          {file_name(*reader), reader->hash(), std::string(level_name(reader->origin().level)),
           card->name(), options.counts ? "counts" : "time", caution}));
      break;
    case Format::kCsv:
      output->write(views::explanation_csv(*all, caution.empty() ? "" : kRough));
      break;
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

}  // namespace

Run setup_explain(CLI::App& app) {
  auto options = std::make_shared<ExplainCommandOptions>();
  add_trace_options(app, options->input);
  add_trace_card_options(app, options->card);
  add_launch_option(app, options->launches);
  app.add_flag("--no-gain", options->no_gain, "do not replay the changes that would help");
  add_whole_option(
      app, "--gains", {1, 1000, "findings"}, [options](std::uint64_t n) { options->findings = n; },
      "replay the changes of so many findings, the worst ones (3)");
  app.add_flag("--needs", options->needs,
               "also how large an L1 each array needs, by stack distances");
  app.add_flag("--counts", options->counts, "with the counts engine: faster, no cycles");
  CLI::Option* const source =
      app.add_option("--source", options->source,
                     "show this source file with what its lines moved in the margin")
          ->type_name("FILE");
  app.add_option("--lanes", options->lanes,
                 "draw a warp's lanes at this line: 28, app.cu:28, or a pc: 0x120")
      ->type_name("LINE")
      ->excludes(source);
  add_output_options(app, options->output);
  return [options] { return explain(*options); };
}

}  // namespace warpmem::command
