// `warpmem emulate ./app` and `warpmem emulate app.cu`: whole programs on the emulated CUDA
// runtime.
#pragma once

#include <string>
#include <vector>

#include "command/inputs/card_input.hpp"
#include "emulate/cudart/session.hpp"

namespace warpmem::command {

struct ProgramRun {
  cudart::SessionOptions session;
  CardInput card;
  std::vector<std::string> words;      // the program, or sources and nvcc's options
  std::vector<std::string> arguments;  // the program's own
  bool summary = false;                // --summary
};

// True when a word names CUDA source.
bool names_source(const std::vector<std::string>& words);

// Runs it; the exit status is the program's own, unless the emulator had to refuse something.
int emulate_program(ProgramRun& run);

}  // namespace warpmem::command
