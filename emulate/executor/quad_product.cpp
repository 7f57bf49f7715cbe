#include "emulate/executor/quad_product.hpp"

#include "emulate/executor/half.hpp"

namespace warpmem::emulate {
namespace {

double half_in(const std::uint32_t* const* registers, std::uint32_t lane, std::uint32_t i) {
  return half_value(static_cast<std::uint16_t>(registers[i / 2][lane] >> i % 2 * 16));
}

// Row and column of element i of a lane's C or D.
void place_of(Type t, std::uint32_t lane, std::uint32_t i, std::uint32_t& row,
              std::uint32_t& column) {
  const std::uint32_t low = lane < 16 ? 0 : 4;
  if (t == Type::kF16) row = low + lane % 4, column = i;
  else row = low + (lane & 1) + (i & 2), column = (i & 4) + (lane & 2) + (i & 1);
}

}  // namespace

void multiply_quads(const QuadProduct& p, const std::uint32_t* const* a,
                    const std::uint32_t* const* b, const std::uint32_t* const* c,
                    std::uint32_t* const* d) {
  double x[4][8][4], y[4][4][8], z[4][8][8];  // of each product: rows by columns
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t quad = lane % 16 / 4, one = lane % 4, low = lane < 16 ? 0 : 4;
    for (std::uint32_t i = 0; i < 4; ++i) {
      (p.a_columns ? x[quad][low + i][one] : x[quad][low + one][i]) = half_in(a, lane, i);
      (p.b_rows ? y[quad][one][low + i] : y[quad][i][low + one]) = half_in(b, lane, i);
    }
    for (std::uint32_t i = 0; i < 8; ++i) {
      std::uint32_t row, column;
      place_of(p.accumulator, lane, i, row, column);
      z[quad][row][column] = p.accumulator == Type::kF16
                                 ? half_in(c, lane, i)
                                 : static_cast<double>(bits_as<float>(c[i][lane]));
    }
  }
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint32_t quad = lane % 16 / 4;
      std::uint32_t row, column;
      place_of(p.result, lane, i, row, column);
      double sum = z[quad][row][column];
      for (std::uint32_t k = 0; k < 4; ++k) sum += x[quad][row][k] * y[quad][k][column];
      const auto f = static_cast<float>(sum);
      if (p.result == Type::kF32) {
        d[i][lane] = bits_as<std::uint32_t>(f);
      } else {
        std::uint32_t& out = d[i / 2][lane];
        const std::uint32_t at = i % 2 * 16;
        out = (out & ~(0xffffu << at)) | static_cast<std::uint32_t>(half_of(f)) << at;
      }
    }
}

}  // namespace warpmem::emulate
