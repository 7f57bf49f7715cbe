// Which code a program runs.
#pragma once

#include <cstdint>

#include "binary/fatbin/fat_binary.hpp"

namespace warpmem::emulate {

// kBest: machine code where the card's compute capability is kOldestCode or higher and the tools
// that read and make it are found, else PTX; the two others are what the user asks for.
enum class CodeLevel : std::uint8_t { kBest, kSass, kPtx };

// Whether machine code is wanted on compute capability `cc`, and which one's: cards before 7.5 run
// 7.5's, where it is asked for.
inline bool wants_machine_code(CodeLevel level, std::uint32_t cc) {
  return level == CodeLevel::kSass || (level == CodeLevel::kBest && cc >= cudart::kOldestCode);
}
inline std::uint32_t code_capability(std::uint32_t cc) {
  return cc < cudart::kOldestCode ? cudart::kOldestCode : cc;
}

}  // namespace warpmem::emulate
