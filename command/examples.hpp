// The help of the command and of each subcommand: as wide as the terminal, with three examples on
// top.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace warpmem::command {

// "Examples:\n  warpmem info t.wmt\n …"; empty: there are none.
std::string examples_of(const std::string& verb);
// For this command and for the subcommands that it gets later.
void add_help(CLI::App& app);

}  // namespace warpmem::command
