// PTX in which every statement claims a source line of its own, so that the lines in ptxas's
// output say which statement each machine instruction comes from. Line information does not change
// the code; whoever uses this compares the code with what the plain text gives all the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulate/ptx/syntax.hpp"

namespace warpmem::emulate {

struct TaggedPtx {
  std::string text;
  std::string file;  // the "source file" that the lines are in
  // Line of a function's first statement; its others follow. By position in Module::functions.
  std::vector<std::uint32_t> first_line;
};

// Of the module's kernels only `alone` keeps its body, if that is given: a module may hold hundreds,
// and ptxas makes each by itself. Functions that it cannot come to lose theirs too (debug code has
// hundreds of them, each called by few); variables stay.
TaggedPtx tag_statements(const Module& module, const Function* alone = nullptr);

// The module's text as it is, but for the bodies of the other kernels.
std::string text_of(const Module& module, const Function* alone = nullptr);

}  // namespace warpmem::emulate
