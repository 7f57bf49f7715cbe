// `warpmem dump T`: the records of a trace, or with --program the code of its kernels, or with
// --counts how often their instructions ran. Records
// come in file order, a block at a time, so memory does not grow with the trace.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "command/command.hpp"
#include "command/dump/record_text.hpp"
#include "command/inputs/trace_input.hpp"
#include "command/options/number.hpp"
#include "command/screen/counts_text.hpp"
#include "command/screen/output.hpp"
#include "command/screen/table.hpp"

namespace warpmem::command {

namespace {

constexpr std::size_t kFlushBytes = 1 << 16;

struct DumpOptions {
  TraceInput input;
  OutputOptions output;
  LaunchRange launches;
  std::optional<std::uint64_t> cta;
  std::optional<std::uint64_t> warp;
  std::optional<std::uint64_t> limit;
  bool program = false;
  bool counts = false;
};

// The text of the instruction at `pc`; code is in ascending order of pc.
std::string_view instruction_at(const trace::Program* program, std::uint32_t pc) {
  if (!program) return {};
  const auto found = std::lower_bound(
      program->code.begin(), program->code.end(), pc,
      [](const trace::Instruction& at, std::uint32_t wanted) { return at.pc < wanted; });
  if (found == program->code.end() || found->pc != pc) return {};
  return found->text;
}

std::uint64_t warps_of(const trace::Launch& launch) {
  return (std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2] + 31) / 32;
}

// "launch 0 holds 64 CTAs, 0 to 63, of 2 warps, 0 to 1"
Result<std::string> holdings(const trace::TraceReader& reader, std::uint32_t index) {
  const auto ctas = reader.ctas(index);
  if (!ctas) return ctas.error();
  const trace::Launch& launch = reader.launches()[index].launch;
  if (ctas->empty()) return fmt::format("launch {} holds no CTA", launch.id);
  const auto [low, high] = std::minmax_element(ctas->begin(), ctas->end());
  const std::uint64_t warps = warps_of(launch);
  return fmt::format("launch {} holds {} CTA{}, {} to {}, of {} warp{}, 0 to {}", launch.id,
                     grouped(ctas->size()), ctas->size() == 1 ? "" : "s", *low, *high,
                     grouped(warps), warps == 1 ? "" : "s", warps - 1);
}

// A CTA and a warp that no launch of those chosen has would give an empty table.
Result<void> require_chosen(const trace::TraceReader& reader, const DumpOptions& options) {
  if (!options.cta && !options.warp) return {};
  constexpr std::size_t kMostTold = 3;  // launches
  std::string there;
  std::size_t told = 0, more = 0;
  for (std::uint32_t i = 0; i < reader.launches().size(); ++i) {
    const trace::Launch& launch = reader.launches()[i].launch;
    if (!options.launches.contains(launch.id)) continue;
    bool has = !options.warp || *options.warp < warps_of(launch);
    if (has && options.cta) {
      const auto segments = reader.cta_segments(i, *options.cta);
      if (!segments) return segments.error();
      has = !segments->empty();
    }
    if (has) return {};
    if (told == kMostTold) {
      ++more;
      continue;
    }
    auto text = holdings(reader, i);
    if (!text) return text.error();
    there += (told++ ? "; " : "") + *text;
  }
  std::string wanted;
  if (options.cta) wanted = fmt::format("CTA {}", *options.cta);
  if (options.warp)
    wanted += fmt::format("{}warp {}", wanted.empty() ? "" : " with a ", *options.warp);
  if (more > 0) there += fmt::format("; and {} more launches: see warpmem info", grouped(more));
  return Error{ErrorKind::kUsage, "the trace has no " + wanted, reader.path(), there};
}

class RecordPrinter {
 public:
  RecordPrinter(const trace::TraceReader& reader, const DumpOptions& options, Output& output)
      : reader_(reader),
        options_(options),
        output_(output),
        left_(options.limit.value_or(~std::uint64_t{0})) {}

  Result<void> print() {
    if (options_.output.format == Format::kCsv) output_.write(kRecordCsvHeader);
    for (std::uint32_t i = 0; i < reader_.launches().size(); ++i) {
      if (!options_.launches.contains(reader_.launches()[i].launch.id)) continue;
      if (auto done = print_launch(i); !done) return done;
    }
    flush();
    return {};
  }

