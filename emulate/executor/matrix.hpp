// Matrix products of a warp: which lane and register holds which element (mma.sync and wmma), and
// the product itself.
//
// Layouts are the PTX manual's for mma; for wmma, where the manual leaves them open, an H200's.
// Rounding is what an H200 does (tests/emulate/hardware holds it to that, bit for bit):
// - Floats: products are exact; those of one step and the accumulator are cut off, towards zero, 25
//   bits below the largest exponent (of a product: the sum of its factors'), added, and the sum cut
//   to a float. A step is 16 products of 16-bit factors and 8 of tf32. 8-bit floats become halves
//   and take two steps that start from zero; the accumulator is added at the end, rounded as usual.
// - Double: fma after fma in order of k.
// - Sparse (mma.sp): as the dense product of the half of A that is there; not held against
// hardware.
#pragma once

#include <cstdint>

#include "emulate/executor/types.hpp"

namespace warpmem::emulate {

enum class Fragment : std::uint32_t { kA, kB, kC };

struct MatrixProduct {
  std::uint32_t m = 16, n = 8, k = 16;
  Type a = Type::kF16, b = Type::kF16;
  Type accumulator = Type::kF32;  // C and D
  Type result = Type::kF32;       // D, where wmma lets it differ
  bool saturates = false;         // integers
  bool ands = false;              // one bit: and instead of xor
  bool sparse = false;            // of each four elements of A along k two are there (k counts all)
  std::uint32_t selector = 0;     // sparse: which lanes of four hold the metadata

  std::uint32_t k_of(Fragment f) const { return sparse && f == Fragment::kA ? k / 2 : k; }

  std::uint32_t bits(Fragment f) const;  // of an element
  std::uint32_t per(Fragment f) const {  // elements a register
    const std::uint32_t b_ = bits(f);
    return b_ >= 32 ? 1 : 32 / b_;
  }
  std::uint32_t registers(Fragment f) const;  // a lane
  std::uint32_t register_bytes(Fragment f) const { return bits(f) == 64 ? 8 : 4; }
};

struct Element {
  std::uint32_t row, column;
};
// Where element `e` of register `r` of lane `lane` lies in A (m x k), B (k x n) or C (m x n). Of a
// sparse A: among those that are there (m x k / 2).
Element element_of(const MatrixProduct& p, Fragment f, std::uint32_t lane, std::uint32_t r,
                   std::uint32_t e);

// Column of A that element `kept` (0 to k / 2 - 1) of a row of a sparse A stands for. `metadata`: a
// register of 32 lanes.
std::uint32_t sparse_column(const MatrixProduct& p, const std::uint32_t* metadata,
                            std::uint32_t row, std::uint32_t kept);

// The whole warp's product; registers are rows of 32 lanes of register_bytes. `metadata`: of a
// sparse one.
void multiply(const MatrixProduct& p, const std::uint8_t* const* a, const std::uint8_t* const* b,
              const std::uint8_t* const* c, std::uint8_t* const* d,
              const std::uint32_t* metadata = nullptr);

}  // namespace warpmem::emulate
