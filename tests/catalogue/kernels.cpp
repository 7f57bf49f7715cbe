#include "tests/catalogue/kernels.hpp"

#include <functional>

namespace warpmem::catalogue {
namespace {

using At = std::optional<std::uint64_t>;
using Index = std::function<At(const Thread&)>;  // of a word

constexpr auto kNobody = std::nullopt;

// Sizes by name; the grid: gx, gy, bx, by; a matrix's side: n.
struct Spec {
  const Sizes& sizes;
  std::uint64_t operator[](const std::string& name) const {
    const auto found = sizes.find(name);
    return found == sizes.end() ? 0 : found->second;
  }
};

Access words(What what, unsigned which, Index index) {
  const std::uint64_t base =
      what == What::kSharedLoad4 || what == What::kSharedStore4 || what == What::kSharedLoad16
          ? 0
          : array(which);
  return {what, [=](const Thread& t) -> At {
            const At i = index(t);
            return i ? At(base + 4 * *i) : kNobody;
          }};
}
Access load(unsigned which, Index index) { return words(What::kLoad4, which, std::move(index)); }
Access store(unsigned which, Index index) { return words(What::kStore4, which, std::move(index)); }
Access shared_load(Index index) { return words(What::kSharedLoad4, 0, std::move(index)); }
Access shared_store(Index index) { return words(What::kSharedStore4, 0, std::move(index)); }

std::vector<Access> join(std::vector<Access> a, const std::vector<Access>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

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
  const std::uint64_t n = s["n"], by = s["by"], width = 32 + s["pad"];
  std::vector<Access> out;
  for (std::uint64_t j = 0; j < 32; j += by) {
    out.push_back(load(
        0, [=](const Thread& t) -> At { return (t.cy * 32 + t.ty + j) * n + t.cx * 32 + t.tx; }));
    out.push_back(shared_store([=](const Thread& t) -> At {
      return columns ? t.tx * width + t.ty + j : (t.ty + j) * width + t.tx;
    }));
  }
  for (std::uint64_t j = 0; j < 32; j += by) {
    out.push_back(shared_load([=](const Thread& t) -> At {
      return columns ? (t.ty + j) * width + t.tx : t.tx * width + t.ty + j;
    }));
    out.push_back(store(
        1, [=](const Thread& t) -> At { return (t.cx * 32 + t.ty + j) * n + t.cy * 32 + t.tx; }));
  }
  return out;
}

// Rows and columns of A and B for one element of C each.
std::vector<Access> matmul_naive(const Spec& s) {
  const Matrix m = matrix(s);
  std::vector<Access> out;
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

// --- Shared memory of one CTA: tile[32][32] or [16][32] stored and read by rows or columns.

std::vector<Access> smem(const Spec& s, bool store_rows, bool load_rows) {
  const std::uint64_t width = 32 + s["pad"];
  const bool rect = s["by"] == 16;
  const Index row = [=](const Thread& t) -> At { return t.t / 32 * width + t.t % 32; };
  const Index column = [=](const Thread& t) -> At {
    return rect ? t.t % 16 * width + t.t / 16 : t.t % 32 * width + t.t / 32;
  };
  return {shared_store(store_rows ? row : column), shared_load(load_rows ? row : column),
          store(1, [](const Thread& t) -> At { return t.t; })};
}

std::vector<Access> smem_stride(const Spec& s) {
  const std::uint64_t stride = s["stride"];
  const Index word = [=](const Thread& t) -> At { return t.t % 32 * stride % 1024; };
  return {shared_store(word), shared_load(word)};
}

// --- Sums in place of blocks of B words.

struct Sum {
  std::uint64_t b, unroll;
  std::uint64_t first(const Thread& t) const { return t.cx * b * unroll; }
};

// d[t] += d[t + s] of those threads.
std::vector<Access> adds(const Sum& sum, std::uint64_t by, std::function<bool(std::uint64_t)> who,
                         std::function<std::uint64_t(std::uint64_t)> index) {
  const Index own = [=](const Thread& t) -> At {
    return who(t.t) ? At(sum.first(t) + index(t.t)) : kNobody;
  };
  const Index other = [=](const Thread& t) -> At {
    return who(t.t) ? At(sum.first(t) + index(t.t) + by) : kNobody;
  };
  return {load(0, own), load(0, other), store(0, own)};
}

std::uint64_t same(std::uint64_t t) { return t; }

// Thread 0 takes the sum away.
std::vector<Access> takes_sum(const Sum& sum) {
  return {load(0, [=](const Thread& t) -> At { return t.t == 0 ? At(sum.first(t)) : kNobody; }),
          store(1, [](const Thread& t) -> At { return t.t == 0 ? At(t.cx) : kNobody; })};
}

// First, d[t] += the same word of the next blocks.
std::vector<Access> first_adds(const Sum& sum) {
  std::vector<Access> out;
  const auto of_block = [=](std::uint64_t u) -> Index {
    return [=](const Thread& t) -> At { return sum.first(t) + u * sum.b + t.t; };
  };
  if (sum.unroll == 1) return out;
  for (std::uint64_t u = 0; u < sum.unroll; ++u) out.push_back(load(0, of_block(u)));
  out.push_back(store(0, of_block(0)));
  return out;
}

// Halves until one is left; from `warp_from` on one warp does all of it, with 32 lanes.
std::vector<Access> halves(const Sum& sum, std::uint64_t from, std::uint64_t warp_from) {
  std::vector<Access> out;
  for (std::uint64_t s = from; s > 0; s /= 2) {
    const std::uint64_t threads = s <= warp_from ? 32 : s;
    out = join(std::move(out), adds(
                                   sum, s, [=](std::uint64_t t) { return t < threads; }, same));
  }
  return out;
}

std::vector<Access> reduce_neighbored(const Spec& s, bool less) {
  const Sum sum{s["bx"], 1};
  std::vector<Access> out;
  for (std::uint64_t by = 1; by < sum.b; by *= 2) {
    const auto who = [=](std::uint64_t t) { return less ? 2 * by * t < sum.b : t % (2 * by) == 0; };
    const auto index = [=](std::uint64_t t) { return less ? 2 * by * t : t; };
    out = join(std::move(out), adds(sum, by, who, index));
  }
  return join(std::move(out), takes_sum(sum));
}

// `warp`: the last six rounds by one warp, without barriers.
std::vector<Access> reduce_halves(const Spec& s, bool warp) {
  const Sum sum{s["bx"], s["unroll"] ? s["unroll"] : 1};
  return join(join(first_adds(sum), halves(sum, sum.b / 2, warp ? 32 : 0)), takes_sum(sum));
}

// In shared memory: the global side alone is what is counted.
std::vector<Access> reduce_smem(const Spec& s) {
  const Sum sum{s["bx"], s["unroll"] ? s["unroll"] : 1};
  std::vector<Access> out;
  for (std::uint64_t u = 0; u < sum.unroll; ++u)
    out.push_back(load(0, [=](const Thread& t) -> At { return sum.first(t) + u * sum.b + t.t; }));
  out.push_back(store(1, [](const Thread& t) -> At { return t.t == 0 ? At(t.cx) : kNobody; }));
  return out;
}

// 1,024 words a block of 256: a float4 each, four words far apart, or the four words of a float4.
std::vector<Access> block_sum(const std::string& how) {
  std::vector<Access> out;
  if (how == "float4") {
    out.push_back({What::kLoad16,
                   [](const Thread& t) -> At { return array(0) + (t.cx * 1024 + t.t * 4) * 4; }});
  } else {
    for (std::uint64_t k = 0; k < 4; ++k)
      out.push_back(load(0, [=](const Thread& t) -> At {
        return t.cx * 1024 + (how == "scalar" ? k * 256 + t.t : t.t * 4 + k);
      }));
  }
  out.push_back(store(1, [](const Thread& t) -> At { return t.t == 0 ? At(t.cx) : kNobody; }));
  return out;
}

// Two words of each structure read and written, side by side in it or in arrays of their own.
std::vector<Access> two_fields(bool structures) {
  std::vector<Access> out;
  for (const bool stores : {false, true})
    for (std::uint64_t field = 0; field < 2; ++field) {
      const unsigned which =
          (stores ? 1u : 0u) + (structures ? 0u : 2u * static_cast<unsigned>(field));
      const Index word = [=](const Thread& t) -> At {
        const std::uint64_t i = t.cx * 128 + t.t;
        return structures ? 2 * i + field : i;
      };
      out.push_back(stores ? store(which, word) : load(which, word));
    }
  return out;
}

using Make = std::vector<Access> (*)(const Spec&);

const std::map<std::string, Make>& table() {
  static const std::map<std::string, Make> kKernels{
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
      {"smem_row_row", [](const Spec& s) { return smem(s, true, true); }},
      {"smem_row_col", [](const Spec& s) { return smem(s, true, false); }},
      {"smem_col_col", [](const Spec& s) { return smem(s, false, false); }},
      {"smem_stride", smem_stride},
      {"smem_tile32_column", [](const Spec& s) { return smem(s, false, false); }},
      {"smem_load_fp32x4",
       [](const Spec&) -> std::vector<Access> {
         return {{What::kSharedLoad16, [](const Thread& t) -> At { return 16 * t.t; }}};
       }},
      {"reduce_neighbored", [](const Spec& s) { return reduce_neighbored(s, false); }},
      {"reduce_neighbored_less", [](const Spec& s) { return reduce_neighbored(s, true); }},
      {"reduce_interleaved", [](const Spec& s) { return reduce_halves(s, false); }},
      {"reduce_unroll", [](const Spec& s) { return reduce_halves(s, false); }},
      {"reduce_unroll_warps", [](const Spec& s) { return reduce_halves(s, true); }},
      {"reduce_gmem", [](const Spec& s) { return reduce_halves(s, true); }},
      {"reduce_smem", reduce_smem},
      {"block_sum_float4", [](const Spec&) { return block_sum("float4"); }},
      {"block_sum_scalar", [](const Spec&) { return block_sum("scalar"); }},
      {"block_sum_four_scalars_of_a_float4", [](const Spec&) { return block_sum("of a float4"); }},
      {"aos_2x4", [](const Spec&) { return two_fields(true); }},
      {"soa_2x4", [](const Spec&) { return two_fields(false); }},
      {"axpy_one_thread",
       [](const Spec&) -> std::vector<Access> {
         std::vector<Access> out;
         for (std::uint64_t i = 0; i < 64; ++i) {
           const Index word = [=](const Thread& t) -> At { return t.t == 0 ? At(i) : kNobody; };
           out = join(std::move(out), {load(0, word), load(1, word), store(1, word)});
         }
         return out;
       }},
  };
  return kKernels;
}

}  // namespace

Result<Kernel> make_kernel(const std::string& name, const Sizes& sizes) {
  const auto found = table().find(name);
  if (found == table().end())
    return Error{ErrorKind::kUsage, "there is no kernel '" + name + "'", "", "see kernels.cpp"};
  const Spec s{sizes};
  Kernel out;
  const auto one = [](std::uint64_t v) { return static_cast<std::uint32_t>(v ? v : 1); };
  out.grid = {one(s["gx"]), one(s["gy"]), one(s["bx"]), one(s["by"])};
  out.accesses = found->second(s);
  return out;
}

}  // namespace warpmem::catalogue