 private:
  Result<void> print_launch(std::uint32_t index) {
    const trace::LaunchSummary& summary = reader_.launches()[index];
    const bool known = summary.launch.program < reader_.programs().size();
    program_ = known ? &reader_.programs()[summary.launch.program] : nullptr;
    if (options_.output.format == Format::kTable) print_title(summary);
    auto blocks = blocks_of(index);
    if (!blocks) return blocks.error();
    for (const std::uint32_t number : *blocks) {
      if (left_ == 0 || output_.failed()) return {};
      const auto block = reader_.decode(number);
      if (!block) return block.error();
      for (const trace::Segment& segment : block->segments) print_segment(index, *block, segment);
    }
    return {};
  }

  // With --cta only the blocks that hold it are decoded.
  Result<std::vector<std::uint32_t>> blocks_of(std::uint32_t index) const {
    if (!options_.cta) return reader_.launches()[index].blocks;
    const auto segments = reader_.cta_segments(index, *options_.cta);
    if (!segments) return segments.error();
    std::set<std::uint32_t> blocks;
    for (const trace::SegmentRef& segment : *segments) blocks.insert(segment.block);
    return std::vector<std::uint32_t>(blocks.begin(), blocks.end());
  }

  void print_segment(std::uint32_t index, const trace::DecodedBlock& block,
                     const trace::Segment& segment) {
    if (options_.cta && segment.cta != *options_.cta) return;
    if (options_.warp && segment.warp != *options_.warp) return;
    const auto sites = reader_.sites(index);
    for (std::uint32_t i = segment.first; i < segment.first + segment.count && left_ > 0; ++i) {
      const trace::Record& record = block.records[i];
      RecordView view{reader_.launches()[index].launch.id,
                      segment.cta,
                      segment.warp,
                      record,
                      sites[record.site],
                      {},
                      {}};
      if (!record.regular()) {
        view.lanes =
            std::span(block.lanes).subspan(record.lanes, static_cast<std::size_t>(record.active()));
      }
      view.instruction = instruction_at(program_, view.site.pc);
      append(view);
      --left_;
    }
  }

  void append(const RecordView& view) {
    switch (options_.output.format) {
      case Format::kTable: append_text(buffer_, view); break;
      case Format::kJson: append_json(buffer_, view); break;
      case Format::kCsv: append_csv(buffer_, view); break;
    }
    if (buffer_.size() >= kFlushBytes) flush();
  }

  void print_title(const trace::LaunchSummary& summary) {
    fmt::format_to(std::back_inserter(buffer_),
                   "launch {}: {}  grid {}  block {}\n"
                   "     cta warp  pc      op             space         size  mask      address\n",
                   summary.launch.id, printable(kernel_name(reader_, summary.launch)),
                   dims(summary.launch.grid), dims(summary.launch.block));
  }

