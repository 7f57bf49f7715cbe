// What programs meet less often: stacks that grow, grid-wide barriers, tensor maps, wmma.
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "emulate/executor/half.hpp"
#include "emulate/executor/tensor_map.hpp"
#include "tests/emulate/support.hpp"
#include "traces/format/reader.hpp"

using namespace warpmem;
using namespace warpmem::emulate;
using namespace warpmem::emulate::test;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

void must_run(Machine& m, Dim3 grid, Dim3 block) {
  const auto ok = m.launch("k", grid, block);
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
}

// Runs kernel k, and says what its trace has of bulk copies: 'r' and 'w' for a piece that is read
// or written, '+' for one that is added, '|' before the first one of each copy. What tensor maps'
// copies read of shared memory leaves none.
std::string traced_copies(Machine& m, Dim3 grid, Dim3 block) {
  std::string name = (std::filesystem::temp_directory_path() / "warpmem-tiles-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  REQUIRE(file >= 0);
  ::close(file);
  const auto ran = m.launch("k", grid, block, 0, name);
  INFO((ran ? std::string() : ran.error().text()));
  REQUIRE(ran);
  auto reader = trace::TraceReader::open(name);
  std::filesystem::remove(name);
  REQUIRE(reader);
  std::string of_copies;
  for (const std::uint32_t b : reader->launches()[0].blocks) {
    const auto decoded = reader->decode(b);
    REQUIRE(decoded);
    for (const trace::Record& r : decoded->records) {
      const trace::Op op = reader->sites(0)[r.site].op;
      if (!trace::is_bulk(op)) continue;
      if (trace::piece_of(r) == trace::Piece::kFirst) of_copies += '|';
      else CHECK(trace::piece_of(r) == trace::Piece::kFurther);
      of_copies += op == trace::Op::kBulkRead ? 'r' : op == trace::Op::kBulkReduction ? '+' : 'w';
    }
  }
  return of_copies;
}

}  // namespace

TEST_CASE("alloca takes as much of the stack as each lane asks for") {
  Machine m(std::string(kHeader) + R"(
.func (.param .b32 r) sum(.param .b32 n) {
  .reg .pred %p; .reg.b32 %r<8>; .reg .b64 %x<8>;
  ld.param.u32 %r0, [n]; mul.wide.u32 %x0, %r0, 4; stacksave.u64 %x5; alloca.u64 %x1, %x0, 16;
  mov.u32 %r1, 0;
FILL: mul.wide.u32 %x2, %r1, 4; add.u64 %x3, %x1, %x2; st.local.u32 [%x3], %r1;
  add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, %r0; @%p bra FILL;
  mov.u32 %r1, 0; mov.u32 %r2, 0; cvta.local.u64 %x4, %x1;
ADD: mul.wide.u32 %x2, %r1, 4; add.u64 %x3, %x4, %x2; ld.u32 %r3, [%x3]; add.u32 %r2, %r2, %r3;
  add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, %r0; @%p bra ADD;
  stackrestore.u64 %x5; st.param.b32 [r], %r2; ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %x<4>; .param .b32 a; .param .b32 b; .local .align 4 .b8 own[8];
  mov.u32 %r0, %tid.x; add.u32 %r1, %r0, 1; st.local.u32 [own], 77; st.param.b32 [a], %r1;
  call (b), sum, (a); ld.param.b32 %r2, [b];
  ld.local.u32 %r3, [own]; add.u32 %r2, %r2, %r3;
  ld.param.u64 %x0, [out]; mul.wide.u32 %x1, %r0, 4; add.u64 %x0, %x0, %x1; st.global.u32 [%x0], %r2; ret;
})");
  const u64 out = m.buffer(std::vector<u32>(64));
  m.argument(out);
  must_run(m, {1, 1, 1}, {64, 1, 1});
  const auto d = m.read<u32>(out, 64);
  for (u32 i = 0; i < 64; ++i) CHECK(d[i] == i * (i + 1) / 2 + 77);
}

TEST_CASE("vector registers are named together and one by one, each block's its own") {
  Machine m(std::string(kHeader) + R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %x<4>; .reg .v4 .f32 %f, %g; .reg .v2 .b32 pair;
  mov.u32 %r0, %tid.x; cvt.rn.f32.u32 %f.x, %r0; add.f32 %f.y, %f.x, 1.0; mov.f32 %f.b, 3.0; mov.f32 %f.w, %f.r;
  ld.param.u64 %x0, [out]; mul.wide.u32 %x1, %r0, 16; add.u64 %x0, %x0, %x1; st.global.v4.f32 [%x0], %f;
  { .reg .v2 .f32 %f; mov.f32 %f.y, 9.0; }
  ld.global.v4.f32 %g, [%x0]; mov.b32 pair.x, %g.y; mov.b32 pair.y, %f.y; mov.b64 %x2, pair; st.global.u64 [%x0 + 8], %x2; ret;
})");
  const u64 out = m.buffer(std::vector<float>(128));
  m.argument(out);
  must_run(m, {1, 1, 1}, {32, 1, 1});
  const auto d = m.read<float>(out, 128);
  for (u32 i = 0; i < 32; ++i) {
    const auto first = static_cast<float>(i), second = first + 1;
    CHECK(d[i * 4] == first);
    CHECK(d[i * 4 + 1] == second);
    CHECK(d[i * 4 + 2] == second);
    CHECK(d[i * 4 + 3] == second);
  }
}

