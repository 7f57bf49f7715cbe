// What a kernel does to memory that calls no patch, so that whoever records it is told which
// counters lack it (docs/how-to/record.md). Spilled registers are left out: a replay puts them
// back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/decoded_program.hpp"

namespace warpmem::record {

// "copies through tensor maps (UTMALDG), missing in …; texture …"; empty: nothing.
std::string unrecorded(const std::vector<trace::DecodedLine>& code);

// The counters that lack it, as patterns with * for anything, each with what is missing in them.
struct UnrecordedCounters {
  std::string_view what;  // "texture and surface accesses"
  std::vector<std::string_view> counters;
};
std::vector<UnrecordedCounters> unrecorded_counters(const std::vector<trace::DecodedLine>& code);

}  // namespace warpmem::record
