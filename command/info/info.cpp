// `warpmem info T`: where a trace came from, whether it is whole, and its launches.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "command/command.hpp"
#include "command/inputs/trace_input.hpp"
#include "command/screen/counts_text.hpp"
#include "command/screen/output.hpp"
#include "command/screen/table.hpp"
#include "host/timeline/operation.hpp"
#include "sim/code/spill_code.hpp"

namespace warpmem::command {

namespace {

struct InfoOptions {
  TraceInput input;
  OutputOptions output;
  LaunchRange launches;
};

std::uint64_t file_bytes(const std::string& path) {
  std::error_code none;
  const auto bytes = std::filesystem::file_size(path, none);
  return none ? 0 : bytes;
}

std::string bytes_per_record(const trace::TraceReader& reader) {
  const std::uint64_t records = reader.quality().records;
  if (records == 0) return "n/a (no records)";
  return fmt::format("{:.2f}",
                     static_cast<double>(file_bytes(reader.path())) / static_cast<double>(records));
}

std::string or_unknown(const std::string& text) { return text.empty() ? "n/a (not said)" : text; }

std::string origin_text(const trace::Origin& origin) {
  std::string out = or_unknown(origin.gpu);
  if (!origin.arch.empty()) out += fmt::format(", {}", origin.arch);
  if (origin.sms > 0) out += fmt::format(", {} SMs", origin.sms);
  if (!origin.driver.empty()) out += fmt::format(", driver {}", origin.driver);
  if (!origin.cuda.empty()) out += fmt::format(", CUDA {}", origin.cuda);
  return out;
}

std::string state_text(const trace::LaunchSummary& summary) {
  if (summary.end.truncated) return "cut short";
  if (!summary.complete) return "incomplete";
  if (summary.end.skipped_ctas > 0) return "sampled";
  return "complete";
}

struct Mapping {  // of a launch
  trace::Level level = trace::Level::kSass;
  std::uint64_t sites = 0;  // what its records are executions of
  std::uint64_t ptx = 0;    // of them those that no machine instruction was found for
};

Mapping mapping_of(const trace::TraceReader& reader, std::uint32_t index) {
  const std::uint32_t number = reader.launches()[index].launch.program;
  Mapping m;
  m.level = reader.origin().level;
  if (number >= reader.programs().size()) return m;
  const trace::Program& program = reader.programs()[number];
  m.level = program.level;
  for (const trace::Site& site : reader.sites(index)) {
    if (site.op == trace::Op::kCtaBegin || site.op == trace::Op::kCtaEnd ||
        site.op == trace::Op::kRounds)
      continue;
    ++m.sites;
    const auto at =
        std::lower_bound(program.code.begin(), program.code.end(), site.pc,
                         [](const trace::Instruction& i, std::uint32_t pc) { return i.pc < pc; });
    if (at != program.code.end() && at->pc == site.pc && trace::is_ptx(at->text)) ++m.ptx;
  }
  return m;
}

// "sass", or how many launches have which; of "ptx+sass" how far it reaches.
std::string level_text(const trace::TraceReader& reader) {
  std::map<trace::Level, std::uint64_t> launches;
  std::uint64_t sites = 0, ptx = 0;
  for (std::uint32_t i = 0; i < reader.launches().size(); ++i) {
    const Mapping m = mapping_of(reader, i);
    ++launches[m.level];
    if (m.level == trace::Level::kPtxSass) sites += m.sites, ptx += m.ptx;
  }
  if (launches.empty()) return std::string(level_name(reader.origin().level));
  std::string out;
  for (const trace::Level level :
       {trace::Level::kSass, trace::Level::kPtxSass, trace::Level::kPtx}) {
    const std::uint64_t n = launches.contains(level) ? launches[level] : 0;
    if (n == reader.launches().size()) out = level_name(level);
    else if (n != 0 && out.empty())
      out = fmt::format("{} in {} of {} launches", level_name(level), grouped(n),
                        grouped(reader.launches().size()));
    else if (n != 0) out += fmt::format(", {} in {}", level_name(level), grouped(n));
  }
  if (ptx != 0)
    out += fmt::format("; {} of {} accessing instructions stay as the PTX has them", grouped(ptx),
                       grouped(sites));
  return out;
}

// Instructions for spilled registers, whose accesses the trace lacks, by launch.
std::vector<std::size_t> spills_of(const trace::TraceReader& reader) {
  std::vector<std::size_t> out;
  std::map<std::pair<std::uint32_t, std::size_t>, std::size_t> known;  // by program, and its sites
  for (std::uint32_t i = 0; i < reader.launches().size(); ++i) {
    const std::uint32_t program = reader.launches()[i].launch.program;
    const auto sites = reader.sites(i);
    if (program >= reader.programs().size()) {
      out.push_back(0);
      continue;
    }
    const auto [at, fresh] = known.try_emplace({program, sites.size()});
    if (fresh && trace::may_spill(reader.programs()[program]))
      at->second = sim::spill_accesses(*reader.code(program), sites).size();
    out.push_back(at->second);
  }
  return out;
}

std::string spills_text(const std::vector<std::size_t>& spills) {
  const auto launches = static_cast<std::size_t>(
      std::count_if(spills.begin(), spills.end(), [](std::size_t n) { return n != 0; }));
  if (launches == 0) return "";
  return fmt::format(
      "{} of {} launch{}: the trace has no accesses to spilled registers, a replay puts them back "
      "from the code ({} instructions at most)",
      grouped(launches), grouped(spills.size()), spills.size() == 1 ? "" : "es",
      grouped(*std::max_element(spills.begin(), spills.end())));
}

// Launches that are not here because they are equal to the one before them.
std::string repeats_text(const trace::TraceReader& reader) {
  std::uint64_t left_out = 0, otherwise = 0;
  for (const trace::LaunchSummary& summary : reader.launches())
    left_out += summary.repeats.ran - 1, otherwise += summary.repeats.otherwise;
  if (left_out == 0) return "";
  std::string out =
      fmt::format("{} launch{} more, equal to one that is here (ran: how often, in a row)",
                  grouped(left_out), left_out == 1 ? "" : "es");
  if (otherwise != 0)
    out += fmt::format("; {} of them ran other instructions (--repeats 0 traces all)",
                       grouped(otherwise));
  return out;
}

// Names of templates run to thousands of letters; a line of a table has room for their beginning.
std::string short_name(std::string name) {
  constexpr std::size_t kMost = 100;
  if (name.size() <= kMost) return name;
  std::size_t end = kMost - 1;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0u) == 0x80u) --end;  // UTF-8
  return name.substr(0, end) + "…";
}

