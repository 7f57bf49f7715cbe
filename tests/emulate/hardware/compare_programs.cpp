// What element-wise forms cannot say, from PTX and from machine code: the same bytes. Needs ptxas
// and nvdisasm.
#include <fmt/format.h>

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/emulate/hardware/machine_programs.hpp"

using namespace warpmem::emulate;
using namespace warpmem::emulate::hardware;

namespace {

// Metadata of sparse matrices: of each four elements two, in order. Of tf32 the first two or the
// last two.
std::string metadata(bool pairs) {
  return fmt::format(
             "mov.b32 %m, {}; shl.b32 %j, %t, 2; shf.l.wrap.b32 %m, %m, %m, %j; "
             "shr.u32 %j, %t, 3; shf.l.wrap.b32 %m, %m, %m, %j;",
             pairs ? "0x4ee4e44e" : "0x49c8e4d9") +
         (pairs ? " mov.b32 %m, 0x4ee4e44e; shl.b32 %j, %t, 2; shf.l.wrap.b32 %m, %m, %m, %j;"
                : " mov.b32 %m, 0x49c8e4d9; shl.b32 %j, %t, 2; shf.l.wrap.b32 %m, %m, %m, %j;");
}

std::string registers(const char* prefix, std::uint32_t count) {
  std::string out = "{";
  for (std::uint32_t i = 0; i < count; ++i) out += fmt::format("{}{}{}", i ? ", " : "", prefix, i);
  return out + "}";
}

struct WarpgroupForm {
  const char *shape, *types, *tail;
  std::uint32_t columns = 16;
  bool a_in_registers = false;
  const char* selector = nullptr;  // of a sparse one
  std::uint32_t swizzle = 0;       // 0: none, 1: of 128 bytes, 2: 64, 3: 32
};

MachineProgram program_of(const WarpgroupForm& g, std::size_t number) {
  const std::string types = g.types;
  const bool halves = types.starts_with("f16"), whole = types.find("s32") != types.npos;
  const std::uint32_t count = g.columns / (halves ? 4 : 2);
  const char* type = halves || whole ? "b32" : "f32";
  std::string body = fmt::format(
      ".reg .pred %p, %q; .reg .b32 %a<4>, %m, %j; .reg .{} %d<{}>; .reg .b64 %da, %db, %o, %n;\n"
      "mul.wide.u32 %o, %t, {}; add.s64 %n, %in, %o; add.s64 %o, %out, %o;\n"
      "shr.u32 %j, %s, 4; and.b32 %j, %j, 0x3fff; cvt.u64.u32 %da, %j; add.s64 %db, %da, 0x400;\n"
      "or.b64 %da, %da, {:#x}; or.b64 %db, %db, {:#x};\n"
      "setp.ne.u32 %p, %t, 4000; not.pred %q, %p;\n",
      type, count, 4 * count, std::uint64_t{g.swizzle} << 62 | 64ull << 32 | 16ull << 16,
      std::uint64_t{g.swizzle} << 62 | 64ull << 32 | 16ull << 16);
  if (g.a_in_registers)
    for (int i = 0; i < 4; ++i)
      body += fmt::format("ld.global.b32 %a{}, [%n+{}];", i, 8192 + 4 * i);
  for (std::uint32_t i = 0; i < count; ++i)
    body += fmt::format("ld.global.{} %d{}, [%n+{}];", type, i, 16384 + 4 * i);
  if (g.selector) body += metadata(types.find("tf32") != types.npos);
  body += fmt::format(
      "\nwgmma.fence.sync.aligned;\n"
      "wgmma.mma_async{}.sync.aligned.{}.{} {}, {}, %db, {}{};\n"
      "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n",
      g.selector ? ".sp" : "", g.shape, types, registers("%d", count),
      g.a_in_registers ? registers("%a", 4) : "%da",
      g.selector ? fmt::format("%m, {}, ", g.selector) : "", g.tail);
  for (std::uint32_t i = 0; i < count; ++i)
    body += fmt::format("st.global.{} [%o+{}], %d{};", type, 4 * i, i);
  return {fmt::format("wgmma_{}", number), body};
}

constexpr WarpgroupForm kGroups[] = {
    {"m64n16k16", "f32.f16.f16", "%p, 1, 1, 0, 0"},
    {"m64n16k16", "f32.f16.f16", "%q, -1, 1, 1, 0"},
    {"m64n16k16", "f32.bf16.bf16", "1, 1, -1, 0, 1", 16, false, nullptr, 1},
    {"m64n16k16", "f32.f16.f16", "!%q, 1, -1, 1", 16, true},
    {"m64n16k16", "f32.bf16.bf16", "%p, -1, 1, 0", 16, true, nullptr, 2},
    {"m64n16k16", "f16.f16.f16", "0, 1, 1, 1, 1", 16, false, nullptr, 3},
    {"m64n256k16", "f32.f16.f16", "%p, 1, 1, 0, 0", 256, false, nullptr, 1},
    {"m64n8k16", "f16.f16.f16", "%p, 1, 1, 0", 8, true},
    {"m64n16k8", "f32.tf32.tf32", "%p, 1, 1"},
    {"m64n16k8", "f32.tf32.tf32", "%p, -1, -1", 16, true},
    {"m64n16k32", "s32.s8.s8", "%p"},
    {"m64n16k32", "s32.u8.s8", "%q", 16, true},
    {"m64n16k32.satfinite", "s32.s8.u8", "1", 16, true, nullptr, 1},
    {"m64n16k32", "s32.u8.u8", "0"},
    {"m64n16k256", "s32.b1.b1.and.popc", "%p"},
    {"m64n16k256", "s32.b1.b1.and.popc", "1", 16, true},
    {"m64n16k32", "f32.e4m3.e5m2", "%p, 1, 1"},
    {"m64n16k32", "f16.e5m2.e4m3", "%p, -1, -1", 16, true},
    {"m64n16k32", "f32.e4m3.e4m3", "1, 1, 1", 16, true, nullptr, 2},
    {"m64n16k32", "f32.f16.f16", "%p, 1, 1, 0, 0", 16, false, "0"},
    {"m64n16k32", "f32.bf16.bf16", "%p, 1, -1, 1", 16, true, "1"},
    {"m64n16k32", "f16.f16.f16", "0, 1, 1, 1, 1", 16, false, "1", 1},
    {"m64n16k16", "f32.tf32.tf32", "%p, 1, 1", 16, true, "0"},
    {"m64n16k16", "f32.tf32.tf32", "%p, 1, 1", 16, false, "1"},
    {"m64n16k64", "s32.s8.u8", "%p", 16, true, "0"},
    {"m64n16k64", "s32.u8.u8", "1", 16, false, "0"},
    {"m64n16k64", "f32.e4m3.e4m3", "%p, 1, 1", 16, false, "0"},
    {"m64n16k64", "f32.e5m2.e4m3", "%p, 1, 1", 16, true, "0"},
};

struct SparseForm {
  const char *shape, *types;
  std::uint32_t a, b, c;  // registers
  int selector;
  bool since_89 = false;
};
constexpr SparseForm kSparse[] = {
    {"m16n8k16", "f32.f16.f16.f32", 2, 2, 4, 0},
    {"m16n8k16", "f32.f16.f16.f32", 2, 2, 4, 3},
    {"m16n8k32", "f16.f16.f16.f16", 4, 4, 2, 1},
    {"m16n8k32", "f32.bf16.bf16.f32", 4, 4, 4, 1},
    {"m16n8k8", "f32.tf32.tf32.f32", 2, 2, 4, 2},
    {"m16n8k16", "f32.tf32.tf32.f32", 4, 4, 4, 1},
    {"m16n8k32", "s32.s8.u8.s32", 2, 2, 4, 1},
    {"m16n8k32", "s32.u8.s8.s32", 2, 2, 4, 0},
    {"m16n8k64", "satfinite.s32.s8.s8.s32", 4, 4, 4, 0},
    {"m16n8k64", "s32.s4.u4.s32", 2, 2, 4, 1},
    {"m16n8k128", "s32.u4.u4.s32", 4, 4, 4, 0},
    {"m16n8k64", "f32.e4m3.e5m2.f32", 4, 4, 4, 0, true},
};

MachineProgram program_of(const SparseForm& s, std::size_t number) {
  const std::string types = s.types;
  const char* type = types.ends_with("f32") ? "f32" : "b32";
  std::string body = fmt::format(
      ".reg .b32 %a<4>, %b<4>, %m, %j; .reg .{} %c<4>; .reg .b64 %o, %n;\n"
      "mul.wide.u32 %o, %t, 64; add.s64 %n, %in, %o; add.s64 %o, %out, %o;\n",
      type);
  for (std::uint32_t i = 0; i < s.a; ++i)
    body += fmt::format("ld.global.b32 %a{}, [%n+{}];", i, 4096 + 4 * i);
  for (std::uint32_t i = 0; i < s.b; ++i)
    body += fmt::format("ld.global.b32 %b{}, [%n+{}];", i, 4112 + 4 * i);
  for (std::uint32_t i = 0; i < s.c; ++i)
    body += fmt::format("ld.global.{} %c{}, [%n+{}];", type, i, 4128 + 4 * i);
  body += metadata(types.find("tf32") != types.npos);
  body += fmt::format("\nmma.sp.sync.aligned.{}.row.col.{} {}, {}, {}, {}, %m, {};\n", s.shape,
                      types, registers("%c", s.c), registers("%a", s.a), registers("%b", s.b),
                      registers("%c", s.c), s.selector);
  for (std::uint32_t i = 0; i < s.c; ++i)
    body += fmt::format("st.global.{} [%o+{}], %c{};", type, 4 * i, i);
  return {fmt::format("mma_sp_{}", number), body};
}

// An mbarrier behind the tiles that expects `bytes`; and waiting for it, and shared memory to %out.
std::string counted(std::uint32_t bytes, const std::string& copy, std::uint32_t threads) {
  return fmt::format(R"(
 .reg .pred %one, %p; .reg .b32 %bar, %d, %rank, %mask, %done, %j; .reg .b64 %o, %n; .reg .b16 %h;
 mov.u32 %rank, %cluster_ctarank; add.s32 %bar, %s, 49144; add.s32 %d, %s, 16384;
 setp.eq.u32 %one, %t, 0;
 @%one mbarrier.init.shared.b64 [%bar], 1;
 @%one mbarrier.arrive.expect_tx.shared.b64 _, [%bar], {};
 fence.proxy.async; bar.sync 0; barrier.cluster.arrive; barrier.cluster.wait;
 {}
WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%bar], 0; @!%p bra WAIT;
 bar.sync 0;
 mov.u32 %j, %ctaid.x; mul.wide.u32 %o, %j, 16384; add.s64 %o, %o, %out; shl.b32 %j, %t, 2; cvt.u64.u32 %n, %j; add.s64 %o, %o, %n;
 add.s32 %d, %d, %j;
OUT: ld.shared.u32 %done, [%d]; st.global.u32 [%o], %done; add.s64 %o, %o, {}; add.s32 %d, %d, {}; add.s32 %j, %j, {}; setp.lt.u32 %p, %j, 16384; @%p bra OUT;
 barrier.cluster.arrive; barrier.cluster.wait;)",
                     bytes, copy, 4 * threads, 4 * threads, 4 * threads);
}

