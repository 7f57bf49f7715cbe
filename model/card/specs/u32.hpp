// Numbers of a card are read as 64 bits; parts keep 32 of those that their checks bound.
#pragma once

#include <cstdint>

namespace warpmem::model {

inline std::uint32_t u32(std::uint64_t n) { return static_cast<std::uint32_t>(n); }

}  // namespace warpmem::model