TEST_CASE("a cooperative grid finds its barrier, another launch has none") {
  // As cooperative groups do it: the workspace from two registers, an arrival counter behind 4
  // bytes.
  const std::string text = std::string(kHeader) + R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<12>; .reg .b64 %x<8>;
  mov.u32 %r0, %envreg2; mov.u32 %r1, %envreg1; cvt.u64.u32 %x0, %r0; cvt.u64.u32 %x1, %r1; bfi.b64 %x2, %x1, %x0, 32, 32;
  mov.u32 %r2, %ctaid.x; ld.param.u64 %x3, [out]; mul.wide.u32 %x4, %r2, 4; add.u64 %x4, %x3, %x4;
  setp.eq.u64 %p, %x2, 0; @%p bra NONE;
  st.global.u32 [%x4], %r2; fence.acq_rel.gpu; atom.add.global.u32 %r3, [%x2 + 4], 1;
WAIT: ld.acquire.gpu.global.u32 %r4, [%x2 + 4]; mov.u32 %r5, %nctaid.x; setp.lt.u32 %p, %r4, %r5; @%p bra WAIT;
  sub.u32 %r6, %r5, 1; sub.u32 %r6, %r6, %r2; mul.wide.u32 %x5, %r6, 4; add.u64 %x5, %x3, %x5; ld.global.u32 %r7, [%x5];
  add.u64 %x6, %x4, 256; st.global.u32 [%x6], %r7; ret;
NONE: st.global.u32 [%x4 + 256], 999; ret;
})";
  for (const bool cooperative : {true, false}) {
    Machine m(text);
    m.cooperative = cooperative;
    const u64 out = m.buffer(std::vector<u32>(128));
    m.argument(out);
    must_run(m, {64, 1, 1}, {1, 1, 1});
    const auto d = m.read<u32>(out, 128);
    for (u32 i = 0; i < 64; ++i) CHECK(d[64 + i] == (cooperative ? 63 - i : 999));
  }
}

TEST_CASE(
    "a multicast bulk copy fills the same place of every CTA named, and each mbarrier counts it") {
  Machine m(std::string(kHeader) + R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .pred %p; .reg .b32 %r<12>; .reg .b64 %x<8>; .reg .b16 %h; .shared .align 16 .b8 tile[256]; .shared .align 8 .b64 bar;
  mov.u32 %r0, bar; mov.u32 %r1, tile; mov.u32 %r2, %tid.x; mov.u32 %r3, %cluster_ctarank;
  setp.ne.u32 %p, %r2, 0; @%p bra READY;
  mbarrier.init.shared.b64 [%r0], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r0], 256;
READY: barrier.cluster.arrive; barrier.cluster.wait;
  or.b32 %r4, %r2, %r3; setp.ne.u32 %p, %r4, 0; @%p bra WAIT; // one thread of rank 0 copies
  ld.param.u64 %x0, [in]; mov.b16 %h, 0x3;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%x0], 256, [%r0], %h;
WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%r0], 0; @!%p bra WAIT;
  mad.lo.u32 %r5, %r2, 4, %r1; ld.shared.u32 %r6, [%r5];
  cvt.u64.u32 %x5, %r5; cvta.shared.u64 %x5, %x5; mapa.u64 %x6, %x5, 1; getctarank.u64 %r8, %x6; getctarank.u64 %r9, %x5;
  mad.lo.u32 %r6, %r8, 1000, %r6; mad.lo.u32 %r6, %r9, 10000, %r6;
  mov.u32 %r7, %ctaid.x; mad.lo.u32 %r7, %r7, 64, %r2; mul.wide.u32 %x1, %r7, 4; ld.param.u64 %x2, [out]; add.u64 %x2, %x2, %x1; st.global.u32 [%x2], %r6;
  ret;
})");
  m.cluster = {2, 1, 1};
  std::vector<u32> in(64);
  for (u32 i = 0; i < 64; ++i) in[i] = i * 3;
  const u64 a = m.buffer(in), out = m.buffer(std::vector<u32>(128));
  m.argument(a), m.argument(out);
  must_run(m, {2, 1, 1}, {64, 1, 1});
  const auto d = m.read<u32>(out, 128);
  for (u32 i = 0; i < 128; ++i) CHECK(d[i] == i % 64 * 3 + 1000 + 10000 * (i / 64));
}

