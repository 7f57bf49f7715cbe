// Launches with CTAs of another size: the same warps with the same accesses, dealt out to CTAs
// anew. A kernel that was started so would do the same where an access follows from the thread's
// number in the grid, as of blockIdx.x * blockDim.x + threadIdx.x.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

// Why a launch's warps have to stay together: shared memory, a barrier, a cluster. Empty: they need
// not.
std::string joins_warps(const trace::TraceReader& reader, std::uint32_t launch);

// Warps of a CTA.
std::uint32_t warps_of(const trace::Launch& launch);

// Writes the launch as a trace of its own, in which CTA c has become CTAs parts * c and on.
// `parts` divides the warps of a CTA.
Result<void> write_in_parts(const trace::TraceReader& reader, std::uint32_t launch,
                            std::uint32_t parts, const std::string& path);

// Writes a trace whose launches all have CTAs of `threads` threads; only those that `wanted` names
// by their ids (none: all). Smaller CTAs are parts of one, larger ones are neighbours in x put
// together. kUsage, with the reason, where a launch cannot have them.
Result<void> write_with_blocks(const trace::TraceReader& reader, std::uint32_t threads,
                               const std::function<bool(std::uint64_t launch)>& wanted,
                               const std::string& path);

}  // namespace warpmem::sim
