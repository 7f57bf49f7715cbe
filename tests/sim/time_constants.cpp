// Constants in time: what a load of them costs by its addresses, recorded or worked out of the
// code.
#include "sim/code/lane_values.hpp"
#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

std::vector<sim::ConstantRead> reads(const std::vector<Line>& text, Dim3 block = {256, 1, 1}) {
  trace::Launch l;
  l.block = block;
  l.grid = {7, 1, 1};
  const trace::Program p = program(text);
  return sim::constant_reads(trace::DecodedProgram(p), l);
}

// Distinct addresses of the last load.
std::size_t distinct(const std::vector<Line>& text, Dim3 block = {256, 1, 1}) {
  return reads(text, block).back().addresses.size();
}

constexpr std::uint64_t kBank3 = std::uint64_t{3} << 32;

// A chain of 100 loads of the record's addresses.
std::uint64_t chain_of(const std::function<Record(Warp&, std::uint64_t)>& load,
                       std::uint32_t threads = 32) {
  Kernel k = kernel(1, threads);
  k.code = lines({{"LDC R4, c[0x3][R4] ;", control(2, 0, kNone, 1)},
                  {"@P0 BRA 0x0 ;", control(4)},
                  {"EXIT ;"}});
  k.sites = {{0x00, Op::kLoad, Space::kConstant, 4}};
  k.text.resize(1);
  k.fill = [&](Warp& w) {
    for (std::uint64_t i = 0; i < 100; ++i) w.records.push_back(load(w, i));
  };
  return cycles(k);
}

}  // namespace

TEST_CASE("constants named in instructions are lines to fetch, parameters are not") {
  const auto r = reads({{"LDC R1, c[0x0][0x28] ;"},
                        {"FFMA R2, R3, c[0x3][0x10], R4 ;"},
                        {"ULDC UR4, c[0x4][0x8] ;"},
                        {"ULDC UR4, c[0x3][-0x8000] ;"}});
  REQUIRE(r.size() == 3);
  CHECK(r[0].line == 1);
  CHECK_FALSE(r[0].indexed);
  CHECK(r[0].addresses == std::vector{kBank3 | 0x10});
  CHECK(r[1].addresses == std::vector{std::uint64_t{4} << 32 | 8});
  CHECK(r[2].addresses == std::vector{kBank3 | 0x8000});
}

TEST_CASE("how many addresses an indexed load has follows from thread numbers") {
  const Line tid{"S2R R0, SR_TID.X ;"};
  CHECK(distinct({tid, {"LDC R2, c[0x3][R0] ;"}}) == 32);
  CHECK(distinct({tid, {"SHF.R.U32.HI R1, RZ, 0x4, R0 ;"}, {"LDC R2, c[0x3][R1] ;"}}) == 2);
  CHECK(distinct({tid, {"LOP3.LUT R1, R0, 0x7, RZ, 0xc0, !PT ;"}, {"LDC R2, c[0x3][R1] ;"}}) == 8);
  CHECK(distinct({tid, {"IMAD R1, R0, 0xb, R5 ;"}, {"LDC R2, c[0x3][R1] ;"}}) ==
        0);  // R5: who knows
  // A parameter is the same in all lanes, whatever it is.
  CHECK(distinct({tid,
                  {"LDC R5, c[0x0][0x210] ;"},
                  {"IMAD R1, R0, 0xb, R5 ;"},
                  {"LDC R2, c[0x3][R1] ;"}}) == 32);
  CHECK(distinct({{"S2R R0, SR_TID.Y ;"}, {"LDC R2, c[0x3][R0] ;"}}, {8, 8, 1}) == 4);
  // Through the sign of a division by 32 and the launch's shape.
  CHECK(distinct({tid,
                  {"S2UR UR4, SR_CTAID.X ;"},
                  {"LDC R3, c[0x0][RZ] ;"},
                  {"IMAD R0, R3, UR4, R0 ;"},
                  {"SHF.R.S32.HI R3, RZ, 0x1f, R0 ;"},
                  {"LEA.HI R3, R3, R0, RZ, 0x5 ;"},
                  {"LOP3.LUT R3, R3, 0xffffffe0, RZ, 0xc0, !PT ;"},
                  {"IMAD.IADD R3, R0, 0x1, -R3 ;"},
                  {"IMAD.SHL.U32 R3, R3, 0x4, RZ ;"},
                  {"LDC R2, c[0x3][R3+0x20] ;"}}) == 32);
  CHECK(reads({tid, {"IMAD.SHL.U32 R3, R0, 0x4, RZ ;"}, {"LDC R2, c[0x3][R3+0x20] ;"}})[0]
            .addresses[1] == (kBank3 | 0x24));
}