TEST_CASE(
    "a tensor map brings a tile in, turned by its swizzle, with zeros outside, and takes it out") {
  for (const std::uint8_t swizzle : {TensorMap::kNone, TensorMap::k128}) {
    Machine m(std::string(kHeader) + R"(
.visible .entry k(.param .align 64 .b8 map[128], .param .align 64 .b8 back[128], .param .u64 out) {
  .reg .pred %p; .reg .b32 %r<12>; .reg .b64 %x<8>; .shared .align 1024 .b8 tile[2048]; .shared .align 8 .b64 bar;
  mov.u32 %r0, bar; mov.u32 %r1, tile; mov.u32 %r2, %tid.x; setp.ne.u32 %p, %r2, 0; @%p bra WAIT;
  mov.b64 %x0, map; cvta.param.u64 %x0, %x0; mov.b64 %x1, back; cvta.param.u64 %x1, %x1;
  mbarrier.init.shared.b64 [%r0], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r0], 2048;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%x0, {-4, 60}], [%r0];
WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%r0], 0; @!%p bra WAIT;
  mad.lo.u32 %r3, %r2, 4, %r1; ld.shared.u32 %r4, [%r3]; mul.wide.u32 %x2, %r2, 4; ld.param.u64 %x3, [out]; add.u64 %x3, %x3, %x2; st.global.u32 [%x3], %r4;
  bar.sync 0; setp.ne.u32 %p, %r2, 0; @%p bra END;
  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%x1, {-4, 60}], [%r1]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
END: ret;
})");
    constexpr u32 kWide = 40, kHigh = 64;  // the tile is 32 x 16 elements at (-4, 60)
    std::vector<u32> in(kWide * kHigh);
    for (u32 i = 0; i < in.size(); ++i) in[i] = i + 1;
    const u64 a = m.buffer(in), b = m.buffer(std::vector<u32>(in.size())),
              out = m.buffer(std::vector<u32>(512));
    TensorMap map;
    map.type = 2, map.rank = 2, map.swizzle = swizzle, map.base = a;  // u32
    map.stride[0] = kWide * 4, map.last[0] = kWide - 1, map.last[1] = kHigh - 1;
    map.box[0] = 32, map.box[1] = 16, map.element_stride[0] = map.element_stride[1] = 1;
    m.argument(map);
    map.base = b;
    m.argument(map);
    m.argument(out);
    must_run(m, {1, 1, 1}, {512, 1, 1});
    const auto tile = m.read<u32>(out, 512);
    const auto back = m.read<u32>(b, in.size());
    for (u32 y = 0; y < 16; ++y)
      for (u32 x = 0; x < 32; ++x) {
        const u32 piece = swizzle == TensorMap::k128 ? x / 4 ^ y % 8 : x / 4;
        const bool inside = x >= 4 && y < 4;
        CHECK(tile[y * 32 + piece * 4 + x % 4] == (inside ? in[(60 + y) * kWide + x - 4] : 0));
      }
    for (u32 y = 0; y < kHigh; ++y)
      for (u32 x = 0; x < kWide; ++x)
        CHECK(back[y * kWide + x] == (y >= 60 && x < 28 ? in[y * kWide + x] : 0));
  }
}

TEST_CASE("lanes with the same operands make one copy to global memory; of reductions, one each") {
  Machine m(std::string(kHeader) + R"(
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %x<8>; .shared .align 128 .b8 tile[128];
  mov.u32 %r0, %tid.x; mov.u32 %r1, tile; mad.lo.u32 %r2, %r0, 4, %r1; st.shared.u32 [%r2], 1; bar.sync 0;
  ld.param.u64 %x0, [out];
  cp.async.bulk.global.shared::cta.bulk_group [%x0], [%r1], 128;
  and.b32 %r3, %r0, 1; mul.wide.u32 %x1, %r3, 128; add.u64 %x1, %x1, %x0; add.u64 %x1, %x1, 128;
  cp.async.bulk.global.shared::cta.bulk_group [%x1], [%r1], 128;
  mov.b64 %x2, map; cvta.param.u64 %x2, %x2; mul.lo.u32 %r3, %r3, 32;
  cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%x2, {%r3}], [%r1];
  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%x0], [%r1], 128;
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;
})");
  const u64 out = m.buffer(std::vector<u32>(160));
  TensorMap map;
  map.type = 2, map.rank = 1, map.base = out + 384, map.last[0] = 63, map.box[0] = 32,
  map.element_stride[0] = 1;
  m.argument(map), m.argument(out);
  std::string added;
  for (int lane = 0; lane < 32; ++lane) added += "|r+";
  CHECK(traced_copies(m, {1, 1, 1}, {32, 1, 1}) == "|rw|rw|rw|w|w" + added);
  const auto got = m.read<u32>(out, 160);
  for (u32 i = 0; i < 160; ++i) CHECK(got[i] == (i < 32 ? 33u : 1u));
}

