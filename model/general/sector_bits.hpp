// Sets of the sectors of one line: bit i, sector i.
#pragma once

#include <cstdint>

namespace warpmem::model {

inline std::uint8_t with(std::uint8_t a, std::uint8_t b) {
  return static_cast<std::uint8_t>(a | b);
}
inline std::uint8_t without(std::uint8_t a, std::uint8_t b) {
  return static_cast<std::uint8_t>(a & ~b);
}

}  // namespace warpmem::model
