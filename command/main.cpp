// The warpmem command: parses, runs one subcommand, and turns whatever happens into one message
// and an exit status.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "base/errno_kind.hpp"
#include "base/printable.hpp"
#include "base/run_files.hpp"
#include "command/command.hpp"
#include "command/ending.hpp"
#include "command/options/memory_limit.hpp"
#include "command/options/named_files.hpp"
#include "command/options/program_words.hpp"
#include "command/screen/output.hpp"
#include "command/screen/terminal.hpp"
#include "command/usage.hpp"

namespace warpmem::command {

namespace {

// A person's terminal breaks words; this does not.
void to_stderr(const std::string& text) {
  const auto width = static_cast<std::size_t>(terminal_width(STDERR_FILENO));
  const bool person = is_terminal(STDERR_FILENO);
  std::fputs((person ? views::fitted(text, width) : text).c_str(), stderr);
}

}  // namespace

int fail(const Error& error) {
  const std::string label = styled("error:", Style::kRed, use_colour(STDERR_FILENO));
  to_stderr(fmt::format("warpmem: {} {}\n", label, error.text()));
  return exit_status(error.kind);
}

void say(const std::string& message) {
  to_stderr(fmt::format("warpmem: {}\n", printable(message)));
}

void warn(const std::string& message) {
  const std::string label = styled("warning:", Style::kYellow, use_colour(STDERR_FILENO));
  to_stderr(fmt::format("warpmem: {} {}\n", label, printable(message)));
}

void note(const std::string& message) { say("note: " + message); }

void summarise(const std::string& message, bool asked) {
  if (asked || is_terminal(STDERR_FILENO)) say(message);
}

void add_summary_option(CLI::App& app, bool& asked) {
  app.add_flag(
      "--summary", asked,
      "say on stderr what was run and traced, as on a terminal, also where stderr is none");
}

namespace {

// What `warpmem` alone says: what it is, and the verbs in the order in which people need them.
constexpr const char kFirstHelp[] =
    R"(warpmem shows what a CUDA kernel does to a GPU's memory: which line wastes
bandwidth, why, and what a change would gain. It needs no GPU.

  warpmem pattern 'a[threadIdx.x * 2]'       what an index expression costs
  warpmem emulate app.cu -lineinfo -o t.wmt  run a program on the CPU, trace it
  warpmem explain t.wmt                      which line, why, and what to change
  warpmem replay t.wmt --gpu h200            the memory hierarchy on one screen
  warpmem report t.wmt -o report.html        all of it as a page for a browser

With a GPU: warpmem record -o t.wmt -- ./app. All verbs: warpmem --help.
Is everything there that it needs? warpmem doctor
)";

int resources(const char* what, const std::string& fix) {
  return fail({ErrorKind::kResources, what, "", fix});
}

int internal_error(const char* what) {
  return fail({ErrorKind::kInternal, fmt::format("this is a bug in warpmem: {}", what), "",
               "please report it with the command line and, if you can, the input"});
}

// --launch chooses among a trace's launches for those that read one; a launch that is emulated can
// only be smaller.
Error out_of_memory(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  const bool emulates = verb == "emulate";
  const std::string limit = memory_limit();
  return {ErrorKind::kResources,
          limit.empty() ? "out of memory" : fmt::format("out of memory: {} does not do", limit),
          std::string(emulates ? verb : ""),
          std::string(limit.empty() ? "close other programs" : "allow more") +
              (emulates ? ", or make the launch smaller: its grid, its buffers, --threads 1"
                        : ", or work on fewer launches with --launch, and with --threads 1")};
}

int run(int argc, char** argv) {
  CLI::App app{"What a CUDA kernel does to a GPU's memory system.", "warpmem"};
  std::vector<Run> runs;
  build_options(app, runs);
  const bool helps = argc > 1 && std::string_view(argv[1]) == "help";
  if (argc < 2) {
    std::fputs(kFirstHelp, stderr);
    return exit_status(ErrorKind::kUsage);
  }
  if (helps) --argc, ++argv;  // `warpmem help replay` is `warpmem replay --help`
  std::vector<std::string> words(argv + 1, argv + argc);
  if (helps) {
    words.resize(std::min<std::size_t>(words.size(), 1));
    const auto named = [&](const auto& subcommand) { return words.front() == subcommand.name; };
    if (words.empty() || std::ranges::any_of(subcommands(), named)) words.push_back("--help");
  }
  take_program_words(app, words);
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app.parse(std::move(words));
  } catch (const CLI::Success& success) {  // --help, --version
    app.exit(success);
    return emit({}, "");  // notices a full disk behind stdout
  } catch (const CLI::ParseError& error) {
    return fail(usage_error(app, error, argc, argv));
  }
  const RunFiles files;
  const CLI::App* chosen = app.get_subcommands().front();
  note_named_files(*chosen);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (chosen->get_name() == subcommands()[i].name) return runs[i]();
  }
  return internal_error("a subcommand without a row");
}

}  // namespace
}  // namespace warpmem::command

int main(int argc, char** argv) {
  using namespace warpmem;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) command::end_by(signal);
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond `ulimit -f` fails with EFBIG instead
  try {
    return command::run(argc, argv);
  } catch (const std::bad_alloc&) {
    return command::fail(command::out_of_memory(argc, argv));
  } catch (const std::system_error& error) {
    const int code = error.code().value();
    if (kind_of(code, ErrorKind::kInternal) == ErrorKind::kInternal)
      return command::internal_error(error.what());
    return command::resources(
        fmt::format("the system refuses what the run needs: {}", error.what()).c_str(),
        "allow more threads and files (ulimit -u, ulimit -n), or use fewer with --threads 1");
  } catch (const std::exception& error) {
    return command::internal_error(error.what());
  }
}
