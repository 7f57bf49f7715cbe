// The lane addresses of a record, packed.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/format/record.hpp"

namespace warpmem::emulate {

// A base and a stride when they say it all, else the addresses of the active lanes, which go behind
// `list`. `lanes`: 32 addresses, those of the mask valid. The record's site is left at 0.
trace::Record pack_lanes(std::uint32_t mask, const std::uint64_t* lanes,
                         std::vector<std::uint64_t>& list);

}  // namespace warpmem::emulate