const std::vector<MachineProgram>& copies() {
  static const std::vector<MachineProgram> kAll{
      {"bulk_multicast",
       counted(4096,
               R"({ .reg .pred %w; setp.eq.u32 %w, %rank, 1; and.pred %w, %w, %one; mov.u16 %h, 13;
 @%w cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%d], [%in], 4096, [%bar], %h;
 setp.eq.u32 %w, %rank, 1; and.pred %w, %w, %one; add.s64 %n, %in, 4096;
 @%w cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d], [%n], 4096, [%bar]; })",
               64),
       64, 4, 4},
      {"tensor_multicast",
       counted(4096,
               R"({ .reg .pred %w; setp.eq.u32 %w, %rank, 0; and.pred %w, %w, %one; mov.u16 %h, 15;
 @%w cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%d], [%in, {-4, 40}], [%bar], %h; })",
               64),
       64, 4, 4},
      {"tensor_im2col",
       counted(
           1024,
           R"({ .reg .pred %w; setp.eq.u32 %w, %rank, 0; and.pred %w, %w, %one; mov.u16 %h, 3; .reg .b16 %y, %x; mov.u16 %y, 1; mov.u16 %x, 2; add.s64 %n, %in, 256;
 @%w cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [%d], [%n, {0, 1, 2, 1}], [%bar], {%y, %x}, %h; })",
           64),
       64, 2, 2},
      {"bulk_by_each_lane",
       counted(
           8192,
           R"({ .reg .b32 %k; shl.b32 %k, %t, 7; cvt.u64.u32 %n, %k; add.s64 %n, %n, %in; add.s32 %k, %k, %d;
 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%k], [%n], 128, [%bar]; })",
           64),
       64},
      {"bulk_to_another_cta",
       counted(
           2048,
           R"({ .reg .b32 %k, %l, %to; xor.b32 %k, %rank, 1; mapa.shared::cluster.u32 %l, %bar, %k; mapa.shared::cluster.u32 %to, %d, %k;
 @%one cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%to], [%s], 1024, [%l];
 @%one cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%to], [%s], 1024, [%l]; })",
           32),
       32, 2, 2},
      {"stores_to_another_cta",
       counted(
           1280,
           R"({ .reg .b32 %k, %l, %to, %v; .reg .b64 %w; xor.b32 %k, %rank, 1; mapa.shared::cluster.u32 %l, %bar, %k; mapa.shared::cluster.u32 %to, %d, %k;
 mad.lo.s32 %to, %t, 40, %to; mad.lo.s32 %v, %t, 7, 100; add.s32 %v, %v, %rank; mul.wide.u32 %w, %v, 100001; and.b32 %to, %to, -16;
 mad.lo.s32 %to, %t, 8, %to;
 st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%to], %v, [%l];
 st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%to+4096], %w, [%l+0];
 mapa.shared::cluster.u32 %to, %d, %k; mad.lo.s32 %to, %t, 16, %to;
 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%to+8192], {%v, %k, %t, %v}, [%l];
 mapa.shared::cluster.u32 %to, %d, %k; and.b32 %v, %t, 7; mad.lo.s32 %to, %v, 4, %to;
 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%to+12288], %t, [%l];
 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%to+12352], %t, [%l];
 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%to+12416], %t, [%l]; })",
           32),
       32, 2, 2},
      {"stores_of_each_value", R"(
 .reg .b32 %k, %d; .reg .b64 %o; shr.u32 %k, %t, 2; mad.lo.s32 %d, %k, 128, %s; mul.wide.u32 %o, %k, 256; add.s64 %o, %o, %out;
 cp.async.bulk.global.shared::cta.bulk_group [%o], [%d], 128;
 cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;)"},
      {"reductions_in_bulk", R"(
 .reg .b32 %k, %d; .reg .b64 %o; and.b32 %k, %t, 3; mad.lo.s32 %d, %t, 64, %s; mul.wide.u32 %o, %k, 64; add.s64 %o, %o, %out;
 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%o], [%d], 64;
 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%o+1024], [%d], 64;
 cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%o+2048], [%d], 64;
 cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s64 [%o+3072], [%d], 64;
 cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b64 [%o+4096], [%d], 64;
 cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32 [%o+5120], [%d], 64;
 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%o+6144], [%d], 64;
 cp.reduce.async.bulk.global.shared::cta.bulk_group.max.bf16 [%o+7168], [%d], 64;
 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%o+8192], [%d], 64;
 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%o+9216], [%d], 64;
 cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;)"},
      {"tiles_out", R"(
 .reg .b64 %n; .reg .pred %one; add.s64 %n, %in, 128; setp.eq.u32 %one, %t, 0;
 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%n, {4, 8}], [%s];
 bar.sync 0;
 @%one cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%n, {12, 40}], [%s];
 @%one cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group [%n, {-8, 4}], [%s];
 @%one cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%n, {4, 8}];
 cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;)"},
      {"mbarrier_states", R"(
 .reg .b32 %bar, %k, %v, %c; .reg .b64 %o, %st, %x; .reg .pred %one, %p;
 add.s32 %bar, %s, 1024; setp.eq.u32 %one, %t, 0; mul.wide.u32 %o, %t, 64; add.s64 %o, %o, %out;
 @%one mbarrier.init.shared.b64 [%bar], 300; @%one mbarrier.init.shared.b64 [%bar+8], 3;
 bar.sync 0;
 mbarrier.arrive.shared.b64 %st, [%bar]; bar.sync 0; mov.b64 {%k, %v}, %st; shr.u32 %v, %v, 31; st.global.u32 [%o], %v;
 mbarrier.test_wait.shared.b64 %p, [%bar], %st; selp.u32 %k, 1, 0, %p; st.global.u32 [%o+4], %k;
 bar.sync 0;
 mbarrier.arrive.shared.b64 %st, [%bar], 1; bar.sync 0;
 @%one mbarrier.arrive_drop.shared.b64 %st, [%bar], 20; bar.sync 0;
 @%one mbarrier.pending_count.b64 %k, %st; @%one st.global.u32 [%o+8], %k;
 @%one mbarrier.arrive.shared.b64 %st, [%bar], 24; bar.sync 0;
 mbarrier.test_wait.parity.shared.b64 %p, [%bar], 0; selp.u32 %k, 1, 0, %p; st.global.u32 [%o+12], %k;
 bar.sync 0;
 @%one mbarrier.arrive.noComplete.shared.b64 %st, [%bar], 5; @%one mbarrier.pending_count.b64 %k, %st; @%one st.global.u32 [%o+16], %k;
 @%one mbarrier.arrive.shared.b64 %st, [%bar+8]; @%one mbarrier.arrive_drop.shared.b64 %x, [%bar+8];
 @%one mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar+8], 48; @%one mbarrier.arrive.shared.b64 %x, [%bar+8];
 @%one mbarrier.test_wait.shared.b64 %p, [%bar+8], %st; selp.u32 %k, 1, 0, %p; @%one st.global.u32 [%o+20], %k;
 @%one mbarrier.complete_tx.relaxed.cta.shared.b64 [%bar+8], 48;
 @%one mbarrier.try_wait.shared.b64 %p, [%bar+8], %st; selp.u32 %k, 1, 0, %p; @%one st.global.u32 [%o+24], %k;
 bar.sync 0;
 @%one mbarrier.inval.shared.b64 [%bar];
 @%one mbarrier.init.shared.b64 [%bar], 129;
 bar.sync 0;
 cvt.u64.u32 %x, %t; shl.b64 %x, %x, 4; add.s64 %x, %x, %in; mad.lo.s32 %k, %t, 16, %s; 
 cp.async.ca.shared.global [%k+4096], [%x], 16; cp.async.mbarrier.arrive.noinc.shared.b64 [%bar];
 cp.async.ca.shared.global [%k+8192], [%x], 16; cp.async.mbarrier.arrive.shared.b64 [%bar];
 bar.sync 0;
 @%one mbarrier.arrive.shared.b64 %st, [%bar];
WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%bar], 0, 1000; @!%p bra WAIT;
 ld.shared.u32 %k, [%k+4096]; st.global.u32 [%o+28], %k;)"},
      {"arrivals_elsewhere", R"(
 .reg .b32 %bar, %k, %v, %rank; .reg .b64 %o; .reg .pred %one, %p;
 add.s32 %bar, %s, 1024; setp.eq.u32 %one, %t, 0; mov.u32 %rank, %cluster_ctarank; mad.lo.s32 %k, %rank, 64, %t; mul.wide.u32 %o, %k, 16; add.s64 %o, %o, %out;
 @%one mbarrier.init.shared.b64 [%bar], 69; bar.sync 0; barrier.cluster.arrive; barrier.cluster.wait;
 xor.b32 %k, %rank, 1; mapa.shared::cluster.u32 %v, %bar, %k;
 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%v];
 @%one mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%v], 3;
 @%one mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%v], 16;
 @%one mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%v];
 @%one mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%v], 16;
WAIT: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p, [%bar], 0; @!%p bra WAIT;
 st.global.u32 [%o], %t; barrier.cluster.arrive; barrier.cluster.wait;)",
       64, 2, 2},
      {"registers_given_back", R"(
 .reg .pred %p; .reg .b64 %o; mul.wide.u32 %o, %t, 4; add.s64 %o, %o, %out;
 setp.lt.u32 %p, %t, 128; @%p bra FEW;
 setmaxnreg.inc.sync.aligned.u32 232; st.global.u32 [%o], %t; bra END;
FEW: setmaxnreg.dec.sync.aligned.u32 40; st.global.u32 [%o+4096], %t;
END:)",
       256},
      {"spaces", R"(
 .reg .pred %p; .reg .b64 %o, %x, %l; .reg .b32 %k; .local .align 4 .b8 here[16]; mul.wide.u32 %o, %t, 64; add.s64 %o, %o, %out;
 cvt.u64.u32 %x, %s; cvta.shared.u64 %x, %x; mov.u64 %l, here; cvta.local.u64 %l, %l; setp.lt.u32 %p, %t, 10; selp.b64 %x, %x, %l, %p; setp.gt.u32 %p, %t, 20; selp.b64 %x, %o, %x, %p;
 isspacep.shared %p, %x; selp.u32 %k, 1, 0, %p; st.global.u32 [%o], %k;
 isspacep.shared::cluster %p, %x; selp.u32 %k, 1, 0, %p; st.global.u32 [%o+4], %k;
 isspacep.local %p, %x; selp.u32 %k, 1, 0, %p; st.global.u32 [%o+8], %k;)"},
  };
  return kAll;
}

