// The table of subcommands. A new one is a .cpp file with a setup function, and a row here.
#include <CLI/CLI.hpp>
#include <array>

#include "sim/command/command.hpp"
#include "sim/command/version.hpp"

namespace warpmem::command {

#ifdef WARPMEM_HAS_RECORD
Run setup_record(CLI::App& app);
#endif
#ifdef WARPMEM_HAS_TRACES
Run setup_info(CLI::App& app);
Run setup_dump(CLI::App& app);
#endif
#ifdef WARPMEM_HAS_REPLAY
Run setup_replay(CLI::App& app);
#endif
#ifdef WARPMEM_HAS_VALIDATE
Run setup_validate(CLI::App& app);
#endif
#ifdef WARPMEM_HAS_CARDS
Run setup_gpus(CLI::App& app);
#endif
#ifdef WARPMEM_HAS_VALIDATE
Run setup_metrics(CLI::App& app);
#endif
Run setup_diff(CLI::App& app);
Run setup_doctor(CLI::App& app);
Run setup_completion(CLI::App& app);

namespace {

constexpr Subcommand kSubcommands[] = {
#ifdef WARPMEM_HAS_RECORD
    {"record", "run a CUDA program and record its memory accesses into a trace", setup_record},
#endif
#ifdef WARPMEM_HAS_TRACES
    {"info", "what a trace holds and where it came from", setup_info},
    {"dump", "a trace's records, or its kernels' code", setup_dump},
#endif
#ifdef WARPMEM_HAS_REPLAY
    {"replay", "run a trace on a GPU card and print its counters", setup_replay},
#endif
#ifdef WARPMEM_HAS_VALIDATE
    {"validate", "compare the model's counters with a profiler's", setup_validate},
#endif
    {"diff", "which counters differ between two replays", setup_diff},
#ifdef WARPMEM_HAS_CARDS
    {"gpus", "the GPU cards, and every number of one", setup_gpus},
#endif
#ifdef WARPMEM_HAS_VALIDATE
    {"metrics", "what each counter counts, and how exact it is", setup_metrics},
#endif
    {"doctor", "what this machine can do, and what is missing", setup_doctor},
    {"completion", "shell completion for this command", setup_completion},
};

}  // namespace

std::span<const Subcommand> subcommands() { return kSubcommands; }

void build_options(CLI::App& app, std::vector<Run>& runs) {
  app.set_version_flag("--version", std::string("warpmem ") + kVersion, "print the version");
  app.set_help_flag("-h,--help", "print this help");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  for (const Subcommand& row : subcommands()) {
    CLI::App* sub = app.add_subcommand(row.name, row.help);
    sub->set_help_flag("-h,--help", "print this help");
    runs.push_back(row.setup(*sub));
  }
}

}  // namespace warpmem::command
