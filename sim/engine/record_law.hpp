// The law between a trace and its replay: what has been replayed is what is in the file. It is
// looked at after each launch, whatever the engine, and of a part of the launch for that part.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "sim/engine/block_cache.hpp"
#include "sim/spills/spills.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

// `replayed`: what the memory system has counted. `taken`: of the launch's blocks. `rewrite` and
// `spills`: what has been left out and put back (nullptr: nothing).
Result<void> check_records(const trace::TraceReader& reader, std::uint32_t launch,
                           std::uint64_t replayed, const Taken& taken, const Rewrite* rewrite,
                           const Spills* spills);

// An error that says which law does not hold; a bug of ours.
Error broken_law(const std::string& law, const std::string& place);
// Where a launch is, for messages.
std::string place_of_launch(const trace::TraceReader& reader, std::uint32_t launch);

}  // namespace warpmem::sim