void compare(const std::vector<MachineProgram>& programs, const std::string& target) {
  const Toolkit toolkit = find_toolkit();
  if (!toolkit.complete()) {
    WARN("no ptxas or no nvdisasm: no program was run from its machine code");
    return;
  }
  const auto machine = run_from_machine_code(toolkit, programs, target);
  INFO((machine ? std::string() : machine.error().text()));
  REQUIRE(machine.ok());
  const auto ptx = run_from_ptx(programs, target);
  INFO((ptx ? std::string() : ptx.error().text()));
  REQUIRE(ptx.ok());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    INFO(programs[i].name << " for " << target);
    const auto &a = (*machine)[i].out, &b = (*ptx)[i].out;
    std::size_t differ = 0, first = 0;
    for (std::size_t k = a.size(); k-- > 0;)
      if (a[k] != b[k]) ++differ, first = k;
    INFO(
        fmt::format("word {}: {:#x} from machine code, {:#x} from PTX", first, a[first], b[first]));
    CHECK(differ == 0);
    CHECK(std::ranges::any_of(b, [](std::uint32_t word) { return word != 0; }));
    for (const std::string& text : (*machine)[i].unknown) FAIL_CHECK("no row: " << text);
  }
}

}  // namespace

TEST_CASE("products of a warpgroup are the same from machine code", "[machine]") {
  std::vector<MachineProgram> programs;
  for (const WarpgroupForm& g : kGroups) programs.push_back(program_of(g, programs.size()));
  compare(programs, "sm_90a");
}

