// Kernels of the catalogue whose CTAs each work on a block: shared memory, sums, structures.
#include "tests/catalogue/accesses.hpp"

namespace warpmem::catalogue {
namespace {

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

// The largest, or the sum, of a block of 256 in shared memory: s[t] = s[t] + s[t + h], h = 128, …, 1.
// `same`: words that all threads load before.
std::vector<Access> softmax(std::uint64_t same, bool reduces) {
  const Index own = [](const Thread& t) -> At { return t.cx * 256 + t.t; };
  std::vector<Access> out{load(0, own)};
  for (std::uint64_t k = 0; k < same; ++k)
    out.push_back(load(static_cast<unsigned>(1 + k), [](const Thread&) -> At { return 0; }));
  const Index word = [](const Thread& t) -> At { return t.t; };
  if (!reduces) return join(out, {shared_store(word), shared_load(word), store(3, own)});
  out.push_back(shared_store(word));
  for (std::uint64_t h = 128; h > 0; h /= 2) {
    const Index mine = [=](const Thread& t) { return t.t < h ? At(t.t) : kNobody; };
    const Index other = [=](const Thread& t) { return t.t < h ? At(t.t + h) : kNobody; };
    out = join(std::move(out), {shared_load(mine), shared_load(other), shared_store(mine)});
  }
  const Index result = [](const Thread& t) { return t.t == 0 ? At(0) : kNobody; };
  return join(std::move(out),
              {shared_load(result),
               store(3, [](const Thread& t) { return t.t == 0 ? At(t.cx) : kNobody; })});
}

// One CTA over the 32 words that the blocks left.
std::vector<Access> softmax_last() {
  std::vector<Access> out = softmax(0, true);
  out[0] = load(0, [](const Thread& t) { return t.t < 32 ? At(t.t) : kNobody; });
  return out;
}

}  // namespace

const Makers& block_kernels() {
  static const Makers kKernels{
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
      {"softmax_block_max", [](const Spec&) { return softmax(0, true); }},
      {"softmax_last_max", [](const Spec&) { return softmax_last(); }},
      {"softmax_block_sum", [](const Spec&) { return softmax(1, true); }},
      {"softmax_scale", [](const Spec&) { return softmax(2, false); }},
  };
  return kKernels;
}

}  // namespace warpmem::catalogue
