// `warpmem record -- ./app`: runs a CUDA program on this machine's GPU and records its memory
// accesses. The program's output and exit status are its own; what the recorder says goes to
// stderr.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <regex>
#include <string>

#include "base/output_file.hpp"
#include "base/run_files.hpp"
#include "base/units.hpp"
#include "command/command.hpp"
#include "command/options/number.hpp"
#include "command/screen/output.hpp"
#include "traces/format/sink.hpp"
#include "traces/record/launcher.hpp"

namespace warpmem::command {

namespace {

using record::RecordedProcess;
using record::RecordReport;

struct RecordCommandOptions {
  record::RecordOptions record;
  bool no_wait = false;
  bool summary = false;
};

Result<void> check(RecordCommandOptions& options) {
  try {
    if (!options.record.kernel.empty()) std::regex{options.record.kernel};
  } catch (const std::regex_error& e) {
    return Error{
        ErrorKind::kUsage,
        fmt::format("'{}' is not a regular expression: {}", options.record.kernel, e.what()),
        "--kernel", "put a backslash before characters such as ( [ * that stand for themselves"};
  }
  return {};
}

// Where the files go, told before the program runs.
Result<void> settle_outputs(record::RecordOptions& options) {
  for (const std::string& word : options.command) note_input(word);  // the program and its files
  auto trace = find_output_place(options.output, {options.force, false});
  if (!trace) return trace.error();
  if (is_input(trace::partial_name(trace->path)))
    return output_is_input(trace::partial_name(trace->path));
  if (!trace->note.empty()) note(trace->note);
  options.output = trace->path;
  if (options.times.empty()) return {};
  auto times = find_output_place(options.times, {options.force, true});
  if (!times) return times.error();
  const auto one = OutputClaim::of(trace->path), other = OutputClaim::of(times->path);
  if (!other) return other.error();
  if (!times->note.empty()) note(times->note);
  options.times = times->path;
  return {};
}

std::string describe(const RecordedProcess& process) {
  std::string text =
      fmt::format("{} record{} of {} launch{} in {} ({}", process.records,
                  process.records == 1 ? "" : "s", process.launches,
                  process.launches == 1 ? "" : "es", process.output, byte_size(process.bytes));
  if (process.records != 0) {
    text += fmt::format(", {:.2f} bytes a record",
                        static_cast<double>(process.bytes) / static_cast<double>(process.records));
    if (process.busy_seconds > 0) {
      text += fmt::format(", {:.1f} M records/s",
                          static_cast<double>(process.records) / process.busy_seconds * 1e-6);
    }
  }
  return text + ")";
}

int report_on(const RecordReport& report, bool summary) {
  if (report.signal != 0) warn(fmt::format("the program was ended by signal {}", report.signal));
  for (const RecordedProcess& process : report.processes) {
    const std::string what = describe(process);
    if (process.sealed) {
      summarise("recorded " + what, summary);
    } else if (process.ended) {
      warn(fmt::format("the recording is incomplete; kept {}; read it with --partial", what));
    } else {
      warn(
          fmt::format("process {} ended without closing its trace (a crash, a signal or _exit); "
                      "kept {}; read it "
                      "with --partial",
                      process.pid, what));
    }
    if (process.lost != 0) warn(fmt::format("{} records were lost", process.lost));
  }
  if (!report.processes.empty()) return report.status;
  Error nothing{ErrorKind::kUsage, "nothing was recorded: the program never initialised CUDA", "",
                "check that the program uses the GPU, and that `nvidia-smi` lists one"};
  if (report.used_cuda) {
    nothing.message =
        "nothing was recorded: no kernel was launched, or none that the options ask for";
    nothing.fix = "check --kernel and --launches, and that the program reaches its kernels";
  }
  if (report.status == 0) return fail(nothing);
  warn(nothing.message);
  return report.status;
}

int run(RecordCommandOptions& options) {
  if (auto ok = check(options); !ok) return fail(ok.error());
  if (auto program = record::check_program(options.record); !program) return fail(program.error());
  if (auto places = settle_outputs(options.record); !places) return fail(places.error());
  auto files = record::find_recorder_files();
  if (auto driver = record::check_driver(); !driver) return fail(driver.error());
  if (!files) return fail(files.error());
  options.record.wait = !options.no_wait;
  auto report = record::run_recorder(options.record, *files);
  if (!report) return fail(report.error());
  return report_on(*report, options.summary);
}

}  // namespace

Run setup_record(CLI::App& app) {
  auto options = std::make_shared<RecordCommandOptions>();
  record::RecordOptions& record = options->record;
  app.add_option("-o,--output", record.output, "trace to write")
      ->type_name("OUT")
      ->capture_default_str();
  app.add_option("--kernel", record.kernel,
                 "only kernels whose demangled name matches this regular expression")
      ->type_name("REGEX");
  add_range_option(
      app, "--launches", "launches",
      [&record](const CountedRange& r) {
        record.first_launch = r.first, record.last_launch = r.end;
      },
      "only launches A to B-1 of the program, counted from 0");
  add_fraction_option(app, "--ctas", record.ctas,
                      "record this fraction of each launch's CTAs, the same ones every time");
  add_whole_option(
      app, "--max-records", {1, kNoMost, "records"},
      [&record](std::uint64_t n) { record.max_records = n; },
      "stop recording after so many records");
  app.add_option("--times", record.times,
                 "write a CSV file of how long each launch took to record, in microseconds")
      ->type_name("OUT");
  add_summary_option(app, options->summary);
  add_force_option(app, record.force);
  app.add_flag("--strict", record.strict, "end the program when recording fails");
  app.add_flag("--no-wait", options->no_wait,
               "let launches overlap instead of reading each to its end first");
  app.add_option("command", record.command, "program and its arguments, behind --")
      ->required()
      ->type_name("-- PROGRAM ARGS");
  app.prefix_command(false);
  return [options] { return run(*options); };
}

}  // namespace warpmem::command
