// The shape of a subcommand: one .cpp file with a setup function, and one row in subcommands.cpp.
//
// setup() declares options on the CLI::App and returns the function to run once the command line
// is parsed. Options live in a struct that the run function shares:
//
//   Run setup_info(CLI::App& app) {
//     auto options = std::make_shared<InfoOptions>();
//     app.add_option("trace", options->path, "trace to describe")->required();
//     return [options] { return info(*options); };
//   }
//
// run() returns the exit status (docs/reference/exit-status.md). Failures go through fail(error),
// which prints the error on stderr and gives the status of its kind.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpmem::command {

using Run = std::function<int()>;

struct Subcommand {
  const char* name;
  const char* group;  // its heading in the help
  const char* help;   // one line, lower case, no final stop
  Run (*setup)(CLI::App& app);
};

// All subcommands, in the order the help shows them.
std::span<const Subcommand> subcommands();

// The whole option tree, for parsing and for `completion`. Runs are left in `runs`, one a row.
void build_options(CLI::App& app, std::vector<Run>& runs);

// The option of this name ("--gpu"), or nullptr. CLI11's own search ends the process where memory
// runs out in it.
CLI::Option* option_named(CLI::App& app, const std::string& name);
const CLI::Option* option_named(const CLI::App& app, const std::string& name);

// "warpmem: error: …" on stderr; the exit status of the error's kind.
int fail(const Error& error);
// "warpmem: …", "warpmem: warning: …" and "warpmem: note: …" on stderr. Whatever is in the text, it
// is one line and safe for a terminal; a stderr that takes nothing is no failure.
void say(const std::string& message);
void warn(const std::string& message);
void note(const std::string& message);

// What a run of the user's program did, where all is well: for a person at a terminal, and for who
// asks (--summary). Else the program's own stderr is all that there is.
void summarise(const std::string& message, bool asked);
// --summary, in the same words for each verb that runs a program.
void add_summary_option(CLI::App& app, bool& asked);

}  // namespace warpmem::command
