// How control goes from statement to statement of a function's PTX.
#pragma once

#include <optional>
#include <vector>

#include "emulate/ptx/parser.hpp"
#include "isa/flow/code_flow.hpp"

namespace warpmem::emulate {

// A line for each statement; nothing when it branches through a register.
std::optional<std::vector<trace::FlowLine>> flow_lines(const Function& function);

}  // namespace warpmem::emulate
