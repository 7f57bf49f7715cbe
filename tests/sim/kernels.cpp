// Kernels small enough to count by hand.
#include "tests/catch.hpp"
#include "tests/sim/support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

TEST_CASE("a copy moves four sectors a warp each way") {
  Kernel k = kernel(4, 64);
  const auto ld = k.site(Op::kLoad, Space::kGlobal, 4), st = k.site(Op::kStore, Space::kGlobal, 4);
  k.fill = [&](Warp& w) {
    const std::uint64_t at = (w.cta * 2 + w.warp) * 128;
    w.records = {regular(ld, kA + at, 4), regular(st, kB + at, 4)};
  };
  const auto c = count(k);
  CHECK(c.records == 16);
  CHECK(c.inst_global_ld == 8);
  CHECK(c.inst_global_st == 8);
  CHECK(c.global_ld.requests == 8);
  CHECK(c.global_ld.sectors == 32);
  CHECK(c.global_ld.hits == 0);
  CHECK(c.global_st.sectors == 32);
  CHECK(c.tag_requests == 16);
  CHECK(c.theoretical_global == 64);
  CHECK(c.l1_fill_sectors == 32);
  CHECK(c.l1_write_sectors == 32);
  CHECK(c.l2.read == 32);
  CHECK(c.l2.write == 32);
  CHECK(c.l2.read_hit == 0);
  CHECK(c.l2.dram_read == 32 + h200().numbers().launch_dram_read_sectors);
}

TEST_CASE("a stride of 128 bytes touches a line a lane") {
  Kernel k = kernel();
  const auto ld = k.site(Op::kLoad, Space::kGlobal, 4);
  k.fill = [&](Warp& w) { w.records = {regular(ld, kA, 128), regular(ld, kA + 4, 128)}; };
  const auto c = count(k);
  CHECK(c.global_ld.requests == 2);
  CHECK(c.global_ld.sectors == 64);
  CHECK(c.global_ld.hits == 32);  // the neighbouring word is in the same sector
  CHECK(c.tag_requests == 64);
  CHECK(c.tag_wavefronts_ld == 16);  // 32 lines, a quarter of them in each tag bank
  CHECK(c.l2.dram_read == 64 + h200().numbers().launch_dram_read_sectors);  // 64 bytes each
}

TEST_CASE("a broadcast touches one sector whatever the lanes") {
  Kernel k = kernel();
  const auto ld = k.site(Op::kLoad, Space::kGlobal, 8);
  k.fill = [&](Warp& w) {
    w.records = {regular(ld, kA + 64, 0), regular(ld, kA + 64, 0, 0x80000001)};
  };
  const auto c = count(k);
  CHECK(c.global_ld.sectors == 2);
  CHECK(c.global_ld.hits == 1);
  CHECK(c.l2.read == 1);
}

TEST_CASE("negative strides, gaps in the mask and straddling words count their sectors") {
  Kernel k = kernel();
  const auto word = k.site(Op::kLoad, Space::kGlobal, 4),
             quad = k.site(Op::kLoad, Space::kGlobal, 16);
  k.fill = [&](Warp& w) {
    w.records = {regular(word, kA + 124, -4),               // the same line, backwards: 4
                 regular(word, kA + 4096, 4, 0x000000ff),   // 1
                 regular(word, kA + 8192, 4, 0x01010101),   // 4
                 regular(word, kA + 16384, 4, 0xff000000),  // the last sector: 1
                 regular(quad, kA + 32768, 16),             // four lines: 16
                 regular(word, kA + 65536 + 30, 0, 1)};     // two sectors of one line
  };
  const auto c = count(k);
  CHECK(c.global_ld.sectors == 4 + 1 + 4 + 1 + 16 + 2);
  CHECK(c.tag_requests == 1 + 1 + 1 + 1 + 4 + 1);
}

TEST_CASE("records without active lanes count as records only") {
  Kernel k = kernel();
  const auto ld = k.site(Op::kLoad, Space::kGlobal, 4), sh = k.site(Op::kLoad, Space::kShared, 4);
  k.fill = [&](Warp& w) { w.records = {regular(ld, kA, 4, 0), regular(sh, 0, 4, 0)}; };
  const auto c = count(k);
  CHECK(c.records == 2);
  CHECK(c.inst_global_ld == 0);
  CHECK(c.global_ld.requests == 0);
  CHECK(c.shared_wavefronts == 0);
}