TEST_CASE("sparse products are the same from machine code", "[machine]") {
  for (const char* target : {"sm_80", "sm_90", "sm_120"}) {
    std::vector<MachineProgram> programs;
    for (const SparseForm& s : kSparse)
      if (!s.since_89 || std::string_view(target) != "sm_80")
        programs.push_back(program_of(s, programs.size()));
    compare(programs, target);
  }
}

TEST_CASE("a tensor map that machine code has changed is named", "[machine]") {
  const Toolkit toolkit = find_toolkit();
  if (!toolkit.complete()) {
    WARN("no ptxas or no nvdisasm: no program was run from its machine code");
    return;
  }
  const auto ran = run_from_machine_code(
      toolkit,
      {{"changes",
        counted(4096, R"(@%one tensormap.replace.tile.box_dim.global.b1024.b32 [%in], 1, 16;
 fence.proxy.async;
 @%one cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%d], [%in, {0, 0}], [%bar];)",
                64),
        64}},
      "sm_90a");
  REQUIRE(!ran.ok());
  INFO(ran.error().text());
  CHECK(ran.error().text().find("was changed by machine code") != std::string::npos);
  CHECK(ran.error().text().find("--level ptx") != std::string::npos);
}

TEST_CASE("copies of a cluster, and mbarriers, are the same from machine code", "[machine]") {
  compare(copies(), "sm_90a");
}
