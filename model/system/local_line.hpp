// Where the model keeps threads' local memory: above every address that a program can have.
#pragma once

#include <cstdint>

namespace warpmem::model {

constexpr std::uint64_t kLocalLine = std::uint64_t{1} << 41;
// In AccessTiming::async_wavefronts: worked out from both sides of the copy.
constexpr std::uint32_t kBothSides = 1u << 31;

}  // namespace warpmem::model
