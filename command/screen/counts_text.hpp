// How often warps ran a launch's instructions (trace format 1.3), for `warpmem dump --counts`.
#pragma once

#include <string>

#include "base/error.hpp"
#include "command/inputs/trace_input.hpp"
#include "command/screen/output.hpp"

namespace warpmem::command {

// Of the launches in `range`. kUsage where none of them has been counted.
Result<std::string> counts_of(const trace::TraceReader& reader, const LaunchRange& range,
                              Format format, const views::Terminal& terminal);

// Launches that say how often their instructions ran.
std::size_t counted_launches(const trace::TraceReader& reader);

}  // namespace warpmem::command
