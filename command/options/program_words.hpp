// The part of a command line that is somebody else's: `warpmem emulate -o t.wmt app.cu -O3 -I inc
// -- 42` has options of ours (-o t.wmt), words for nvcc in their order (app.cu -O3 -I inc), and the
// program's own arguments (42), which may look like anything. Where no program stands before the
// --, it is the first word behind it, as with other commands that run one: `warpmem emulate -o
// t.wmt -- python3 app.py 42`.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace warpmem::command {

struct ProgramWords {
  std::vector<std::string> program;    // or sources, with what is not an option of ours
  std::vector<std::string> arguments;  // of the program
  bool behind = false;                 // the program stood behind the --
};

// For a subcommand that runs a program: moves everything that is not an option of ours out of the
// words, which are those of main() without the command's name. Other subcommands' words are left
// alone.
void take_program_words(const CLI::App& app, std::vector<std::string>& words);

// What take_program_words took.
const ProgramWords& program_words();

}  // namespace warpmem::command