TEST_CASE("a transpose through shared memory conflicts 32 ways, and not at all when padded") {
  for (std::int32_t pitch : {128, 132}) {
    Kernel k = kernel();
    const auto ld = k.site(Op::kLoad, Space::kGlobal, 4),
               sts = k.site(Op::kStore, Space::kShared, 4);
    const auto lds = k.site(Op::kLoad, Space::kShared, 4),
               st = k.site(Op::kStore, Space::kGlobal, 4);
    k.fill = [&](Warp& w) {
      for (std::uint64_t y = 0; y < 32; ++y) {
        w.records.push_back(regular(ld, kA + y * 4096, 4));
        w.records.push_back(regular(sts, y * static_cast<std::uint64_t>(pitch), 4));
      }
      for (std::uint64_t x = 0; x < 32; ++x) {
        w.records.push_back(regular(lds, x * 4, pitch));
        w.records.push_back(regular(st, kB + x * 4096, 4));
      }
    };
    const auto c = count(k);
    const std::uint64_t passes = pitch == 128 ? 32 * 32 : 32;
    CHECK(c.shared_wavefronts_st == 32);
    CHECK(c.shared_wavefronts_ld == passes);
    CHECK(c.shared_wavefronts == 32 + passes);
    CHECK(c.shared_conflicts_ld == passes - 32);
    CHECK(c.global_ld.sectors == 128);
    CHECK(c.global_st.sectors == 128);
  }
}

TEST_CASE(
    "a transpose without shared memory stores a sector a lane, and its tile stays in the L1") {
  Kernel k = kernel();
  const auto ld = k.site(Op::kLoad, Space::kGlobal, 4), st = k.site(Op::kStore, Space::kGlobal, 4);
  k.fill = [&](Warp& w) {
    for (std::uint64_t y = 0; y < 32; ++y) {
      w.records.push_back(regular(ld, kA + y * 16384, 4));
      w.records.push_back(regular(st, kB + y * 4, 16384));
    }
  };
  const auto c = count(k);
  CHECK(c.global_ld.sectors == 128);
  CHECK(c.global_st.sectors == 32 * 32);
  CHECK(c.global_st.hits == 31 * 32);  // all but the first find their line
  CHECK(c.l2.write == 32 * 32);
  CHECK(c.l2.dram_read == 128 + h200().numbers().launch_dram_read_sectors);
}

TEST_CASE("cache operators decide what looks into the L1") {
  struct Case {
    const char* sass;
    std::uint64_t hits;  // of the second load of four sectors, after the first
    std::uint64_t l2;    // sectors read from L2 by both
  };
  for (const Case& x :
       {Case{"LDG.E R4, desc[UR4][R2.64]", 4, 4}, Case{"LDG.E.CONSTANT R4, desc[UR4][R2.64]", 4, 4},
        Case{"LDG.E.STRONG.GPU R4, desc[UR4][R2.64]", 0, 8},
        Case{"LDG.E.STRONG.SYS R4, desc[UR4][R2.64]", 0, 8},
        Case{"LDG.E.NA R4, desc[UR4][R2.64]", 0, 8}, Case{"LDG.E.EF R4, desc[UR4][R2.64]", 4, 4}}) {
    Kernel k = kernel();
    const auto ld = k.site(Op::kLoad, Space::kGlobal, 4, x.sass);
    k.fill = [&](Warp& w) { w.records = {regular(ld, kA, 4), regular(ld, kA, 4)}; };
    const auto c = count(k);
    INFO(x.sass);
    CHECK(c.global_ld.hits == x.hits);
    CHECK(c.l2.read == x.l2);
  }
}

TEST_CASE("an atomic takes its sector out of the L1") {
  Kernel k = kernel();
  const auto ld = k.site(Op::kLoad, Space::kGlobal, 4),
             red = k.site(Op::kReduction, Space::kGlobal, 4);
  k.fill = [&](Warp& w) {
    w.records = {regular(ld, kA, 4), regular(red, kA, 4, 0xff), regular(ld, kA, 4)};
  };
  const auto c = count(k);
  CHECK(c.inst_red == 1);
  CHECK(c.global_red.sectors == 1);
  CHECK(c.global_ld.hits == 3);
  CHECK(c.l2.reduction == 1);
  CHECK(c.l2.reduction_hit == 1);
  CHECK(c.l2.atomic == 0);
}

TEST_CASE("shared atomics cost by their SASS") {
  struct Case {
    const char* sass;
    std::uint64_t wavefronts;
  };
  for (const Case& x : {Case{"ATOMS.ADD R4, [R5], R6", 32}, Case{"ATOMS.CAS R4, [R5], R6, R7", 64},
                        Case{"ATOMS.POPC.INC.32 RZ, [R5]", 1}}) {
    Kernel k = kernel();
    const auto atom = k.site(Op::kAtomic, Space::kShared, 4, x.sass);
    k.fill = [&](Warp& w) { w.records = {regular(atom, 64, 0)}; };
    INFO(x.sass);
    const auto c = count(k);
    CHECK(c.shared_wavefronts == x.wavefronts);
    CHECK(c.inst_shared_atom == 1);
  }
}

