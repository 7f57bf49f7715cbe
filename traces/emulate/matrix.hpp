// mma.sync of 16 x 8 x k: which lane and register holds which element, and the product itself.
//
// Hardware does not document how it rounds the sum of a dot product. Here the products are exact,
// they are added to the accumulator in order of k in double, and the sum is rounded once: results
// that are exact on hardware (small whole numbers) are the same, others differ in the last bits.
#pragma once

#include <cstdint>

#include "traces/emulate/types.hpp"

namespace warpmem::emulate {

struct MatrixProduct {
  std::uint32_t k = 16;
  std::uint32_t bytes = 2;      // of an element of a and b
  Type type = Type::kF16;       // of a and b
  Type accumulator = Type::kF32;
  std::uint32_t pack() const { return k | bytes << 8 | static_cast<std::uint32_t>(type) << 16 | static_cast<std::uint32_t>(accumulator) << 24; }
  static MatrixProduct unpack(std::uint32_t v) { return {v & 255, v >> 8 & 255, static_cast<Type>(v >> 16 & 255), static_cast<Type>(v >> 24)}; }
};

}  // namespace warpmem::emulate