TEST_CASE("what memory brings, and what runs in some lanes only, is not known") {
  const Line tid{"S2R R0, SR_TID.X ;"};
  CHECK(distinct({tid, {"LDG.E R0, desc[UR4][R2.64] ;"}, {"LDC R2, c[0x3][R0] ;"}}) == 0);
  CHECK(distinct({tid, {"@P0 MOV R0, RZ ;"}, {"LDC R2, c[0x3][R0] ;"}}) == 0);
  CHECK(distinct({tid, {"SHFL.IDX PT, R0, R0, R1, 0x1f ;"}, {"LDC R2, c[0x3][R0] ;"}}) == 0);
}

TEST_CASE("time: each further address of a warp's constant load costs what the card says") {
  const auto n = h200().numbers();
  const auto same = chain_of([](Warp&, std::uint64_t) { return regular(0, kA, 0); });
  const auto eight = chain_of([](Warp& w, std::uint64_t) {
    return listed(w, 0, kLanes, [](unsigned l) { return kA + l % 8 * 4; });
  });
  const auto all = chain_of([](Warp&, std::uint64_t) { return regular(0, kA, 2); });
  // Those of the first load are looked up while its first address is on its way from memory.
  CHECK(eight - same == 99 * 7 * n.constant_next_cycles);
  CHECK(all - same == 99 * 31 * n.constant_next_cycles);
}

TEST_CASE("time: constants come from memory once, and from the caches then") {
  const auto n = h200().numbers();
  const auto one_line = chain_of([](Warp&, std::uint64_t) { return regular(0, kA, 0); });
  const auto each_new =
      chain_of([](Warp&, std::uint64_t i) { return regular(0, kA + i * 256, 0); });
  CHECK(each_new - one_line == 99 * n.constant_memory_cycles);
}

TEST_CASE("time: constants of a recording are worked out of its code") {
  // 20 loads one after the other whose addresses depend on the thread number, as no recording says.
  const auto kernel_of = [](const std::string& index) {
    Kernel k = kernel(1, 32);
    std::vector<Line> text = {{"S2R R0, SR_TID.X ;", control(13)}, {index, control(6)}};
    for (int i = 0; i < 20; ++i) text.push_back({"LDC R2, c[0x3][R1] ;", control(2, 0, kNone, 1)});
    text.push_back({"STG.E desc[UR4][R6.64], R2 ;", control(2, kNone, kNone, 1)});
    text.push_back({"EXIT ;"});
    k.code = lines(text);
    k.sites = {{static_cast<std::uint32_t>(16 * (text.size() - 2)), Op::kStore, Space::kGlobal, 4}};
    k.text.resize(1);
    k.fill = [](Warp& w) { w.records.push_back(regular(0, kB, 4)); };
    return cycles(k);
  };
  const std::uint64_t uniform = kernel_of("LOP3.LUT R1, R0, 0x0, RZ, 0xc0, !PT ;"),
                      divergent = kernel_of("LOP3.LUT R1, R0, 0x1f, RZ, 0xc0, !PT ;");
  CHECK(divergent - uniform == 19 * 31 * h200().numbers().constant_next_cycles);
}

TEST_CASE("time: a full SM whose warps all name constants gets on") {
  // A loop that the code tells, of 200 rounds: each warp's constant is looked up once a round.
  Kernel k = kernel(132 * 8, 256);
  k.code = lines({{"MOV R0, RZ ;", control(5)},
                  {"FFMA R7, R7, c[0x3][0x10], R7 ;", control(4)},
                  {"IADD3 R0, R0, 0x1, RZ ;", control(4)},
                  {"ISETP.NE.AND P0, PT, R0, 0xc8, PT ;", control(13)},
                  {"@P0 BRA 0x10 ;", control(5)},
                  {"FFMA R7, R7, c[0x3][0x20], R7 ;", control(4)},
                  {"STG.E desc[UR4][R6.64], R7 ;", control(2)},
                  {"EXIT ;"}});
  k.sites = {{0x60, Op::kStore, Space::kGlobal, 4}};
  k.text.resize(1);
  k.fill = [](Warp& w) { w.records.push_back(regular(0, kB, 4)); };
  const auto c = cycles(k);
  CHECK(c > 199 * 26);
  CHECK(c < 199 * 26 * 5);
}
