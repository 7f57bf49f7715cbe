// The table of subcommands. A new one is a .cpp file with a setup function, and a row here.
#include <CLI/CLI.hpp>
#include <array>
#include <vector>

#include "command/command.hpp"
#include "command/examples.hpp"
#include "command/options/memory_limit.hpp"
#include "command/version.hpp"

namespace warpmem::command {

Run setup_record(CLI::App& app);
#ifdef WARPMEM_HAS_EMULATE
Run setup_emulate(CLI::App& app);
#endif
Run setup_export(CLI::App& app);
Run setup_import(CLI::App& app);
Run setup_info(CLI::App& app);
Run setup_dump(CLI::App& app);
Run setup_replay(CLI::App& app);
Run setup_explain(CLI::App& app);
Run setup_explore(CLI::App& app);
Run setup_pattern(CLI::App& app);
Run setup_occupancy(CLI::App& app);
Run setup_report(CLI::App& app);
Run setup_timeline(CLI::App& app);
Run setup_partitions(CLI::App& app);
Run setup_probe(CLI::App& app);
Run setup_validate(CLI::App& app);
Run setup_gpus(CLI::App& app);
Run setup_metrics(CLI::App& app);
Run setup_diff(CLI::App& app);
Run setup_doctor(CLI::App& app);
Run setup_learn(CLI::App& app);
Run setup_words(CLI::App& app);
Run setup_completion(CLI::App& app);
Run setup_man(CLI::App& app);

namespace {

constexpr Subcommand kSubcommands[] = {
    {"record", "run a CUDA program and record its memory accesses into a trace", setup_record},
#ifdef WARPMEM_HAS_EMULATE
    {"emulate",
     "run a CUDA program or kernel on the CPU, with no GPU, and trace its memory accesses",
     setup_emulate},
#endif
    {"import", "a trace of another tool (Accel-Sim, NVBit) as a trace to replay", setup_import},
    {"export", "a trace as Accel-Sim reads it, with every instruction", setup_export},
    {"info", "what a trace holds and where it came from", setup_info},
    {"dump", "a trace's records, or its kernels' code", setup_dump},
    {"replay", "run a trace on a GPU card and print its counters", setup_replay},
    {"explain", "which line moves too much, which lanes, why, and what would change it",
     setup_explain},
    {"explore", "replay on many cards that differ in something: sweeps, searches, all capacities",
     setup_explore},
    {"pattern", "what an index expression costs on a card, without CUDA or a program",
     setup_pattern},
    {"occupancy", "how many CTAs an SM holds at once, what limits them, and what would change it",
     setup_occupancy},
    {"report", "all of it as one page: charts, source, tables, for a browser", setup_report},
    {"timeline", "when a program's copies, kernels and waits ran, and what it waits for",
     setup_timeline},
    {"partitions", "what each channel of DRAM moves, and when", setup_partitions},
    {"probe", "what a microbenchmark of latency or bandwidth would measure on a card", setup_probe},
    {"validate", "compare the model's counters with a profiler's", setup_validate},
    {"diff", "which counters differ between two replays", setup_diff},
    {"gpus", "the GPU cards, and every number of one", setup_gpus},
    {"metrics", "what each counter counts, and how exact it is", setup_metrics},
    {"doctor", "what this machine can do, and what is missing", setup_doctor},
    {"learn", "a course on memory access: its exercises, and whether an answer is right",
     setup_learn},
    {"words", "what the words of the output mean", setup_words},
    {"completion", "shell completion for this command", setup_completion},
    {"man", "the manual page", setup_man},
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
    add_examples(*sub);
    runs.push_back(row.setup(*sub));
    add_memory_limit_option(*sub);
  }
}

}  // namespace warpmem::command
