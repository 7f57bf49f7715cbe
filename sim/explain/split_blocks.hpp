// A launch with smaller blocks: each CTA becomes several, with a part of its warps each.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

// Whether CTAs can be taken apart at all: nothing joins their warps (no shared memory, no barrier,
// no cluster).
bool can_split_blocks(const trace::TraceReader& reader, std::uint32_t launch);

// Warps of a CTA.
std::uint32_t warps_of(const trace::Launch& launch);

// Writes the launch as a trace of its own, in which CTA c has become CTAs parts * c and on.
// `parts` divides the warps of a CTA.
Result<void> write_in_parts(const trace::TraceReader& reader, std::uint32_t launch,
                            std::uint32_t parts, const std::string& path);

}  // namespace warpmem::sim
