// --max-memory: what a command and the programs that it starts may take.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace warpmem::command {

// Where a verb works on many threads or reads a trace, which is where it can take much. The limit
// holds from when the option is read: the heap, threads' stacks and private mappings together, of
// each process.
void add_memory_limit_option(CLI::App& verb);

// "--max-memory 256MiB"; empty: the run has no limit of its own.
std::string memory_limit();

}  // namespace warpmem::command
