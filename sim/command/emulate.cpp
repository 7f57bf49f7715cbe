// `warpmem emulate kernel.ptx --launch launch.toml`: runs a kernel on the CPU and traces its memory
// accesses.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "sim/command/command.hpp"
#include "sim/command/progress.hpp"
#include "sim/command/version.hpp"
#include "traces/emulate/emulate.hpp"

namespace warpmem::command {
namespace {

struct Options {
  emulate::EmulateRequest request;
  std::vector<std::string> program;
};

volatile std::sig_atomic_t g_interrupted = 0;
extern "C" void on_emulate_interrupt(int) { g_interrupted = 1; }

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

Result<void> check(const Options& options) {
  const std::string& input = options.program.front();
  if (!ends_with(input, ".ptx"))
    return Error{ErrorKind::kUsage, fmt::format("cannot emulate '{}': only PTX files can be emulated, not programs or CUDA sources", input), "",
                 "compile its kernels with nvcc -ptx -lineinfo, describe the launch in a launch.toml (docs/emulate.md), and give both"};
  if (options.program.size() > 1)
    return Error{ErrorKind::kUsage, "a PTX file has no command line: its arguments stand in launch.toml", options.program[1], "leave out what follows the file"};
  if (options.request.launch.empty())
    return Error{ErrorKind::kUsage, "a PTX file does not say how to launch its kernels", input, "describe the launch in a file and give it with --launch (docs/emulate.md)"};
  return {};
}

int run(Options& options) {
  if (auto ok = check(options); !ok) return fail(ok.error());
  emulate::EmulateRequest& request = options.request;
  request.ptx = options.program.front();
  request.tool = fmt::format("warpmem {} emulate", kVersion);
  request.command = fmt::format("warpmem emulate {} --launch {}", request.ptx, request.launch);
  g_interrupted = 0;
  std::signal(SIGINT, on_emulate_interrupt);
  request.run.interrupted = [] { return g_interrupted != 0; };
  request.run.print = [](const std::string& text) { std::fputs(text.c_str(), stdout); };
  emulate::EmulateReport report;
  Result<void> done;
  {
    std::unique_ptr<Progress> progress;
    request.run.progress = [&](std::uint64_t ctas, std::uint64_t total) {
      if (!progress) progress = std::make_unique<Progress>("emulate", "CTAs", total);
      progress->update(ctas);
    };
    done = emulate::emulate_file(request, report);
  }
  std::fflush(stdout);
  const emulate::RunStatistics& s = report.statistics;
  if (s.warp_instructions != 0) {
    const double rate = report.seconds > 0 ? static_cast<double>(s.thread_instructions) / report.seconds * 1e-6 : 0;
    fmt::print(stderr, "warpmem: ran {} thread instructions of {} CTAs in {} ({:.0f} M/s){}\n", grouped(s.thread_instructions), grouped(s.ctas),
               duration(report.seconds), rate,
               request.output.empty() ? std::string() : fmt::format("; {} records in {}", grouped(s.memory_records), request.output));
  }
  return done ? 0 : fail(done.error());
}

}  // namespace

Run setup_emulate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  emulate::EmulateRequest& r = options->request;
  r.output = "trace.wmt";
  app.add_option("program", options->program, "kernel.ptx")->required()->type_name("FILE");
  app.add_option("--launch", r.launch, "how to launch it: entry, grid, block, arguments (docs/emulate.md)")->type_name("TOML");
  app.add_option("-o,--output", r.output, "trace to write; '' for none")->capture_default_str();
  app.add_option("--max-instructions", r.run.max_instructions, "stop a kernel after so many warp instructions")->type_name("N");
  app.add_flag("--force", r.overwrite, "replace the output when it is there already");
  return [options] { return run(*options); };
}

}  // namespace warpmem::command
