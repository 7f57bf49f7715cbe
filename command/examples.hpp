// Three examples on top of each subcommand's help.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace warpmem::command {

// "Examples:\n  warpmem info t.wmt\n …"; empty: there are none.
std::string examples_of(const std::string& verb);
// Puts them into the subcommand's help, below its first line.
void add_examples(CLI::App& sub);

}  // namespace warpmem::command
