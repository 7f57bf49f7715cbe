// The trace a subcommand reads: its option, opening it, and the words that describe it.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/json.hpp"
#include "traces/format/reader.hpp"

namespace CLI {
class App;
}

namespace warpmem::command {

struct TraceInput {
  std::string path;
  bool partial = false;
};

// The positional `trace` and --partial.
void add_trace_options(CLI::App& app, TraceInput& input);

// Opens it; with --partial, what is missing is told on stderr.
Result<trace::TraceReader> open_trace(const TraceInput& input);

// For what is shown or computed of a trace: one with known losses is refused unless --partial was
// given.
Result<void> require_complete(const trace::TraceReader& reader, const TraceInput& input);

// "3", "2:5" (launches 2, 3 and 4), "2:" or ":5"; an empty text selects all.
struct LaunchRange {
  std::uint64_t first = 0;
  std::uint64_t end = ~std::uint64_t{0};
  bool all() const { return first == 0 && end == ~std::uint64_t{0}; }
  bool contains(std::uint64_t launch) const { return launch >= first && launch < end; }
};
void add_launch_option(CLI::App& app, LaunchRange& range);
// kUsage when the range names none of the trace's launches; kIncomplete or kMalformed when there is
// none to name.
Result<void> require_any_launch(const trace::TraceReader& reader, const LaunchRange& range);
// The same, and kIncomplete when nothing is left of what these launches did.
Result<void> require_records(const trace::TraceReader& reader, const LaunchRange& range);

// A trace that results of these launches can be computed from: all of the above.
Result<trace::TraceReader> open_wanted(const TraceInput& input, const LaunchRange& range);

std::string_view level_name(trace::Level level);
// Of one launch, by its number in the program: a kernel whose machine code could not be mapped is
// "ptx" in a trace of level ptx+sass. "sass without program" where the trace has no code of it.
std::string launch_level(const trace::TraceReader& reader, std::uint64_t launch);
std::string_view op_name(trace::Op op);
std::string_view space_name(trace::Space space);
std::string_view allocation_name(trace::AllocationKind kind);

std::string file_name(const trace::TraceReader& reader);  // without its folders
std::string dims(const Dim3& size);                       // "256", "16x16", "8x8x4"
std::string kernel_name(const trace::TraceReader& reader, const trace::Launch& launch);

// "complete", or what is missing, in one line.
std::string quality_text(const trace::Quality& quality);
Json quality_json(const trace::Quality& quality);

}  // namespace warpmem::command
