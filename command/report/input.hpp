// What a report is made of: the traces, cards and files that its command line names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "command/inputs/trace_input.hpp"
#include "results/report.hpp"

namespace warpmem::command {

struct ReportInput {
  std::vector<std::string> traces;    // files, or folders of them
  std::vector<std::string> gpus;      // cards; none: that of each trace's GPU
  std::vector<std::string> settings;  // "key=value", of every card
  std::vector<std::string> profiles;  // a profiler's files, one a trace
  std::vector<std::string> sources;   // files, or folders that hold them
  std::vector<std::string> curves;    // CSV
  LaunchRange launches;
  bool partial = false, counts = false, no_gain = false;
  std::uint64_t findings = 0;  // whose changes are replayed; 0: it depends on how many launches
  unsigned threads = 0;
};

// A trace, and the profiler's file that belongs to it.
struct ReportTrace {
  std::string path, profile;  // no profile: empty
};
// Folders are opened: a file of counters beside a trace goes with it.
Result<std::vector<ReportTrace>> report_traces(const ReportInput& input);

// Replays and explains everything.
Result<Report> make_report(const ReportInput& input, const std::vector<ReportTrace>& traces);

// The source files that launches of the report name and that were given; what was given and is
// nobody's is an error.
Result<void> add_sources(const std::vector<std::string>& given, Report& report);
// What follows the last slash of a path.
std::string file_name(const std::string& path);
// Text of a file of up to 4 MiB; `option`: what named it. Its lines, printable.
Result<std::string> read_report_text(const std::string& path, const char* option);
std::vector<std::string> report_lines(const std::string& text);
// A file of numbers with a heading: the first column is what was changed.
Result<void> add_curves(const std::vector<std::string>& files, Report& report);

}  // namespace warpmem::command
