// `warpmem emulate`: runs a program (./app), CUDA source (app.cu) or one kernel (kernel.ptx
// --launch launch.toml) on the CPU and traces its memory accesses.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "base/units.hpp"
#include "command/command.hpp"
#include "command/emulate/program.hpp"
#include "command/ending.hpp"
#include "command/inputs/card_device.hpp"
#include "command/options/number.hpp"
#include "command/options/program_words.hpp"
#include "command/screen/output.hpp"
#include "command/screen/progress.hpp"
#include "command/version.hpp"
#include "emulate/one_kernel/emulate.hpp"

namespace warpmem::command {
namespace {

struct EmulateCommandOptions {
  emulate::EmulateRequest request;
  ProgramRun run;
  std::optional<CountedRange> launches;
  std::string level;               // empty: as the card and the tools allow
  std::vector<std::string> words;  // for the help: program_words() has them
};

Result<void> check_ptx(const EmulateCommandOptions& options,
                       const std::vector<std::string>& words) {
  const std::string& input = words.front();
  if (words.size() > 1)
    return Error{
        ErrorKind::kUsage,
        fmt::format("'{}' is not an option of emulate, and one PTX file takes no further words",
                    words[1]),
        input, "see warpmem emulate --help"};
  if (!program_words().arguments.empty())
    return Error{ErrorKind::kUsage,
                 "a PTX file has no command line: its arguments stand in launch.toml", input,
                 fmt::format("leave out '{}'", program_words().arguments.front())};
  if (options.request.launch.empty())
    return Error{
        ErrorKind::kUsage, "a PTX file does not say how to launch its kernels", input,
        "describe the launch in a file and give it with --launch (docs/reference/launch-file.md)"};
  const cudart::SessionOptions& s = options.run.session;
  if (!s.kernel.empty() || options.launches || s.ctas != 1 ||
      s.max_records != cudart::SessionOptions::kNoLimit)
    return Error{ErrorKind::kUsage,
                 "--kernel, --launches, --ctas and --max-records choose among a program's launches",
                 input, "leave them out for a PTX file"};
  return {};
}

Result<void> check_program(EmulateCommandOptions& options, const std::vector<std::string>& words) {
  cudart::SessionOptions& s = options.run.session;
  if (!options.request.launch.empty())
    return Error{ErrorKind::kUsage,
                 "--launch describes one kernel of a PTX file; a program launches its own",
                 words.front(), "leave it out"};
  if (!names_source(words)) {
    if (words.front().starts_with('-') && !program_words().behind)
      return Error{ErrorKind::kUsage,
                   fmt::format("'{}' is not an option of emulate", words.front()), "",
                   "see warpmem emulate --help"};
    if (words.size() > 1)
      return Error{ErrorKind::kUsage,
                   fmt::format("'{}' is neither an option of emulate nor CUDA source", words[1]),
                   "",
                   fmt::format("write the program's arguments behind --: warpmem emulate {} -- {}",
                               words[0], words[1])};
  }
  if (options.launches)
    s.first_launch = options.launches->first, s.last_launch = options.launches->end;
  try {
    if (!s.kernel.empty()) std::regex{s.kernel};
  } catch (const std::regex_error& e) {
    return Error{
        ErrorKind::kUsage, fmt::format("'{}' is not a regular expression: {}", s.kernel, e.what()),
        "--kernel", "put a backslash before characters such as ( [ * that stand for themselves"};
  }
  return {};
}

// How much was run and traced, and what the trace lacks.
void tell(const emulate::EmulateRequest& request, const emulate::EmulateReport& report,
          bool summary) {
  const emulate::RunStatistics& s = report.statistics;
  if (s.warp_instructions != 0) {
    const double rate =
        report.seconds > 0 ? static_cast<double>(s.thread_instructions) / report.seconds * 1e-6 : 0;
    summarise(fmt::format(
                  "ran {} thread instructions of {} CTAs in {} ({:.0f} M/s){}",
                  grouped(s.thread_instructions), grouped(s.ctas), duration(report.seconds), rate,
                  report.traced
                      ? fmt::format("; {} records in {}", grouped(s.memory_records), request.output)
                      : std::string()),
              summary);
  }
  if (!report.why_ptx.empty())
    summarise(fmt::format("note: {} runs as PTX: {}", report.kernel, report.why_ptx), summary);
  if (!report.kept.empty())
    warn(
        fmt::format("the trace is incomplete: what there is of it is in {}; read it with --partial",
                    report.kept));
}

int run_ptx(EmulateCommandOptions& options, const std::vector<std::string>& words) {
  if (auto ok = check_ptx(options, words); !ok) return fail(ok.error());
  emulate::EmulateRequest& request = options.request;
  const auto card = load_card(options.run.card);
  if (!card) return fail(card.error());
  request.limits = limits_of(*card);
  request.ptx = words.front();
  note_input(request.ptx);
  request.tool = fmt::format("warpmem {} emulate", kVersion);
  request.command = fmt::format("warpmem emulate {} --launch {}", request.ptx, request.launch);
  bool hazards = false;
  if (options.run.session.check)
    request.run.report = [&hazards](const std::string& text) {
      hazards = true;
      say(text);
    };
  request.run.threads = emulate::threads_for(options.run.session.threads);
  request.run.interrupted = [] { return signalled() != 0; };
  const bool summary = options.run.summary;
  request.note = [summary](const std::string& text) { summarise("note: " + text, summary); };
  if (!request.output.empty()) {
    auto place = find_output_place(request.output, {request.overwrite, false});
    if (!place) return fail(place.error());
    if (!place->note.empty()) note(place->note);
    request.output = place->path;
  }
  request.run.print = [](const std::string& text) { std::fputs(text.c_str(), stdout); };
  emulate::EmulateReport report;
  Result<void> done;
  {
    const PoliteEnding polite;  // a signal stops the kernel, and its trace is closed
    std::unique_ptr<Progress> progress;
    request.run.progress = [&](std::uint64_t ctas, std::uint64_t total) {
      if (!progress) progress = std::make_unique<Progress>("emulate", "CTAs", total);
      progress->update(ctas);
    };
    done = emulate::emulate_file(request, report);
  }
  flush_printed();
  tell(request, report, summary);
  if (!done && done.error().kind == ErrorKind::kInterrupted && signalled() != 0) {
    fail({ErrorKind::kInterrupted, signalled() == SIGINT ? "interrupted" : "ended by a signal",
          done.error().place, ""});
    return status_of_signal(signalled());
  }
  if (!done) return fail(done.error());
  if (const int full = emit({}, "")) return full;  // what the kernel printed
  return hazards ? exit_status(ErrorKind::kCheckFailed) : 0;
}

int run(EmulateCommandOptions& options) {
  const std::vector<std::string>& words = program_words().program;
  if (words.empty())
    return fail({ErrorKind::kUsage, "no program was given", "",
                 "name a program, CUDA source or a PTX file: warpmem emulate ./app -- arguments, "
                 "or warpmem emulate -- ./app arguments"});
  if (options.level == "sass") options.request.level = emulate::CodeLevel::kSass;
  if (options.level == "ptx") options.request.level = emulate::CodeLevel::kPtx;
  options.run.session.level = options.request.level;
  if (words.front().ends_with(".ptx")) return run_ptx(options, words);
  options.run.session.output = options.request.output;
  options.run.session.force = options.request.overwrite;
  options.run.session.max_instructions = options.request.run.max_instructions;
  if (auto ok = check_program(options, words); !ok) return fail(ok.error());
  options.run.words = words;
  options.run.arguments = program_words().arguments;
  return emulate_program(options.run);
}

}  // namespace

Run setup_emulate(CLI::App& app) {
  auto options = std::make_shared<EmulateCommandOptions>();
  emulate::EmulateRequest& r = options->request;
  r.output = "trace.wmt";
  cudart::SessionOptions& session = options->run.session;
  app.add_option(
         "program", options->words,
         "./app, app.cu with nvcc's options, or kernel.ptx; behind -- the program's arguments, or "
         "the program too: -- python3 app.py")
      ->type_name("PROGRAM [-- ARGS]");
  app.add_option(
         "--launch", r.launch,
         "how to launch a PTX file: entry, grid, block, arguments (docs/reference/launch-file.md)")
      ->type_name("TOML");
  app.add_option("-o,--output", r.output, "trace to write; '' for none")
      ->type_name("OUT")
      ->capture_default_str();
  app.add_option("--kernel", session.kernel,
                 "trace only kernels whose demangled name matches this regular expression")
      ->type_name("REGEX");
  add_range_option(
      app, "--launches", "launches",
      [options](const CountedRange& launches) { options->launches = launches; },
      "trace only launches A to B-1 of the program, counted from 0");
  add_fraction_option(app, "--ctas", session.ctas,
                      "trace this fraction of each launch's CTAs, the same ones every time");
  add_whole_option(
      app, "--max-records", {1, kNoMost, "records"},
      [&session](std::uint64_t n) { session.max_records = n; },
      "stop tracing after so many records");
  add_whole_option(
      app, "--repeats", {0, kNoMost, "launches"},
      [&session](std::uint64_t n) { session.repeats = n; },
      "of equal launches in a row, as autotuners make them, trace so many (1) and count the "
      "others; 0: all");
  app.add_flag("--check", session.check,
               "report reads of shared memory that nobody wrote, and hazards between its barriers; "
               "ends 1 when there are some");
  add_whole_option(
      app, "--threads", {0, emulate::kMostThreads, "threads"},
      [&session](std::uint64_t n) { session.threads = n; },
      "threads to run CTAs on; 0 (default): one a core. The trace is the same on any number");
  add_whole_option(
      app, "--max-instructions", {1, kNoMost, "warp instructions"},
      [&r](std::uint64_t n) { r.run.max_instructions = n; },
      "stop a kernel after so many warp instructions");
  app.add_option("--level", options->level,
                 "sass: run the machine code that the card would (of cards before 7.5: that of "
                 "7.5); ptx: run the PTX. Default: sass from 7.5 on, where nvdisasm is found (and "
                 "ptxas, for programs with PTX alone), else ptx")
      ->check(CLI::IsMember({"sass", "ptx"}));
  app.add_flag("--strict", session.strict,
               "make every access out of bounds a fault, also where a GPU would let it through");
  add_summary_option(app, options->run.summary);
  add_force_option(app, r.overwrite);
  add_card_options(app, options->run.card);
  return [options] { return run(*options); };
}

}  // namespace warpmem::command