TEST_CASE("a tile for CTAs of a cluster is read once, and its records are of one copy") {
  // Rank 0 copies two tiles of four rows to rank 1 alone, round a loop; the second lies outside by
  // two.
  Machine m(std::string(kHeader) + R"(
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out) {
  .reg .pred %p; .reg .b32 %r<12>; .reg .b64 %x<8>; .reg .b16 %h; .shared .align 128 .b8 tile[128]; .shared .align 8 .b64 bar;
  mov.u32 %r0, bar; mov.u32 %r1, tile; mov.u32 %r2, %tid.x; mov.u32 %r3, %cluster_ctarank;
  setp.ne.u32 %p, %r2, 0; @%p bra READY;
  mbarrier.init.shared.b64 [%r0], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r0], 256;
READY: barrier.cluster.arrive; barrier.cluster.wait;
  or.b32 %r4, %r2, %r3; setp.ne.u32 %p, %r4, 0; @%p bra WAIT;
  mov.b64 %x0, map; cvta.param.u64 %x0, %x0; mov.b16 %h, 0x2; mov.u32 %r5, 0;
AGAIN:
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%x0, {0, %r5}], [%r0], %h;
  add.u32 %r5, %r5, 6; setp.lt.u32 %p, %r5, 12; @%p bra AGAIN;
WAIT: setp.eq.u32 %p, %r3, 0; @%p bra END;
POLL: mbarrier.try_wait.parity.shared.b64 %p, [%r0], 0; @!%p bra POLL;
  mad.lo.u32 %r5, %r2, 4, %r1; ld.shared.u32 %r6, [%r5];
  mul.wide.u32 %x1, %r2, 4; ld.param.u64 %x2, [out]; add.u64 %x2, %x2, %x1; st.global.u32 [%x2], %r6;
END: barrier.cluster.arrive; barrier.cluster.wait; ret;
})");
  m.cluster = {2, 1, 1};
  std::vector<u32> in(8 * 8);
  for (u32 i = 0; i < in.size(); ++i) in[i] = i + 1;
  const u64 a = m.buffer(in), out = m.buffer(std::vector<u32>(32));
  TensorMap map;
  map.type = 2, map.rank = 2, map.base = a;
  map.stride[0] = 32, map.last[0] = 7, map.last[1] = 7;
  map.box[0] = 8, map.box[1] = 4, map.element_stride[0] = map.element_stride[1] = 1;
  m.argument(map), m.argument(out);
  const std::string of_copies = traced_copies(m, {2, 1, 1}, {32, 1, 1});
  const auto d = m.read<u32>(out, 32);
  for (u32 i = 0; i < 32; ++i) CHECK(d[i] == (i < 16 ? 48 + i + 1 : 0));
  CHECK(of_copies == "|rwrwrwrw|rwrwww");
}

TEST_CASE("a kernel makes a tensor map of its own, of every second row, and uses it") {
  Machine m(std::string(kHeader) + R"(
.visible .entry k(.param .u64 map, .param .u64 in, .param .u64 out) {
  .reg .pred %p; .reg .b32 %r<12>; .reg .b64 %x<8>; .shared .align 128 .b8 fresh[128]; .shared .align 128 .b8 tile[128]; .shared .align 8 .b64 bar;
  mov.u32 %r0, bar; mov.u32 %r1, tile; mov.u32 %r2, %tid.x; mov.u32 %r5, fresh; ld.param.u64 %x0, [map]; ld.param.u64 %x1, [in];
  setp.ne.u32 %p, %r2, 0; @%p bra MADE;
  mbarrier.init.shared.b64 [%r0], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r0], 128;
  tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r5], %x1;
  tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r5], 1;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r5], 0, 8; tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r5], 1, 8;
  mov.b32 %r6, 16; tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r5], 0, %r6; tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r5], 1, 6;
  mov.b64 %x2, 64; tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r5], 0, %x2;
  tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r5], 0, 1; tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r5], 1, 2;
  tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r5], 2; tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r5], 0;
  tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r5], 0; tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r5], 0;
MADE: bar.warp.sync -1;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%x0], [%r5], 128;
  fence.proxy.tensormap::generic.acquire.gpu [%x0], 128;
  @%p bra WAIT;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%x0, {4, 1}], [%r0];
WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%r0], 0; @!%p bra WAIT;
  mad.lo.u32 %r3, %r2, 4, %r1; ld.shared.u32 %r4, [%r3]; mul.wide.u32 %x2, %r2, 4; ld.param.u64 %x3, [out]; add.u64 %x3, %x3, %x2; st.global.u32 [%x3], %r4; ret;
})");
  std::vector<u32> in(16 * 8);
  for (u32 i = 0; i < in.size(); ++i) in[i] = i + 1;
  const u64 out = m.buffer(std::vector<u32>(32));
  m.argument(m.buffer(std::vector<u32>(32))), m.argument(m.buffer(in)), m.argument(out);
  must_run(m, {1, 1, 1}, {32, 1, 1});
  const auto d = m.read<u32>(out, 32);
  for (u32 i = 0; i < 32; ++i) {
    const u32 x = 4 + i % 8, y = 1 + i / 8 * 2;
    CHECK(d[i] == (y < 6 ? in[y * 16 + x] : 0));
  }
}

