// What atomics and reductions leave in memory, lane after lane, as the memory system computes it.
#pragma once

#include "emulate/executor/running.hpp"

namespace warpmem::emulate {

// `host`: each lane's address in the host's memory.
void atomics(const Access& a, trace::Space space, std::byte* frame, std::uint32_t mask,
             const Lanes& host);
// A bulk reduction of so many bytes.
void reduce_bytes(const Access& a, trace::Space space, std::uint64_t from, std::uint64_t to,
                  std::uint32_t bytes);

}  // namespace warpmem::emulate
