// Single accesses as guides and textbooks draw them: what the lanes of one warp access.
#include "tests/catalogue/accesses.hpp"

namespace warpmem::catalogue {
namespace {

// Bytes that a lane is at. `order`: 0 lane by lane, 1 neighbours swapped, 2 backwards. `lanes`: how
// many of them take part, all if 0; `hole`: 1 + one that does not. `groups` of lanes share a place.
Address place(const Spec& s) {
  const std::uint64_t start = s["start"], step = s["step"], order = s["order"];
  const std::uint64_t lanes = s["lanes"] ? s["lanes"] : 32, hole = s["hole"];
  const std::uint64_t shared = s["shared_by"] ? s["shared_by"] : 1, base = s["base"];
  return [=](const Thread& t) -> At {
    if (t.t >= lanes || t.t + 1 == hole) return kNobody;
    const std::uint64_t k = order == 1 ? t.t ^ 1 : order == 2 ? lanes - 1 - t.t : t.t;
    return base + start + step * (k / shared);
  };
}

// The columns of a tile of so many elements a row, one a lane.
std::vector<Access> lanes_of(What what, const Spec& s) {
  Sizes sizes = s.sizes;
  if (of_array(what)) sizes["base"] = array(0);
  return {{what, place(Spec{sizes})}};
}

// Each thread loads `unroll` elements of a block's worth apart, and adds them up: as many
// transactions, more of them under way at once.
std::vector<Access> unrolled(const Spec& s) {
  const std::uint64_t unroll = s["unroll"] ? s["unroll"] : 1, b = s["bx"];
  std::vector<Access> out;
  for (std::uint64_t u = 0; u < unroll; ++u)
    out.push_back(
        load(0, [=](const Thread& t) -> At { return (t.cx * unroll + u) * b + t.t; }));
  for (std::uint64_t u = 0; u < unroll; ++u)
    out.push_back(
        store(1, [=](const Thread& t) -> At { return (t.cx * unroll + u) * b + t.t; }));
  return out;
}

// Doubles, a warp a row: read by rows, stored by columns, or both by rows through a tile.
std::vector<Access> transpose_double(const Spec& s, bool tile) {
  const std::uint64_t n = s["n"];
  const Index row = [=](const Thread& t) -> At { return (t.cy * 32 + t.ty) * n + t.cx * 32 + t.tx; };
  const Index column = [=](const Thread& t) -> At {
    return (t.cx * 32 + t.tx) * n + t.cy * 32 + t.ty;
  };
  const Index turned = [=](const Thread& t) -> At {
    return (t.cx * 32 + t.ty) * n + t.cy * 32 + t.tx;
  };
  return {elements(What::kLoad8, 0, 8, row), elements(What::kStore8, 1, 8, tile ? turned : column)};
}

// One warp, so many steps of a word a lane: in[step * 32 + lane + offset].
std::vector<Access> one_warp(const Spec& s) {
  const std::uint64_t offset = s["offset"];
  std::vector<Access> out;
  for (std::uint64_t step = 0; step < s["steps"]; ++step) {
    const Index word = [=](const Thread& t) -> At { return 32 * step + t.t + offset; };
    out = join(std::move(out), {load(0, word), store(1, word)});
  }
  return out;
}

// C = A A^T of n x 32 words, a thread an element: a row of A and a row as a column, k by k.
std::vector<Access> aat(const Spec& s) {
  std::vector<Access> out;
  for (std::uint64_t k = 0; k < 32; ++k) {
    out.push_back(load(0, [=](const Thread& t) -> At { return (t.cy * 32 + t.ty) * 32 + k; }));
    out.push_back(load(0, [=](const Thread& t) -> At { return (t.cx * 32 + t.tx) * 32 + k; }));
  }
  const std::uint64_t n = s["n"];
  out.push_back(store(1, [=](const Thread& t) -> At {
    return (t.cy * 32 + t.ty) * n + t.cx * 32 + t.tx;
  }));
  return out;
}

// The same through shared memory: both tiles by rows, the second turned as it is stored.
std::vector<Access> aat_shared(const Spec& s) {
  const std::uint64_t n = s["n"], width = 32 + s["pad"];
  std::vector<Access> out{
      load(0, [](const Thread& t) -> At { return (t.cy * 32 + t.ty) * 32 + t.tx; }),
      shared_store([](const Thread& t) -> At { return t.ty * 32 + t.tx; }),
      load(0, [](const Thread& t) -> At { return (t.cx * 32 + t.ty) * 32 + t.tx; }),
      shared_store([=](const Thread& t) -> At { return 1024 + t.tx * width + t.ty; })};
  for (std::uint64_t k = 0; k < 32; ++k) {
    out.push_back(shared_load([=](const Thread& t) -> At { return t.ty * 32 + k; }));
    out.push_back(shared_load([=](const Thread& t) -> At { return 1024 + k * width + t.tx; }));
  }
  out.push_back(store(1, [=](const Thread& t) -> At {
    return (t.cy * 32 + t.ty) * n + t.cx * 32 + t.tx;
  }));
  return out;
}

// One warp fetches so many bytes of linear memory by its texture unit, twice.
std::vector<Access> texture_twice(const Spec& s) {
  std::vector<Access> out;
  for (int pass = 0; pass < 2; ++pass)
    for (std::uint64_t at = 0; at < s["bytes"]; at += 128)
      out.push_back({What::kTexture4,
                     [=](const Thread& t) -> At { return array(0) + at + 4 * t.t; }});
  return out;
}

// The guide's sliding window: a word of `kept` MiB doubled, over and over, and one of a stream.
std::vector<Access> sliding_window(const Spec& s) {
  const std::uint64_t kept = s["kept"] << 18, b = s["bx"];
  const Index again = [=](const Thread& t) -> At { return (t.cx * b + t.t) % kept; };
  const Index once = [=](const Thread& t) -> At { return t.cx * b + t.t; };
  return {load(0, again), store(0, again), load(1, once), store(1, once)};
}

}  // namespace

const Makers& case_kernels() {
  static const Makers kKernels{
      {"load4", [](const Spec& s) { return lanes_of(What::kLoad4, s); }},
      {"load8", [](const Spec& s) { return lanes_of(What::kLoad8, s); }},
      {"load16", [](const Spec& s) { return lanes_of(What::kLoad16, s); }},
      {"store4", [](const Spec& s) { return lanes_of(What::kStore4, s); }},
      {"store8", [](const Spec& s) { return lanes_of(What::kStore8, s); }},
      {"store16", [](const Spec& s) { return lanes_of(What::kStore16, s); }},
      {"shared_load4", [](const Spec& s) { return lanes_of(What::kSharedLoad4, s); }},
      {"shared_store4", [](const Spec& s) { return lanes_of(What::kSharedStore4, s); }},
      {"shared_load8", [](const Spec& s) { return lanes_of(What::kSharedLoad8, s); }},
      {"shared_load16", [](const Spec& s) { return lanes_of(What::kSharedLoad16, s); }},
      {"constant4", [](const Spec& s) { return lanes_of(What::kConstant4, s); }},
      {"unrolled_copy", unrolled},
      {"transpose_naive_double", [](const Spec& s) { return transpose_double(s, false); }},
      {"transpose_tile32_double", [](const Spec& s) { return transpose_double(s, true); }},
      {"one_warp", one_warp},
      {"texture_twice", texture_twice},
      {"sliding_window", sliding_window},
      {"aat", aat},
      {"aat_shared", aat_shared},
  };
  return kKernels;
}

}  // namespace warpmem::catalogue
