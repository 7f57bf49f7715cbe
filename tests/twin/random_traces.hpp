// Small random launches: every kind of access, and addresses that meet in caches.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace warpmem::twin {

// Writes a trace of so many launches, of which launch i is that of seed `first + i` whatever the
// others are.
Result<void> write_random_trace(const std::string& path, std::uint64_t first,
                                std::uint64_t launches, bool windows);

}  // namespace warpmem::twin
