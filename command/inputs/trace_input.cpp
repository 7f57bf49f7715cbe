#include "command/inputs/trace_input.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "command/command.hpp"
#include "command/options/number.hpp"

namespace warpmem::command {

void add_trace_options(CLI::App& app, TraceInput& input) {
  app.add_option("trace", input.path, "a recorded trace")->required()->type_name("TRACE");
  app.add_flag("--partial", input.partial, "accept a trace that is known to be incomplete");
}

Result<trace::TraceReader> open_trace(const TraceInput& input) {
  auto reader = trace::TraceReader::open(input.path, {.allow_partial = input.partial});
  if (reader && input.partial && !reader->quality().complete()) {
    warn(fmt::format("{}: {}", input.path, quality_text(reader->quality())));
  }
  return reader;
}

Result<void> require_complete(const trace::TraceReader& reader, const TraceInput& input) {
  if (input.partial || reader.quality().complete()) return {};
  return Error{ErrorKind::kIncomplete, quality_text(reader.quality()), input.path,
               "add --partial to work with what is there"};
}

void add_launch_option(CLI::App& app, LaunchRange& range) {
  add_range_option(
      app, "--launch", "launches",
      [&range](const CountedRange& r) { range.first = r.first, range.end = r.end; },
      "only this launch, or a range A:B without B");
}

Result<void> require_any_launch(const trace::TraceReader& reader, const LaunchRange& range) {
  if (reader.launches().empty())
    return Error{reader.quality().complete() ? ErrorKind::kMalformed : ErrorKind::kIncomplete,
                 "the trace holds no launch", reader.path(), "record it again"};
  std::string known;
  for (const trace::LaunchSummary& summary : reader.launches()) {
    if (range.contains(summary.launch.id)) return {};
    if (known.size() < 60) known += (known.empty() ? "" : ", ") + std::to_string(summary.launch.id);
  }
  return Error{ErrorKind::kUsage, "the trace has no such launch", reader.path(),
               fmt::format("it holds {}; see warpmem info", known)};
}

Result<void> require_records(const trace::TraceReader& reader, const LaunchRange& range) {
  if (auto any = require_any_launch(reader, range); !any) return any;
  for (const trace::LaunchSummary& summary : reader.launches())
    if (range.contains(summary.launch.id) && (summary.complete || summary.end.records != 0))
      return {};
  return Error{ErrorKind::kIncomplete,
               range.all() ? "no record of the trace can be read"
                           : "no record of these launches can be read",
               reader.path(), "record it again"};
}

Result<trace::TraceReader> open_wanted(const TraceInput& input, const LaunchRange& range) {
  auto reader = open_trace(input);
  if (!reader) return reader;
  if (auto whole = require_complete(*reader, input); !whole) return whole.error();
  if (auto any = require_records(*reader, range); !any) return any.error();
  return reader;
}

std::string_view level_name(trace::Level level) {
  switch (level) {
    case trace::Level::kSass: return "sass";
    case trace::Level::kPtx: return "ptx";
    case trace::Level::kPtxSass: return "ptx+sass";
  }
  return "unknown";
}

std::string launch_level(const trace::TraceReader& reader, std::uint64_t launch) {
  for (const trace::LaunchSummary& summary : reader.launches()) {
    if (summary.launch.id != launch) continue;
    const trace::Program& program = reader.programs()[summary.launch.program];
    if (!program.code.empty()) return std::string(level_name(program.level));
  }
  return std::string(level_name(reader.origin().level)) + " without program";
}

std::string_view op_name(trace::Op op) {
  switch (op) {
    case trace::Op::kLoad: return "load";
    case trace::Op::kStore: return "store";
    case trace::Op::kAtomic: return "atomic";
    case trace::Op::kReduction: return "reduction";
    case trace::Op::kAsyncCopyRead: return "async-read";
    case trace::Op::kAsyncCopyWrite: return "async-write";
    case trace::Op::kBulkRead: return "bulk-read";
    case trace::Op::kBulkWrite: return "bulk-write";
    case trace::Op::kBulkReduction: return "bulk-reduction";
    case trace::Op::kMatrixLoad: return "matrix-load";
    case trace::Op::kMatrixStore: return "matrix-store";
    case trace::Op::kPrefetch: return "prefetch";
    case trace::Op::kBarrier: return "barrier";
    case trace::Op::kCtaBegin: return "begin";
    case trace::Op::kCtaEnd: return "end";
    case trace::Op::kRounds: return "rounds";
    case trace::Op::kTexel: return "texel";
    case trace::Op::kProductRead: return "product";
    case trace::Op::kCount: break;
  }
  return "unknown";
}

std::string_view space_name(trace::Space space) {
  switch (space) {
    case trace::Space::kNone: return "-";
    case trace::Space::kGlobal: return "global";
    case trace::Space::kShared: return "shared";
    case trace::Space::kLocal: return "local";
    case trace::Space::kRemoteShared: return "remote-shared";
    case trace::Space::kConstant: return "constant";
    case trace::Space::kTexture: return "texture";
    case trace::Space::kSurface: return "surface";
    case trace::Space::kCount: break;
  }
  return "unknown";
}

std::string_view allocation_name(trace::AllocationKind kind) {
  switch (kind) {
    case trace::AllocationKind::kDevice: return "device";
    case trace::AllocationKind::kManaged: return "managed";
    case trace::AllocationKind::kHost: return "host";
    case trace::AllocationKind::kPeer: return "peer";
    case trace::AllocationKind::kArray: return "array";
  }
  return "unknown";
}

std::string file_name(const trace::TraceReader& reader) {
  return std::filesystem::path(reader.path()).filename().string();
}

std::string dims(const Dim3& size) {
  if (size[2] != 1) return fmt::format("{}x{}x{}", size[0], size[1], size[2]);
  if (size[1] != 1) return fmt::format("{}x{}", size[0], size[1]);
  return fmt::format("{}", size[0]);
}

std::string kernel_name(const trace::TraceReader& reader, const trace::Launch& launch) {
  if (launch.program >= reader.programs().size()) return "n/a (no program section)";
  const trace::Program& program = reader.programs()[launch.program];
  return program.demangled.empty() ? program.name : program.demangled;
}

std::string quality_text(const trace::Quality& quality) {
  if (quality.complete()) return fmt::format("complete, {} records", grouped(quality.records));
  std::string out = fmt::format("incomplete, {} records readable", grouped(quality.records));
  if (!quality.sealed) out += ", not sealed";
  if (quality.lost > 0) out += fmt::format(", {} known to be lost", grouped(quality.lost));
  if (quality.unreadable_bytes > 0) {
    out += fmt::format(", {} at the end unreadable", byte_size(quality.unreadable_bytes));
  }
  for (const std::string& note : quality.notes) out += "; " + printable(note);
  return out;
}

Json quality_json(const trace::Quality& quality) {
  return {{"complete", quality.complete()},
          {"sealed", quality.sealed},
          {"records", quality.records},
          {"lost", quality.lost},
          {"unreadable_bytes", quality.unreadable_bytes},
          {"notes", quality.notes}};
}

}  // namespace warpmem::command