TEST_CASE("an im2col copy takes the pixels that one tap of a filter meets") {
  Machine m(std::string(kHeader) + R"(
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out) {
  .reg .pred %p; .reg .b16 %h<3>; .reg .b32 %r<12>; .reg .b64 %x<8>; .shared .align 128 .b8 tile[384]; .shared .align 8 .b64 bar;
  mov.u32 %r0, bar; mov.u32 %r1, tile; mov.u32 %r2, %tid.x; setp.ne.u32 %p, %r2, 0; @%p bra WAIT;
  mov.b64 %x0, map; cvta.param.u64 %x0, %x0; mov.b16 %h1, 1; mov.b16 %h2, 2;
  mbarrier.init.shared.b64 [%r0], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r0], 384;
  cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%x0, {0, -1, -1, 0}], [%r0], {%h1, %h2};
WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%r0], 0; @!%p bra WAIT;
  mad.lo.u32 %r3, %r2, 4, %r1; ld.shared.u32 %r4, [%r3]; mul.wide.u32 %x2, %r2, 4; ld.param.u64 %x3, [out]; add.u64 %x3, %x3, %x2; st.global.u32 [%x3], %r4; ret;
})");
  // Two images of 4 x 5 pixels of 4 numbers; a filter of 3 x 3 with a border of 1, its tap (2, 1).
  constexpr u32 kChannels = 4, kWide = 5, kHigh = 4;
  std::vector<u32> in(2 * kHigh * kWide * kChannels);
  for (u32 i = 0; i < in.size(); ++i) in[i] = i + 1;
  TensorMap map;
  map.type = 2, map.rank = 4, map.base = m.buffer(in), map.im2col = 1, map.channels = kChannels,
  map.pixels = 24;
  map.stride = {kChannels * 4, kWide * kChannels * 4, kHigh * kWide * kChannels * 4, 0};
  map.last = {kChannels - 1, kWide - 1, kHigh - 1, 1, 0};
  map.element_stride = {1, 1, 1, 1, 1};
  map.lower = {-1, -1, 0}, map.upper = {-1, -1, 0};
  const u64 out = m.buffer(std::vector<u32>(96));
  m.argument(map), m.argument(out);
  must_run(m, {1, 1, 1}, {96, 1, 1});
  const auto d = m.read<u32>(out, 96);
  for (u32 i = 0; i < 96; ++i) {
    const u32 pixel = i / kChannels, n = pixel / (kWide * kHigh), y = pixel / kWide % kHigh + 1,
              x = pixel % kWide;
    CHECK(d[i] == (y < kHigh ? in[((n * kHigh + y) * kWide + x) * kChannels + i % kChannels] : 0));
  }
}

TEST_CASE(
    "CTAs of a cluster store, reduce and copy into each other's shared memory, and count the "
    "bytes") {
  Machine m(std::string(kHeader) + R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<20>; .reg .b64 %x<8>; .shared .align 128 .b8 from[128]; .shared .align 128 .b8 to[128]; .shared .align 128 .b8 slots[128]; .shared .align 8 .b32 sum[2]; .shared .align 8 .b64 bar;
  mov.u32 %r0, bar; mov.u32 %r1, from; mov.u32 %r2, to; mov.u32 %r3, slots; mov.u32 %r4, sum; mov.u32 %r5, %tid.x; mov.u32 %r6, %cluster_ctarank; xor.b32 %r7, %r6, 1;
  mad.lo.u32 %r8, %r5, 4, %r1; mad.lo.u32 %r9, %r6, 1000, %r5; st.shared.u32 [%r8], %r9;
  setp.ne.u32 %p, %r5, 0; @%p bra READY;
  mbarrier.init.shared.b64 [%r0], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r0], 384;  // 32 stores, 32 reductions, 128 bytes copied
READY: barrier.cluster.arrive; barrier.cluster.wait;
  mapa.shared::cluster.u32 %r10, %r0, %r7; mapa.shared::cluster.u32 %r11, %r3, %r7; mapa.shared::cluster.u32 %r12, %r4, %r7; mapa.shared::cluster.u32 %r13, %r2, %r7;
  mad.lo.u32 %r11, %r5, 4, %r11;
  st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r11], %r9, [%r10];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r12], %r9, [%r10];
  @%p bra WAIT;
  cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r13], [%r1], 128, [%r10];
WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%r0], 0; @!%p bra WAIT;
  mad.lo.u32 %r14, %r5, 4, %r3; ld.shared.u32 %r14, [%r14]; mad.lo.u32 %r15, %r5, 4, %r2; ld.shared.u32 %r15, [%r15]; ld.shared.u32 %r16, [%r4];
  sub.u32 %r15, %r15, %r14; add.u32 %r14, %r14, %r16; add.u32 %r14, %r14, %r15;
  mad.lo.u32 %r17, %r6, 32, %r5; mul.wide.u32 %x1, %r17, 4; ld.param.u64 %x0, [out]; add.u64 %x0, %x0, %x1; st.global.u32 [%x0], %r14;
  barrier.cluster.arrive; barrier.cluster.wait; ret;
})");
  m.cluster = {2, 1, 1};
  const u64 out = m.buffer(std::vector<u32>(64));
  m.argument(out);
  must_run(m, {2, 1, 1}, {32, 1, 1});
  const auto d = m.read<u32>(out, 64);
  for (u32 i = 0; i < 64; ++i) {
    const u32 base = i < 32 ? 1000 : 0;  // the other one's
    CHECK(d[i] == base + i % 32 + 32 * base + 496);
  }
}

TEST_CASE(
    "mma.m8n8k4 of halves: four products, each by two groups of four lanes, in every layout") {
  for (const char* la : {"row", "col"})
    for (const char* lb : {"row", "col"})
      for (const bool floats : {false, true}) {
        const std::string type = floats ? "f32" : "f16", space = floats ? "f32" : "b32";
        const u32 registers = floats ? 8 : 4;
        std::string list, loads, stores;
        for (u32 i = 0; i < registers; ++i) {
          const std::string name = (floats ? "%f" : "%c") + std::to_string(i),
                            at = "[%x2+" + std::to_string(4 * i) + "]";
          list += (i ? ", " : "") + name,
              loads += "ld.global." + space + " " + name + ", " + at + "; ",
              stores += "st.global." + space + " " + at + ", " + name + "; ";
        }
        Machine m(
            std::string(kHeader) +
            ".visible .entry k(.param .u64 ab, .param .u64 c) {\n  .reg .b32 %a<2>, %b<2>, %c<4>, "
            "%r<3>; .reg .f32 %f<8>; .reg .b64 %x<4>;\n"
            "  ld.param.u64 %x1, [ab]; ld.param.u64 %x2, [c]; mov.u32 %r1, %tid.x; mul.wide.u32 "
            "%x3, %r1, 16; add.u64 %x1, %x1, %x3; mul.wide.u32 %x3, %r1, 32; add.u64 %x2, %x2, "
            "%x3;\n"
            "  ld.global.v2.b32 {%a0, %a1}, [%x1]; ld.global.v2.b32 {%b0, %b1}, [%x1+8];\n  " +
            loads +
            "\n"
            "  mma.sync.aligned.m8n8k4." +
            la + "." + lb + "." + type + ".f16.f16." + type + " {" + list +
            "}, {%a0, %a1}, {%b0, %b1}, {" + list + "};\n  " + stores + "ret;\n}\n");
        const auto a_of = [](u32 q, u32 row, u32 k) {
          return static_cast<int>((q * 3 + row * 5 + k * 7) % 9) - 4;
        };
        const auto b_of = [](u32 q, u32 k, u32 column) {
          return static_cast<int>((q + k * 11 + column * 3) % 7) - 3;
        };
        std::vector<std::uint16_t> ab(32 * 8);
        std::vector<u32> c(32 * 8);
        // A thread's element i of C, as the manual has it.
        const auto place = [&](u32 lane, u32 i) {
          const u32 low = lane < 16 ? 0 : 4;
          return floats ? std::pair{low + (lane & 1) + (i & 2), (i & 4) + (lane & 2) + (i & 1)}
                        : std::pair{low + lane % 4, i};
        };
        for (u32 lane = 0; lane < 32; ++lane) {
          const u32 q = lane % 16 / 4, one = lane % 4, low = lane < 16 ? 0 : 4;
          for (u32 i = 0; i < 4; ++i) {
            ab[lane * 8 + i] =
                half_of(la[0] == 'r' ? a_of(q, low + one, i) : a_of(q, low + i, one));
            ab[lane * 8 + 4 + i] =
                half_of(lb[0] == 'r' ? b_of(q, one, low + i) : b_of(q, i, low + one));
          }
          for (u32 i = 0; i < 8; ++i) {
            const float before = static_cast<float>(place(lane, i).first);
            if (floats) c[lane * 8 + i] = bits_as<u32>(before);
            else c[lane * 8 + i / 2] |= static_cast<u32>(half_of(before)) << i % 2 * 16;
          }
        }
        const u64 out = m.buffer(c);
        m.argument(m.buffer(ab)), m.argument(out);
        must_run(m, {1, 1, 1}, {32, 1, 1});
        const auto d = m.read<u32>(out, c.size());
        int wrong = 0;
        for (u32 lane = 0; lane < 32; ++lane)
          for (u32 i = 0; i < 8; ++i) {
            const auto [row, column] = place(lane, i);
            int sum = static_cast<int>(row);
            for (u32 k = 0; k < 4; ++k)
              sum += a_of(lane % 16 / 4, row, k) * b_of(lane % 16 / 4, k, column);
            wrong += floats ? bits_as<float>(d[lane * 8 + i]) != static_cast<float>(sum)
                            : (d[lane * 8 + i / 2] >> i % 2 * 16 & 0xffff) !=
                                  half_of(static_cast<float>(sum));
          }
        CHECK(wrong == 0);
      }
}

