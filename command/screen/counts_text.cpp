#include "command/screen/counts_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "command/screen/table.hpp"

namespace warpmem::command {
namespace {

// One instruction that was counted.
struct Counted {
  std::uint32_t pc = 0;
  const trace::Instruction* at = nullptr;  // nullptr: the program's code is not known there
  std::uint32_t copies = 1;
  std::uint64_t times = 0;
};

const trace::Program* program_of(const trace::TraceReader& reader, const trace::Launch& launch) {
  return launch.program < reader.programs().size() ? &reader.programs()[launch.program] : nullptr;
}

std::vector<Counted> counted(const trace::Program* program, const trace::LaunchEnd& end) {
  std::vector<Counted> out;
  static const std::vector<trace::Instruction> kNone;
  const std::vector<trace::Instruction>& code = program ? program->code : kNone;
  for (const trace::TimesRun& run : end.times) {
    auto at = std::lower_bound(
        code.begin(), code.end(), run.pc,
        [](const trace::Instruction& i, std::uint32_t wanted) { return i.pc < wanted; });
    if (at == code.end() || at->pc != run.pc) {
      out.push_back({run.pc, nullptr, run.copies, run.times});
      continue;
    }
    for (std::uint32_t n = 0; n < run.instructions && at != code.end(); ++n, ++at)
      out.push_back({at->pc, &*at, run.copies, run.times});
  }
  return out;
}

std::string source_of(const trace::Program* program, const Counted& c) {
  if (!program || !c.at || c.at->line == 0 || c.at->file >= program->files.size()) return {};
  return fmt::format("{}:{}", program->files[c.at->file], c.at->line);
}

using Summary = trace::LaunchSummary;

std::string as_text(const trace::TraceReader& reader, const std::vector<const Summary*>& launches,
                    const views::Terminal& terminal) {
  std::string out;
  for (const Summary* s : launches) {
    const trace::Program* program = program_of(reader, s->launch);
    out += fmt::format("{}launch {}: {}\n", out.empty() ? "" : "\n", s->launch.id,
                       printable(kernel_name(reader, s->launch)));
    Table table({{"pc", Align::kRight},
                 {"times", Align::kRight},
                 {"copies", Align::kRight},
                 {"instruction"},
                 {"source"}});
    for (const Counted& c : counted(program, s->end))
      table.row({fmt::format("{:#06x}", c.pc), grouped(c.times), grouped(c.copies),
                 c.at ? c.at->text : "n/a", source_of(program, c)});
    out += table.text(terminal);
  }
  return out;
}

std::string as_csv(const trace::TraceReader& reader, const std::vector<const Summary*>& launches) {
  Table table({{"launch"}, {"pc"}, {"times"}, {"copies"}, {"instruction"}, {"source"}});
  for (const Summary* s : launches) {
    const trace::Program* program = program_of(reader, s->launch);
    for (const Counted& c : counted(program, s->end))
      table.row({std::to_string(s->launch.id), std::to_string(c.pc), std::to_string(c.times),
                 std::to_string(c.copies), c.at ? c.at->text : "", source_of(program, c)});
  }
  return table.csv();
}

std::string as_json(const trace::TraceReader& reader, const std::vector<const Summary*>& launches) {
  Json out{{"schema", 1}};
  out["launches"] = Json::array();
  for (const Summary* s : launches) {
    const trace::Program* program = program_of(reader, s->launch);
    Json entry{{"launch", s->launch.id}, {"kernel", kernel_name(reader, s->launch)}};
    entry["counts"] = Json::array();
    for (const Counted& c : counted(program, s->end))
      entry["counts"].push_back({{"pc", c.pc},
                                 {"times", c.times},
                                 {"copies", c.copies},
                                 {"instruction", c.at ? c.at->text : ""},
                                 {"source", source_of(program, c)}});
    out["launches"].push_back(entry);
  }
  return out.text(2) + "\n";
}

}  // namespace

std::size_t counted_launches(const trace::TraceReader& reader) {
  return static_cast<std::size_t>(
      std::count_if(reader.launches().begin(), reader.launches().end(),
                    [](const Summary& s) { return !s.end.times.empty(); }));
}

Result<std::string> counts_of(const trace::TraceReader& reader, const LaunchRange& range,
                              Format format, const views::Terminal& terminal) {
  std::vector<const Summary*> launches;
  for (const Summary& s : reader.launches())
    if (range.contains(s.launch.id) && !s.end.times.empty()) launches.push_back(&s);
  if (launches.empty())
    return Error{ErrorKind::kUsage, "the trace does not say how often instructions ran",
                 reader.path(),
                 "`warpmem emulate` counts them; a recorder is not told of branches"};
  switch (format) {
    case Format::kTable: return as_text(reader, launches, terminal);
    case Format::kJson: return as_json(reader, launches);
    case Format::kCsv: break;
  }
  return as_csv(reader, launches);
}

}  // namespace warpmem::command