TEST_CASE("matrix loads take a wavefront a matrix of neighbouring rows") {
  for (std::uint32_t matrices : {1u, 2u, 4u}) {
    Kernel k = kernel();
    const auto ldsm = k.site(Op::kMatrixLoad, Space::kShared, 16),
               stsm = k.site(Op::kMatrixStore, Space::kShared, 16);
    const std::uint32_t mask = matrices == 4 ? ~0u : (1u << 8 * matrices) - 1;
    k.fill = [&](Warp& w) {
      w.records = {regular(ldsm, 0, 16, mask), regular(stsm, 0, 128, mask)};
    };
    const auto c = count(k);
    CHECK(c.inst_ldsm == 1);
    CHECK(c.inst_stsm == 1);
    CHECK(c.shared_wavefronts == matrices + 8 * matrices);  // rows 128 bytes apart: eight passes
  }
}

TEST_CASE("a product's matrices take a wavefront for 128 bytes, once for its four warps") {
  Kernel k = kernel(1, 256);
  const auto wide = k.site(Op::kProductRead, Space::kShared, 6144),
             narrow = k.site(Op::kProductRead, Space::kShared, 256);
  k.fill = [&](Warp& w) {
    w.records = {regular(wide, 0x400, 0), regular(narrow, 0x800, 0), regular(wide, 0x400, 0)};
  };
  const auto c = count(k);
  CHECK(c.shared_wavefronts == 2 * (48 + 2 + 48));  // two warpgroups
  CHECK(c.shared_wavefronts_ld == 0);               // no load does it
  CHECK(c.inst_shared_ld == 0);
}

TEST_CASE("local memory interleaves lanes, so that one word of all lanes is a line") {
  Kernel k = kernel(1, 64);
  k.launch.local_bytes = 64;
  const auto st = k.site(Op::kStore, Space::kLocal, 4), ld = k.site(Op::kLoad, Space::kLocal, 4);
  k.fill = [&](Warp& w) {
    for (std::uint64_t i = 0; i < 16; ++i) w.records.push_back(regular(st, i * 4, 0));
    for (std::uint64_t i = 0; i < 16; ++i) w.records.push_back(regular(ld, i * 4, 0));
  };
  const auto c = count(k);
  CHECK(c.local_st.requests == 32);
  CHECK(c.local_st.sectors == 128);
  CHECK(c.local_ld.sectors == 128);
  CHECK(c.local_ld.hits == 128);  // written whole a moment ago, by the same warp
  CHECK(c.local_st.hits == 0);    // two warps share no line
  CHECK(c.l2.write == 128);
  CHECK(c.l2.read == 0);
}

TEST_CASE("host memory passes through and is read again each time it misses the L1") {
  Kernel k = kernel();
  k.launch.allocations = {{kA, 4096, trace::AllocationKind::kHost}};
  const auto ld = k.site(Op::kLoad, Space::kGlobal, 4, "LDG.E.STRONG.SYS R4, desc[UR4][R2.64]");
  const auto st = k.site(Op::kStore, Space::kGlobal, 4);
  k.fill = [&](Warp& w) {
    w.records = {regular(ld, kA, 4), regular(ld, kA, 4), regular(st, kA, 4),
                 regular(ld, kA + 4096, 4)};
  };
  const auto c = count(k);
  CHECK(c.l2.sysmem_read == 8);
  CHECK(c.l2.sysmem_write == 4);
  const std::uint64_t code = 1;  // its one instruction that is known
  CHECK(c.l2.dram_read == 4 + code + h200().numbers().launch_dram_read_sectors);
}

TEST_CASE("wide contiguous bulk copies move every sector once") {
  Kernel k = kernel();
  const auto in = k.site(Op::kBulkRead, Space::kGlobal, 65536),
             out = k.site(Op::kBulkWrite, Space::kGlobal, 65536);
  k.fill = [&](Warp& w) { w.records = {regular(in, kA, 0, 1), regular(out, kB, 0, 1)}; };
  const auto c = count(k);
  CHECK(c.l2.read == 2048);
  CHECK(c.l2.write == 2048);
  CHECK(c.global_ld.sectors == 0);  // they pass by the L1
}

TEST_CASE("a wide load is as wide as its text says, however much of it the recording saw") {
  const auto shared = [](std::uint32_t recorded) {
    Kernel k = kernel();
    const auto ld = k.site(Op::kLoad, Space::kShared, recorded, "LDS.128 R4, [R4]");
    k.fill = [=](Warp& w) { w.records = {regular(ld, 0x410, 16)}; };
    return count(k).shared_wavefronts;
  };
  CHECK(shared(12) == shared(16));
  CHECK(shared(16) == 4);
  const auto global = [](std::uint32_t recorded) {
    Kernel k = kernel();
    const auto ld = k.site(Op::kLoad, Space::kGlobal, recorded, "LDG.E.64 R4, desc[UR4][R2.64]");
    k.fill = [=](Warp& w) { w.records = {regular(ld, kA + 28, 128)}; };
    return count(k).global_ld.sectors;
  };
  CHECK(global(4) == 64);
}
