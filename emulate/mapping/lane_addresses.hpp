// The lane addresses of a record, packed and unpacked.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "traces/format/record.hpp"

namespace warpmem::emulate {

// A base and a stride when they say it all, else the addresses of the active lanes, which go behind
// `list`. `lanes`: 32 addresses, those of the mask valid. The record's site is left at 0.
trace::Record pack_lanes(std::uint32_t mask, const std::uint64_t* lanes,
                         std::vector<std::uint64_t>& list);

// The address of one of the record's active lanes.
std::uint64_t lane_address(const trace::Record& record, std::uint32_t lane,
                           const std::vector<std::uint64_t>& list);

// What must be added to the addresses of `from` to get those of `to`, when it is the same for all
// lanes of `to`, which `from` must have too.
std::optional<std::int64_t> lane_distance(const trace::Record& from, const trace::Record& to,
                                          const std::vector<std::uint64_t>& list);

}  // namespace warpmem::emulate
