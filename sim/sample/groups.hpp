// Launches that are alike: of one kernel, one shape and one mix of instructions.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/error.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

struct LaunchGroup {
  std::vector<std::uint32_t> launches;  // indices, ascending
  std::uint64_t records = 0;            // of all of them
};

// `wanted`: by id (none: all). A launch's mix is the share of each kind of record in its first
// block, in twentieths, and the number of its records, in steps of an eighth.
Result<std::vector<LaunchGroup>> group_launches(const trace::TraceReader& reader,
                                                const std::function<bool(std::uint64_t)>& wanted);

}  // namespace warpmem::sim
