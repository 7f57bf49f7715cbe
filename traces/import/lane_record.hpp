// What a warp's instruction leaves behind: a record of the lanes' addresses, and which kind it is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/sass/instruction.hpp"
#include "traces/format/record.hpp"

namespace warpmem::imports {

// `addresses`: of the lanes that are on, lowest first. Those that are in no order go into `lanes`.
trace::Record record_of(std::uint32_t mask, const std::vector<std::uint64_t>& addresses,
                        std::vector<std::uint64_t>& lanes);

// Nothing: it is no access by lane.
std::optional<trace::Op> op_of(trace::InstructionKind kind);

}  // namespace warpmem::imports
