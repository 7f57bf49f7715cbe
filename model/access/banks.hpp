// Banks of an SM's data memory: each gives one of its words in a pass.
#pragma once

#include <cstdint>

namespace warpmem::model {

struct Banks {
  static constexpr std::uint32_t kMost = 64;
  std::uint32_t count = 32, bytes = 4;
};
// Those of most GPUs, known to the compiler.
struct UsualBanks {
  static constexpr std::uint32_t kMost = 32, count = 32, bytes = 4;
};
constexpr bool is_usual(const Banks& banks) {
  return banks.count == UsualBanks::count && banks.bytes == UsualBanks::bytes;
}

}  // namespace warpmem::model
