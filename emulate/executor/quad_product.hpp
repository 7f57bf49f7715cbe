// mma.m8n8k4 of halves, as Volta has it: a warp makes four products, each by eight lanes, four of
// the lower half of the warp and the same four of the upper one. Layouts are the PTX manual's.
// Later GPUs have it for old programs' sake; how they round was not measured: here each result is
// rounded once.
#pragma once

#include <cstdint>

#include "emulate/executor/types.hpp"

namespace warpmem::emulate {

struct QuadProduct {
  bool a_columns = false, b_rows = false;              // A by columns, B by rows
  Type accumulator = Type::kF32, result = Type::kF32;  // halves or floats
  // Registers of 32 bits a lane: two of A and two of B; of C and D:
  static constexpr std::uint32_t registers(Type t) { return t == Type::kF16 ? 4 : 8; }
};

// Each register is a row of 32 lanes. D may be C.
void multiply_quads(const QuadProduct& p, const std::uint32_t* const* a,
                    const std::uint32_t* const* b, const std::uint32_t* const* c,
                    std::uint32_t* const* d);

}  // namespace warpmem::emulate