  void flush() {
    output_.write({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

  const trace::TraceReader& reader_;
  const DumpOptions& options_;
  Output& output_;
  const trace::Program* program_ = nullptr;
  fmt::memory_buffer buffer_;
  std::uint64_t left_;
};

std::string source_place(const trace::Program& program, const trace::Instruction& at) {
  if (at.line == 0 || at.file >= program.files.size()) return {};
  return fmt::format("{}:{}", program.files[at.file], at.line);
}

// "B01----:R-:W4:Y:S01": waits for scoreboards 0 and 1, read and write barrier, yield, stall.
std::string control_text(const trace::Instruction& at) {
  if (!at.has_control()) return "n/a";
  const auto barrier = [](std::uint32_t number) {
    return number == trace::kNoBarrier ? std::string("-") : std::to_string(number);
  };
  std::string waits;
  for (unsigned i = 0; i < 6; ++i)
    waits += (at.wait_mask() >> i & 1u) != 0 ? static_cast<char>('0' + i) : '-';
  return fmt::format("B{}:R{}:W{}:{}:S{:02}", waits, barrier(at.read_barrier()),
                     barrier(at.write_barrier()), at.yield() ? 'Y' : '-', at.stall());
}

Json control_json(const trace::Instruction& at) {
  if (!at.has_control()) return nullptr;
  const auto barrier = [](std::uint32_t number) {
    return number == trace::kNoBarrier ? Json(nullptr) : Json(number);
  };
  return {{"stall", at.stall()},
          {"yield", at.yield()},
          {"write_barrier", barrier(at.write_barrier())},
          {"read_barrier", barrier(at.read_barrier())},
          {"wait_mask", at.wait_mask()},
          {"reuse_mask", at.reuse_mask()}};
}

std::string programs_text(const trace::TraceReader& reader, const views::Terminal& terminal) {
  std::string out;
  for (const trace::Program& program : reader.programs()) {
    out += fmt::format("{}{}  ({}, {}, {} registers)\n", out.empty() ? "" : "\n",
                       printable(program.demangled.empty() ? program.name : program.demangled),
                       printable(program.arch), level_name(program.level), program.registers);
    if (program.code.empty()) {
      out += "n/a (the code could not be disassembled when this was recorded)\n";
      continue;
    }
    const bool control = std::any_of(program.code.begin(), program.code.end(),
                                     [](const trace::Instruction& at) { return at.has_control(); });
    Table table(
        control
            ? std::vector<Column>{{"pc", Align::kRight}, {"control"}, {"instruction"}, {"source"}}
            : std::vector<Column>{{"pc", Align::kRight}, {"instruction"}, {"source"}});
    for (const trace::Instruction& at : program.code) {
      std::vector<std::string> row{fmt::format("{:#06x}", at.pc), at.text,
                                   source_place(program, at)};
      if (control) row.insert(row.begin() + 1, control_text(at));
      table.row(std::move(row));
    }
    out += table.text(terminal);
  }
  return out;
}

std::string programs_json(const trace::TraceReader& reader) {
  Json out{{"schema", 1}};
  out["programs"] = Json::array();
  for (const trace::Program& program : reader.programs()) {
    Json entry{{"name", program.name},
               {"demangled", program.demangled},
               {"level", level_name(program.level)},
               {"arch", program.arch},
               {"registers", program.registers}};
    entry["code"] = Json::array();
    for (const trace::Instruction& at : program.code) {
      entry["code"].push_back({{"pc", at.pc},
                               {"text", at.text},
                               {"source", source_place(program, at)},
                               {"control", control_json(at)}});
    }
    out["programs"].push_back(entry);
  }
  return out.text(2) + "\n";
}

std::string programs_csv(const trace::TraceReader& reader) {
  Table table({{"program"}, {"pc"}, {"instruction"}, {"source"}, {"control"}});
  for (const trace::Program& program : reader.programs()) {
    for (const trace::Instruction& at : program.code) {
      table.row({program.name, std::to_string(at.pc), at.text, source_place(program, at),
                 control_text(at)});
    }
  }
  return table.csv();
}

int dump(const DumpOptions& options) {
  const auto reader = open_trace(options.input);
  if (!reader) return fail(reader.error());
  // Of the code nothing is lost.
  if (auto whole = options.program ? Result<void>() : require_complete(*reader, options.input);
      !whole)
    return fail(whole.error());
  const bool records = !options.program && !options.counts;
  if (auto any = records ? require_records(*reader, options.launches)
                         : require_any_launch(*reader, options.launches);
      !any)
    return fail(any.error());
  if (auto any = require_chosen(*reader, options); !any) return fail(any.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  if (options.program) {
    switch (options.output.format) {
      case Format::kTable: output->write(programs_text(*reader, output->terminal())); break;
      case Format::kJson: output->write(programs_json(*reader)); break;
      case Format::kCsv: output->write(programs_csv(*reader)); break;
    }
  } else if (options.counts) {
    auto text = counts_of(*reader, options.launches, options.output.format, output->terminal());
    if (!text) return fail(text.error());
    output->write(*text);
  } else if (auto done = RecordPrinter(*reader, options, *output).print(); !done) {
    return fail(done.error());
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

}  // namespace

Run setup_dump(CLI::App& app) {
  auto options = std::make_shared<DumpOptions>();
  add_trace_options(app, options->input);
  add_launch_option(app, options->launches);
  add_whole_option(
      app, "--cta", {}, [options](std::uint64_t n) { options->cta = n; },
      "only this CTA: x + grid.x * (y + grid.y * z)");
  add_whole_option(
      app, "--warp", {}, [options](std::uint64_t n) { options->warp = n; },
      "only this warp of each CTA");
  add_whole_option(
      app, "--limit", {0, kNoMost, "records"}, [options](std::uint64_t n) { options->limit = n; },
      "stop after so many records");
  CLI::Option* program = app.add_flag("--program", options->program,
                                      "print the kernels' code instead, with source lines");
  CLI::Option* counts =
      app.add_flag("--counts", options->counts,
                   "print instead how often warps ran each instruction (of emulated traces)")
          ->excludes(program);
  for (const char* records_only : {"--cta", "--warp", "--limit"})
    option_named(app, records_only)->excludes(program)->excludes(counts);
  add_output_options(app, options->output);
  return [options] { return dump(*options); };
}

}  // namespace warpmem::command
