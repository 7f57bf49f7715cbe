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

constexpr const char kTrace[] = "Get a trace", kAsk[] = "Ask what a kernel does",
                     kWhatIf[] = "Ask what would be", kTrust[] = "Compare with a GPU",
                     kLookUp[] = "Look up and learn", kShell[] = "For the shell";

constexpr Subcommand kSubcommands[] = {
#ifdef WARPMEM_HAS_EMULATE
    {"emulate", kTrace, "run a CUDA program on the CPU, with no GPU, and trace its accesses",
     setup_emulate},
#endif
    {"record", kTrace, "run a CUDA program on a GPU and record its memory accesses", setup_record},
    {"import", kTrace, "a trace of another tool (Accel-Sim, NVBit), to replay", setup_import},
    {"export", kTrace, "a trace as Accel-Sim reads it, with every instruction", setup_export},
    {"info", kTrace, "what a trace holds and where it came from", setup_info},
    {"dump", kTrace, "a trace's records, or its kernels' code", setup_dump},
    {"explain", kAsk, "which line moves too much, which lanes, why, and what helps", setup_explain},
    {"replay", kAsk, "run a trace on a GPU card: its counters, its time, what limits it",
     setup_replay},
    {"report", kAsk, "all of it as one page: charts, source, tables, for a browser", setup_report},
    {"diff", kAsk, "which counters differ between two traces or replays", setup_diff},
    {"timeline", kAsk, "when copies, kernels and waits ran, and what the program waits for",
     setup_timeline},
    {"partitions", kAsk, "what each channel of DRAM moves, and when", setup_partitions},
    {"pattern", kWhatIf, "what an index expression costs, without CUDA or a program",
     setup_pattern},
    {"explore", kWhatIf, "replay on many cards: sweeps, searches, all capacities of a cache",
     setup_explore},
    {"occupancy", kWhatIf, "how many CTAs an SM holds at once, and what limits them",
     setup_occupancy},
    {"probe", kWhatIf, "what a microbenchmark of latency or bandwidth would measure", setup_probe},
    {"validate", kTrust, "compare the model's counters with a profiler's", setup_validate},
    {"metrics", kTrust, "what each counter counts, and how exact it is", setup_metrics},
    {"gpus", kLookUp, "the GPU cards, and every number of one", setup_gpus},
    {"words", kLookUp, "what the words of the output mean", setup_words},
    {"learn", kLookUp, "a course on memory access, which checks your answers", setup_learn},
    {"doctor", kLookUp, "what this machine can do, and what is missing", setup_doctor},
    {"completion", kShell, "shell completion for this command", setup_completion},
    {"man", kShell, "the manual page", setup_man},
};

}  // namespace

std::span<const Subcommand> subcommands() { return kSubcommands; }

void build_options(CLI::App& app, std::vector<Run>& runs) {
  app.set_version_flag("--version", std::string("warpmem ") + kVersion, "print the version");
  app.set_help_flag("-h,--help", "print this help");
  app.require_subcommand(1);
  add_help(app);
  app.failure_message(CLI::FailureMessage::simple);
  for (const Subcommand& row : subcommands()) {
    CLI::App* sub = app.add_subcommand(row.name, row.help);
    sub->group(row.group);
    sub->set_help_flag("-h,--help", "print this help");
    runs.push_back(row.setup(*sub));
    add_memory_limit_option(*sub);
  }
}

}  // namespace warpmem::command