TEST_CASE("wmma multiplies matrices of every shape and layout, from global and shared memory") {
  struct Shape {
    const char* name;
    u32 m, n, k;
  };
  for (const Shape s :
       {Shape{"m16n16k16", 16, 16, 16}, {"m8n32k16", 8, 32, 16}, {"m32n8k16", 32, 8, 16}})
    for (const char* la : {"row", "col"})
      for (const char* lb : {"row", "col"})
        for (const bool shared : {false, true}) {
          const bool ra = la[0] == 'r', rb = lb[0] == 'r';
          const auto list = [](const char* p, int n) {
            std::string t = "{";
            for (int i = 0; i < n; ++i) t += (i ? ", " : "") + std::string(p) + std::to_string(i);
            return t + "}";
          };
          const std::string space = shared ? "shared" : "global", shape = s.name;
          std::string text = std::string(kHeader) +
                             ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) {\n  "
                             ".reg .pred %p; .reg .b32 %a<8>, %b<8>, %r<8>; .reg .f32 %f<8>, "
                             "%g<8>; .reg .b64 %x<8>; .shared .align 16 .b8 s[2048];\n";
          text += "  ld.param.u64 %x0, [a]; ld.param.u64 %x1, [b]; ld.param.u64 %x2, [c];\n";
          if (shared) {  // both matrices have at most 1 KiB
            text +=
                "  mov.u32 %r0, s; mov.u32 %r1, %tid.x; mul.wide.u32 %x3, %r1, 32; add.u64 %x4, "
                "%x0, %x3; add.u64 %x5, %x1, %x3; mad.lo.u32 %r2, %r1, 32, %r0; add.u32 %r3, %r0, "
                "1024;\n";
            for (int i = 0; i < 32; i += 4)
              text += "  ld.global.u32 %r4, [%x4+" + std::to_string(i) + "]; st.shared.u32 [%r2+" +
                      std::to_string(i) + "], %r4; ld.global.u32 %r4, [%x5+" + std::to_string(i) +
                      "]; st.shared.u32 [%r2+" + std::to_string(1024 + i) + "], %r4;\n";
            text += "  bar.sync 0;\n";
          }
          const std::string from[2] = {shared ? "[%r0]" : "[%x0]", shared ? "[%r3]" : "[%x1]"};
          text += "  wmma.load.a.sync.aligned." + std::string(la) + "." + shape + "." + space +
                  ".f16 " + list("%a", 8) + ", " + from[0] + ", " + std::to_string(ra ? s.k : s.m) +
                  ";\n";
          text += "  wmma.load.b.sync.aligned." + std::string(lb) + "." + shape + "." + space +
                  ".f16 " + list("%b", 8) + ", " + from[1] + ", " + std::to_string(rb ? s.n : s.k) +
                  ";\n";
          text += "  wmma.load.c.sync.aligned.row." + shape + ".global.f32 " + list("%f", 8) +
                  ", [%x2], " + std::to_string(s.n) + ";\n";
          text += "  wmma.mma.sync.aligned." + std::string(la) + "." + lb + "." + shape +
                  ".f32.f32 " + list("%g", 8) + ", " + list("%a", 8) + ", " + list("%b", 8) + ", " +
                  list("%f", 8) + ";\n";
          text += "  wmma.store.d.sync.aligned.col." + shape + ".global.f32 [%x2], " +
                  list("%g", 8) + ", " + std::to_string(s.m) + ";\n  ret;\n}\n";
          INFO(shape << " " << la << " " << lb << " " << space);
          Machine machine(text);
          const auto element = [](u32 i) {
            return static_cast<float>(static_cast<int>(i * 7919 % 17) - 8);
          };
          std::vector<u16> a(512), b(512);
          for (u32 i = 0; i < 512; ++i)
            a[i] = half_of(element(i)), b[i] = half_of(element(i + 1000));
          std::vector<float> c(s.m * s.n);
          for (u32 i = 0; i < c.size(); ++i) c[i] = element(i + 5000);
          const u64 pa = machine.buffer(a), pb = machine.buffer(b), pc = machine.buffer(c);
          machine.argument(pa), machine.argument(pb), machine.argument(pc);
          must_run(machine, {1, 1, 1}, {32, 1, 1});
          const auto d = machine.read<float>(pc, c.size());
          for (u32 i = 0; i < s.m; ++i)
            for (u32 j = 0; j < s.n; ++j) {
              float sum = c[i * s.n + j];
              for (u32 k = 0; k < s.k; ++k)
                sum += static_cast<float>(half_value(a[ra ? i * s.k + k : k * s.m + i]) *
                                          half_value(b[rb ? k * s.n + j : j * s.k + k]));
              if (d[j * s.m + i] != sum)
                FAIL_CHECK("element " << i << ", " << j << ": " << d[j * s.m + i] << " instead of "
                                      << sum);
            }
        }
}

