// What a kernel does to memory that calls no patch, so that whoever records it is told which
// counters lack it (docs/recording.md). Spilled registers are left out: a replay puts them back.
#pragma once

#include <span>
#include <string>

#include "isa/program.hpp"

namespace warpmem::record {

// "copies through tensor maps (UTMALDG), missing in …; texture …"; empty: nothing.
std::string unrecorded(std::span<const trace::Instruction> code);

}  // namespace warpmem::record