Table launch_table(const trace::TraceReader& reader, const LaunchRange& range, bool whole_names,
                   bool ran) {
  std::vector<Column> columns{{"launch", Align::kRight},    {"kernel"},
                              {"grid", Align::kRight},      {"block", Align::kRight},
                              {"registers", Align::kRight}, {"shared", Align::kRight},
                              {"records", Align::kRight},   {"lost", Align::kRight}};
  if (ran) columns.push_back({"ran", Align::kRight});
  columns.push_back({"state"});
  Table table(std::move(columns));
  for (const trace::LaunchSummary& summary : reader.launches()) {
    const trace::Launch& launch = summary.launch;
    if (!range.contains(launch.id)) continue;
    const std::uint64_t shared =
        std::uint64_t{launch.static_shared} + std::uint64_t{launch.dynamic_shared};
    std::string name = kernel_name(reader, launch);
    if (!whole_names) name = short_name(std::move(name));
    std::vector<std::string> cells{
        grouped(launch.id),           std::move(name),           dims(launch.grid),
        dims(launch.block),           grouped(launch.registers), byte_size(shared),
        grouped(summary.end.records), grouped(summary.end.lost)};
    if (ran) cells.push_back(grouped(summary.repeats.ran));
    cells.push_back(state_text(summary));
    table.row(std::move(cells));
  }
  return table;
}