TEST_CASE("movmatrix turns an 8 x 8 matrix of the warp") {
  Machine m(std::string(kHeader) + R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %x<4>;
  mov.u32 %r0, %tid.x; mul.lo.u32 %r1, %r0, 2; add.u32 %r2, %r1, 1; shl.b32 %r2, %r2, 16; or.b32 %r1, %r1, %r2;
  movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r1;
  ld.param.u64 %x0, [out]; mul.wide.u32 %x1, %r0, 4; add.u64 %x0, %x0, %x1; st.global.u32 [%x0], %r3; ret;
})");
  const u64 out = m.buffer(std::vector<u16>(64));
  m.argument(out);
  must_run(m, {1, 1, 1}, {32, 1, 1});
  const auto d = m.read<u16>(out, 64);
  for (u32 i = 0; i < 64; ++i) CHECK(d[i] == i % 8 * 8 + i / 8);
}

TEST_CASE("128-bit compare-and-swap and exchange move both halves") {
  Machine m(std::string(kHeader) + R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %x<8>; .reg .b128 %q<4>;
  ld.param.u64 %x0, [out]; mov.b64 %x1, 1; mov.b64 %x2, 2; mov.b64 %x3, 3; mov.b128 %q0, {%x1, %x2}; mov.b128 %q1, {%x3, %x1};
  atom.global.cas.b128 %q2, [%x0], %q0, %q1; atom.global.exch.b128 %q3, [%x0 + 16], %q2; atom.global.cas.b128 %q2, [%x0], %q0, %q3; ret;
})");
  const u64 out = m.buffer(std::vector<u64>{1, 2, 7, 8});
  m.argument(out);
  must_run(m, {1, 1, 1}, {1, 1, 1});
  CHECK(m.read<u64>(out, 4) == std::vector<u64>{3, 1, 1, 2});
}

TEST_CASE("a check of shared memory reports what nobody wrote and what no barrier orders") {
  const auto findings = [](const std::string& body) {
    Machine m(std::string(kHeader) + R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %x<4>; .shared .align 4 .b8 s[512];
  mov.u32 %r0, %tid.x; mov.u32 %r1, s; mad.lo.u32 %r2, %r0, 4, %r1; xor.b32 %r3, %r0, 32; mad.lo.u32 %r4, %r3, 4, %r1;
)" + body + R"(
  ld.param.u64 %x0, [out]; mul.wide.u32 %x1, %r0, 4; add.u64 %x0, %x0, %x1; st.global.u32 [%x0], %r5; ret;
})");
    std::vector<std::string> texts;
    m.options.report = [&](const std::string& text) { texts.push_back(text); };
    m.argument(m.buffer(std::vector<u32>(64)));
    must_run(m, {2, 1, 1}, {64, 1, 1});
    return texts;
  };
  CHECK(findings("st.shared.u32 [%r2], %r0; bar.sync 0; ld.shared.u32 %r5, [%r4];").empty());
  CHECK(findings("st.shared.u32 [%r2], %r0; ld.shared.u32 %r5, [%r2];").empty());
  const auto race = findings(
      "st.shared.u32 [%r2], %r0;\nbar.sync 0;\nld.shared.u32 %r5, [%r4];\nst.shared.u32 [%r2], "
      "%r0;");
  REQUIRE(race.size() == 1);  // both read first
  CHECK(race[0].find("thread (0,0,0) of CTA (0,0,0) writes what warp 1 read, shared address 0x0") !=
        std::string::npos);
  CHECK(race[0].find(", with no barrier since test.ptx:") != std::string::npos);
  const auto early = findings("st.shared.u32 [%r2], %r0;\nld.shared.u32 %r5, [%r4];");
  REQUIRE(early.size() == 1);  // both write first
  CHECK(
      early[0].find("thread (0,0,0) of CTA (0,0,0) reads what warp 1 wrote, shared address 0x80") !=
      std::string::npos);
  const auto never = findings("ld.shared.u32 %r5, [%r2];");
  REQUIRE(never.size() == 1);
  CHECK(never[0].find("reads shared memory that nobody wrote") != std::string::npos);
  CHECK(never[0].find("shared address 0x0") != std::string::npos);
}
