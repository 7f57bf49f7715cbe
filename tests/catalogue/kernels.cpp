#include "tests/catalogue/accesses.hpp"

namespace warpmem::catalogue {
namespace {

// --- Vectors and offsets: C[i] = A[i+k] + B[i+k], or C[i+k] = A[i] + B[i], where i + k < n.

std::vector<Access> offsets(const Spec& s, bool reads) {
  const std::uint64_t n = s["n"], k = s["offset"], b = s["bx"];
  const std::uint64_t unroll = s["unroll"] ? s["unroll"] : 1;
  std::vector<Access> out;
  for (std::uint64_t u = 0; u < unroll; ++u) {
    const auto i = [=](const Thread& t) { return t.cx * b * unroll + u * b + t.t; };
    const Index there = [=](const Thread& t) -> At {
      return i(t) + k < n ? At(i(t) + k) : kNobody;
    };
    const Index here = [=](const Thread& t) -> At { return i(t) + k < n ? At(i(t)) : kNobody; };
    out.push_back(load(0, reads ? there : here));
    out.push_back(load(1, reads ? there : here));
    out.push_back(store(2, reads ? here : there));
  }
  return out;
}

// --- Matrices of n x n words; x and y of a thread in the grid.

struct Matrix {
  std::uint64_t n, bx, by;
  std::uint64_t x(const Thread& t) const { return t.cx * bx + t.tx; }
  std::uint64_t y(const Thread& t) const { return t.cy * by + t.ty; }
  Index row() const {
    return [m = *this](const Thread& t) -> At { return m.y(t) * m.n + m.x(t); };
  }
  Index column() const {
    return [m = *this](const Thread& t) -> At { return m.x(t) * m.n + m.y(t); };
  }
};
Matrix matrix(const Spec& s) { return {s["n"], s["bx"], s["by"]}; }

std::vector<Access> moves(const Spec& s, bool read_rows, bool write_rows) {
  const Matrix m = matrix(s);
  return {load(0, read_rows ? m.row() : m.column()), store(1, write_rows ? m.row() : m.column())};
}

// Four blocks' worth a thread, side by side.
std::vector<Access> unroll4(const Spec& s, bool read_rows) {
  const Matrix m = matrix(s);
  std::vector<Access> out;
  for (std::uint64_t u = 0; u < 4; ++u) {
    const auto x = [=](const Thread& t) { return (4 * t.cx + u) * m.bx + t.tx; };
    const Index row = [=](const Thread& t) -> At { return m.y(t) * m.n + x(t); };
    const Index column = [=](const Thread& t) -> At { return x(t) * m.n + m.y(t); };
    out.push_back(load(0, read_rows ? row : column));
    out.push_back(store(1, read_rows ? column : row));
  }
  return out;
}

// Blocks along diagonals: which of them a CTA works on.
std::vector<Access> diagonal(const Spec& s, bool read_rows) {
  const Matrix m = matrix(s);
  const std::uint64_t across = s["gx"];
  const auto moved = [=](const Thread& t) {
    Thread at = t;
    at.cy = t.cx;
    at.cx = (t.cx + t.cy) % across;
    return at;
  };
  const Index row = [=](const Thread& t) { return m.row()(moved(t)); };
  const Index column = [=](const Thread& t) { return m.column()(moved(t)); };
  return {load(0, read_rows ? row : column), store(1, read_rows ? column : row)};
}

// Through a tile of BX x BY words, rows of BX + pad.
std::vector<Access> transpose_smem_rect(const Spec& s) {
  const Matrix m = matrix(s);
  const std::uint64_t width = m.bx + s["pad"];
  return {load(0, m.row()),
          shared_store([=](const Thread& t) -> At { return t.ty * width + t.tx; }),
          shared_load([=](const Thread& t) -> At { return t.t % m.by * width + t.t / m.by; }),
          store(1, [=](const Thread& t) -> At {
            return (t.cx * m.bx + t.t / m.by) * m.n + t.cy * m.by + t.t % m.by;
          })};
}

// Tile 32 x 32 in blocks of 32 x by; rows of 32 + pad words. `columns`: written by columns.
std::vector<Access> transpose_tile32(const Spec& s, bool columns) {
  const std::uint64_t n = s["n"], by = s["by"], width = 32 + s["pad"], across = s["gx"];
  // Along diagonals, or as the grid goes.
  const bool along = s["diagonal"] != 0;
  const auto cx = [=](const Thread& t) { return along ? (t.cx + t.cy) % across : t.cx; };
  const auto cy = [=](const Thread& t) { return along ? t.cx : t.cy; };
  std::vector<Access> out;
  for (std::uint64_t j = 0; j < 32; j += by) {
    out.push_back(load(
        0, [=](const Thread& t) -> At { return (cy(t) * 32 + t.ty + j) * n + cx(t) * 32 + t.tx; }));
    out.push_back(shared_store([=](const Thread& t) -> At {
      return columns ? t.tx * width + t.ty + j : (t.ty + j) * width + t.tx;
    }));
  }
  for (std::uint64_t j = 0; j < 32; j += by) {
    out.push_back(shared_load([=](const Thread& t) -> At {
      return columns ? (t.ty + j) * width + t.tx : t.tx * width + t.ty + j;
    }));
    out.push_back(store(
        1, [=](const Thread& t) -> At { return (cx(t) * 32 + t.ty + j) * n + cy(t) * 32 + t.tx; }));
  }
  return out;
}

// Rows and columns of A and B for one element of C each.
std::vector<Access> matmul_naive(const Spec& s) {
  const Matrix m = matrix(s);
  std::vector<Access> out;
  // One that adds to what C has.
  if (s["from_c"]) out.push_back(load(2, m.row()));
  for (std::uint64_t k = 0; k < s["k"]; ++k) {
    out.push_back(load(0, [=](const Thread& t) -> At { return m.y(t) * m.n + k; }));
    out.push_back(load(1, [=](const Thread& t) -> At { return k * m.n + m.x(t); }));
  }
  out.push_back(store(2, m.row()));
  return out;
}

// Thread r adds A[r][k] over k.
std::vector<Access> row_sums(const Spec& s) {
  const std::uint64_t n = s["n"], b = s["bx"];
  std::vector<Access> out;
  for (std::uint64_t k = 0; k < n; ++k)
    out.push_back(load(0, [=](const Thread& t) -> At { return (t.cx * b + t.t) * n + k; }));
  out.push_back(store(1, [=](const Thread& t) -> At { return t.cx * b + t.t; }));
  return out;
}

// The global side of a product of 32 x 32 tiles.
std::vector<Access> matmul_tiled32(const Spec& s) {
  const Matrix m = matrix(s);
  std::vector<Access> out;
  for (std::uint64_t k = 0; k < s["k"]; k += 32) {
    out.push_back(load(0, [=](const Thread& t) -> At { return m.y(t) * m.n + k + t.tx; }));
    out.push_back(load(1, [=](const Thread& t) -> At { return (k + t.ty) * m.n + m.x(t); }));
  }
  out.push_back(store(2, m.row()));
  return out;
}

// C = A + B over one-dimensional or transposed indices.
std::vector<Access> sum_matrix(const Spec& s, bool columns) {
  const Matrix m = matrix(s);
  const Index i = columns ? m.column() : m.row();
  return {load(0, i), load(1, i), store(2, i)};
}

}  // namespace

const Makers& plain_kernels() {
  static const Makers kKernels{
      {"read_offset", [](const Spec& s) { return offsets(s, true); }},
      {"write_offset", [](const Spec& s) { return offsets(s, false); }},
      {"vector_add", [](const Spec& s) { return offsets(s, true); }},
      {"copy_row", [](const Spec& s) { return moves(s, true, true); }},
      {"copy_col", [](const Spec& s) { return moves(s, false, false); }},
      {"copy_2d", [](const Spec& s) { return moves(s, true, true); }},
      {"copy_1d",
       [](const Spec&) -> std::vector<Access> {
         const Index i = [](const Thread& t) -> At { return t.cx * 256 + t.t; };
         return {load(0, i), store(1, i)};
       }},
      {"transpose_naive_row", [](const Spec& s) { return moves(s, true, false); }},
      {"transpose_naive_col", [](const Spec& s) { return moves(s, false, true); }},
      {"transpose_unroll4_row", [](const Spec& s) { return unroll4(s, true); }},
      {"transpose_unroll4_col", [](const Spec& s) { return unroll4(s, false); }},
      {"transpose_diagonal_row", [](const Spec& s) { return diagonal(s, true); }},
      {"transpose_diagonal_col", [](const Spec& s) { return diagonal(s, false); }},
      {"transpose_smem_rect", transpose_smem_rect},
      {"transpose_tile32", [](const Spec& s) { return transpose_tile32(s, false); }},
      {"transpose_tile32_col_store", [](const Spec& s) { return transpose_tile32(s, true); }},
      {"matmul_naive", matmul_naive},
      {"row_sums", row_sums},
      {"matmul_tiled32", matmul_tiled32},
      {"matrix_add_row", [](const Spec& s) { return sum_matrix(s, false); }},
      {"matrix_add_column", [](const Spec& s) { return sum_matrix(s, true); }},
      {"sum_matrix_2d", [](const Spec& s) { return sum_matrix(s, false); }},
      {"sum_matrix_2d_column", [](const Spec& s) { return sum_matrix(s, true); }},
  };
  return kKernels;
}

}  // namespace warpmem::catalogue