// What a launch could reach, by kind: "device: 3 allocations, 12 MiB".
std::string allocation_text(const trace::Launch& launch) {
  struct Sum {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  std::map<trace::AllocationKind, Sum> sums;
  for (const trace::Allocation& allocation : launch.allocations) {
    sums[allocation.kind].count += 1;
    sums[allocation.kind].bytes += allocation.bytes;
  }
  std::string out;
  for (const auto& [kind, sum] : sums) {
    out += fmt::format("{}{} {} ({})", out.empty() ? "" : ", ", grouped(sum.count),
                       allocation_name(kind), byte_size(sum.bytes));
  }
  return out.empty() ? "none known" : out;
}

// Launches mostly see the same allocations; say it once for each run of equal ones.
std::string allocations_text(const trace::TraceReader& reader, const LaunchRange& range) {
  std::string out, last;
  for (const trace::LaunchSummary& summary : reader.launches()) {
    if (!range.contains(summary.launch.id)) continue;
    const std::string text = allocation_text(summary.launch);
    if (text != last) out += fmt::format("  from launch {}: {}\n", summary.launch.id, text);
    last = text;
  }
  return out;
}

// What the program asked of the GPU beside its launches.
std::string steps_text(const trace::TraceReader& reader) {
  if (reader.steps().empty()) return "";
  std::uint64_t copies = 0, bytes = 0, fills = 0, events = 0;
  for (const host::Operation& step : reader.steps()) {
    if (step.step == host::Step::kCopy) ++copies, bytes += step.bytes;
    if (step.step == host::Step::kFill) ++fills;
    if (step.step == host::Step::kMark) ++events;
  }
  return fmt::format("{} copies of {} in all, {} fills, {} events (timeline)", grouped(copies),
                     byte_size(bytes), grouped(fills), grouped(events));
}

std::string as_text(const trace::TraceReader& reader, const LaunchRange& range,
                    const views::Terminal& terminal) {
  const trace::Origin& origin = reader.origin();
  std::string out;
  const auto line = [&out](std::string_view name, const std::string& value) {
    out += fmt::format("{:<10}{}\n", name, printable(value));
  };
  line("trace",
       fmt::format("{}, {}, {} bytes a record, hash {}", reader.path(),
                   byte_size(file_bytes(reader.path())), bytes_per_record(reader), reader.hash()));
  line("quality", quality_text(reader.quality()));
  line("level", level_text(reader));
  line("origin", origin_text(origin));
  line("recorded", fmt::format("{}{}{}", or_unknown(origin.tool), origin.date.empty() ? "" : ", ",
                               origin.date));
  line("command", or_unknown(origin.command));
  if (!origin.missing.empty()) {
    line("unseen", fmt::format("{}", fmt::join(origin.missing, ", ")));
  }
  if (const std::size_t counted = counted_launches(reader); counted != 0)
    line("counted", fmt::format("how often instructions ran, of {} of {} launches (dump --counts)",
                                grouped(counted), grouped(reader.launches().size())));
  if (const std::string text = spills_text(spills_of(reader)); !text.empty()) line("spilled", text);
  if (const std::string steps = steps_text(reader); !steps.empty()) line("program", steps);
  const std::string repeated = repeats_text(reader);
  if (!repeated.empty()) line("repeated", repeated);
  out += "\n" + launch_table(reader, range, false, !repeated.empty()).text(terminal);
  out += "\nallocations\n" + allocations_text(reader, range);
  return out;
}

Json launch_json(const trace::TraceReader& reader, std::uint32_t index, std::size_t spills) {
  const trace::LaunchSummary& summary = reader.launches()[index];
  const trace::Launch& launch = summary.launch;
  const Mapping mapping = mapping_of(reader, index);
  Json out{{"launch", launch.id},
           {"kernel", kernel_name(reader, launch)},
           {"level", level_name(mapping.level)},
           {"sites", mapping.sites},
           {"ptx_sites", mapping.ptx},
           {"spill_instructions", spills},
           {"counted_runs", summary.end.times.size()},
           {"grid", launch.grid},
           {"block", launch.block},
           {"cluster", launch.cluster},
           {"registers", launch.registers},
           {"static_shared", launch.static_shared},
           {"dynamic_shared", launch.dynamic_shared},
           {"local_bytes", launch.local_bytes},
           {"stream", launch.stream},
           {"records", summary.end.records},
           {"lost", summary.end.lost},
           {"skipped_ctas", summary.end.skipped_ctas},
           {"truncated", summary.end.truncated},
           {"ran", summary.repeats.ran},
           {"ran_otherwise", summary.repeats.otherwise},
           {"complete", summary.complete}};
  out["allocations"] = Json::array();
  for (const trace::Allocation& allocation : launch.allocations) {
    out["allocations"].push_back({{"base", allocation.base},
                                  {"bytes", allocation.bytes},
                                  {"kind", allocation_name(allocation.kind)}});
  }
  return out;
}

std::string as_json(const trace::TraceReader& reader, const LaunchRange& range) {
  const trace::Origin& origin = reader.origin();
  Json out{{"schema", 1}};
  out["trace"] = {{"file", std::filesystem::path(reader.path()).filename().string()},
                  {"bytes", file_bytes(reader.path())},
                  {"hash", reader.hash()},
                  {"level", level_name(origin.level)},
                  {"quality", quality_json(reader.quality())}};
  out["origin"] = {{"tool", origin.tool}, {"command", origin.command}, {"gpu", origin.gpu},
                   {"arch", origin.arch}, {"sms", origin.sms},         {"driver", origin.driver},
                   {"cuda", origin.cuda}, {"date", origin.date},       {"unseen", origin.missing}};
  out["launches"] = Json::array();
  const std::vector<std::size_t> spills = spills_of(reader);
  for (std::uint32_t i = 0; i < reader.launches().size(); ++i)
    if (range.contains(reader.launches()[i].launch.id))
      out["launches"].push_back(launch_json(reader, i, spills[i]));
  // A program's name can hold any bytes; replace what is not UTF-8 rather than fail.
  return out.text(2) + "\n";
}

int info(const InfoOptions& options) {
  const auto reader = open_trace(options.input);
  if (!reader) return fail(reader.error());
  if (!options.launches.all()) {
    if (auto any = require_any_launch(*reader, options.launches); !any) return fail(any.error());
  }
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  switch (options.output.format) {
    case Format::kTable:
      output->write(as_text(*reader, options.launches, output->terminal()));
      break;
    case Format::kJson: output->write(as_json(*reader, options.launches)); break;
    case Format::kCsv:
      output->write(launch_table(*reader, options.launches, true, true).csv());
      break;
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

}  // namespace

Run setup_info(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  add_trace_options(app, options->input);
  add_launch_option(app, options->launches);
  add_output_options(app, options->output);
  return [options] { return info(*options); };
}

}  // namespace warpmem::command
