// A kernel's code as the time engine reads it: control words as they are, and waits worked out from
// the registers where there are none.
#include "sim/time/code_cache.hpp"
#include "tests/catch.hpp"
#include "tests/sim/h200_rows.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;
using sim::CodeLine;
using sim::kNoScoreboard;

namespace {

// Scoreboards that the line sets with its result, as a mask.
unsigned mask_of(const CodeLine& l) { return l.sets == kNoScoreboard ? 0 : 1u << l.sets; }

}  // namespace

TEST_CASE("time: control words are used as they are") {
  const auto code = read_code(program({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 3, 1, 0)},
                                       // Reads R4, yet its control word waits for others.
                                       {"FADD R5, R4, R4 ;", control(15, kNone, kNone, 0b100010)},
                                       {"STG.E desc[UR4][R2.64], R5 ;", control(0, kNone, 0, 1)}}));
  REQUIRE(code.size() == 3);
  CHECK(code[0].stall == 2);
  CHECK(code[0].sets == 3);
  CHECK(code[0].frees == 1);
  CHECK(code[0].waits == 0);
  CHECK(code[1].stall == 15);
  CHECK(code[1].sets == kNoScoreboard);
  CHECK(code[1].waits == 0b100010);
  CHECK(code[2].stall == 1);  // no two instructions of a warp in one cycle
  CHECK(code[2].frees == 0);
  CHECK(code[2].pc == 0x20);
}

TEST_CASE("time: without control words a load's first use waits for it, and nothing before") {
  const auto code = read_code(
      without_control({"LDG.E R4, desc[UR4][R2.64] ;", "IADD3 R6, R7, R8, RZ ;",
                       "LDG.E R9, desc[UR4][R10.64] ;", "FADD R5, R4, R4 ;", "FADD R5, R9, R5 ;"}));
  REQUIRE(code.size() == 5);
  CHECK(mask_of(code[0]) != 0);
  CHECK(mask_of(code[2]) != 0);
  CHECK(mask_of(code[0]) != mask_of(code[2]));
  CHECK(code[1].waits == 0);
  CHECK(code[2].waits == 0);
  CHECK(code[3].waits == mask_of(code[0]));
  CHECK((code[4].waits & mask_of(code[2])) != 0);
}

TEST_CASE("time: without control words every register of a wide load is waited for") {
  const auto code =
      read_code(without_control({"LDG.E.128 R4, desc[UR4][R2.64] ;", "FADD R8, R7, R9 ;"}));
  CHECK(code[1].waits == mask_of(code[0]));
}

TEST_CASE("time: without control words results of fixed latency are waited for by stalling") {
  const auto chain = read_code(
      without_control({"FFMA R4, R5, R6, R7 ;", "FFMA R8, R4, R6, R7 ;", "FFMA R9, R4, R6, R7 ;"}));
  CHECK(chain[0].stall == chain[0].cost.latency);
  CHECK(chain[0].sets == kNoScoreboard);
  CHECK(chain[1].waits == 0);
  CHECK(chain[1].stall == 1);  // the next one does not read its result
}

TEST_CASE("time: without control words results of variable latency take a scoreboard") {
  const auto code = read_code(without_control({"MUFU.RCP R4, R5 ;", "FADD R6, R4, R4 ;"}));
  CHECK(mask_of(code[0]) != 0);
  CHECK(code[1].waits == mask_of(code[0]));
}

TEST_CASE("time: a register written anew is not waited for any more") {
  const auto code = read_code(
      without_control({"LDG.E R4, desc[UR4][R2.64] ;", "MOV R4, R6 ;", "FADD R5, R4, R4 ;"}));
  CHECK((code[2].waits & mask_of(code[0])) == 0);
}

TEST_CASE("time: DEPBAR drains its scoreboard down to what it leaves out") {
  const auto code = read_code(program({{"LDGDEPBAR ;"},
                                       {"DEPBAR.LE SB0, 0x2 ;"},
                                       {"DEPBAR.LE SB3, 0x0 ;"},
                                       {"FADD R1, R2, R3 ;"}}));
  CHECK(code[0].commits);
  CHECK(code[0].drains == kNoScoreboard);
  CHECK(code[1].drains == 0);
  CHECK(code[1].leaves == 2);
  CHECK(code[2].drains == 3);
  CHECK(code[2].leaves == 0);
  CHECK(code[3].drains == kNoScoreboard);
  CHECK_FALSE(code[3].commits);
}

TEST_CASE("time: arrivals at a cluster's barrier, waiting there, and fences") {
  const auto code = read_code(program({{"UCGABAR_ARV ;"},
                                       {"UCGABAR_WAIT ;"},
                                       {"MEMBAR.ALL.GPU ;"},
                                       {"MEMBAR.SC.CTA ;"},
                                       {"EXIT ;"}}));
  for (std::size_t i = 0; i < code.size(); ++i) {
    CHECK(code[i].joins == (i == 0));
    CHECK(code[i].meets == (i == 1));
    CHECK(code[i].fences == (i == 2));
  }
}

TEST_CASE("time: the launch decides the branches around a cluster's barrier") {
  // As ptxas writes them: over the arrival, over the waiting.
  const auto p = program({{"@!P0 BRA 0x30 ;"},
                          {"UCGABAR_ARV ;"},
                          {"BRA 0x40 ;"},
                          {"NOP ;"},
                          {"@!P0 BRA 0x70 ;"},
                          {"UCGABAR_WAIT ;"},
                          {"BRA 0x80 ;"},
                          {"BAR.SYNC.DEFER_BLOCKING 0x0 ;"},
                          {"@P1 BRA 0xa0 ;"},
                          {"UCGABAR_ARV ;"},
                          {"EXIT ;"}});
  const auto in_cluster = read_code(p, true), alone = read_code(p, false);
  for (std::size_t branch : {0u, 4u}) {
    CHECK(in_cluster[branch].target == -1);
    CHECK(in_cluster[branch].falls);
    CHECK(alone[branch].target >= 0);
    CHECK_FALSE(alone[branch].falls);
  }
  // A branch of the program's own stays one.
  CHECK(in_cluster[8].target == 10);
  CHECK(in_cluster[8].falls);
}

TEST_CASE("time: where instructions go next") {
  const auto code = read_code(program({{"@P0 BRA 0x40 ;"},
                                       {"BRA 0x0 ;"},
                                       {"@!P1 EXIT ;"},
                                       {"EXIT ;"},
                                       {"FADD R1, R2, R3 ;"},
                                       {"BRX R2 -0x60 ;"}}));
  CHECK(code[0].target == 4);
  CHECK(code[0].falls);
  CHECK(code[1].target == 0);
  CHECK_FALSE(code[1].falls);
  CHECK(code[2].target == -1);
  CHECK(code[2].falls);
  CHECK_FALSE(code[3].falls);
  CHECK(code[4].falls);
  CHECK(code[4].target == -1);
  CHECK_FALSE(code[5].falls);
}

TEST_CASE("time: a jump out of the function goes nowhere") {
  const auto code = read_code(program({{"@P0 BRA 0x1000 ;"}, {"EXIT ;"}}));
  CHECK(code[0].target == -1);
}

TEST_CASE("time: what no decoder knows is still an instruction") {
  const auto code = read_code(program({{"FROBNICATE R1, R2 ;", control(5)}, {"???", control(3)}}));
  REQUIRE(code.size() == 2);
  CHECK(code[0].stall == 5);
  CHECK(code[1].stall == 3);
  CHECK(code[1].falls);
}

TEST_CASE("time: PTX waits by register, and knows what is memory") {
  const auto code = read_code(without_control(
      {"ld.param.u64 %rd1, [k_param_0];", "ld.global.f32 %f1, [%rd1];", "add.f32 %f2, %f3, %f3;",
       "@%p1 add.f32 %f4, %f1, %f2;", "st.global.f32 [%rd1], %f4;", "cp.async.commit_group;",
       "cp.async.wait_group 1;", "ret;"},
      trace::Level::kPtx));
  REQUIRE(code.size() == 8);
  CHECK_FALSE(code[0].memory);  // parameters are constants, which leave no records
  CHECK(code[1].memory);
  CHECK((code[1].waits & mask_of(code[0])) != 0);
  CHECK((code[2].waits & mask_of(code[1])) == 0);
  CHECK((code[3].waits & mask_of(code[1])) != 0);
  CHECK(code[3].guarded);
  CHECK(code[4].memory);
  CHECK(code[4].sets == kNoScoreboard);  // nothing to wait for
  CHECK(code[5].commits);
  CHECK(code[6].drains != kNoScoreboard);
  CHECK(code[6].leaves == 1);
  CHECK_FALSE(code[7].falls);
}

TEST_CASE("time: an SM gets new code piece by piece, and has it then") {
  // One warp through straight code, each instruction so many cycles after the last.
  const auto run = [](std::size_t instructions, unsigned stall, std::uint32_t warps) {
    Kernel k = kernel(1, warps * 32);
    std::vector<Line> text(instructions, Line{"FFMA R4, R5, R6, RZ ;", control(stall)});
    text.push_back({"STG.E desc[UR4][R2.64], R5 ;", control(1)});
    text.push_back({"EXIT ;", control(5)});
    k.code = lines(text);
    const auto end = static_cast<std::uint32_t>(16 * instructions);
    k.sites = {{end, trace::Op::kStore, trace::Space::kGlobal, 4}};
    k.text.resize(1);
    k.fill = [](Warp& w) { w.records.push_back(regular(0, kB, 4)); };
    return static_cast<double>(cycles(k));
  };
  const double each = static_cast<double>(h200().numbers().time_code_cycles);
  // Faster than it comes, and slower.
  CHECK((run(1032, 1, 1) - run(264, 1, 1)) / 768 * 24 == Approx(each).epsilon(0.05));
  CHECK((run(1032, 8, 1) - run(264, 8, 1)) / 768 == Approx(8).epsilon(0.02));
  // It comes once for all warps.
  CHECK(run(1032, 1, 4) - run(1032, 1, 1) < 100);
}

TEST_CASE("time: loops whose code is too large for an SM or its GPC have it come again") {
  // One warp goes round so many instructions, one a cycle; against code_loop.csv, one SM.
  const model::Card card = h200();
  const auto a_round = [&](std::uint32_t instructions) {
    sim::CodeCache code(card.numbers(), 16 * (instructions + 20));
    const std::uint32_t pieces =
        static_cast<std::uint32_t>((instructions + 20) * 16 / card.numbers().code_piece_bytes) + 1;
    std::uint64_t now = 0, began = 0;
    for (int round = 0; round < 12; ++round) {
      if (round == 4) began = now;
      for (std::uint32_t k = 0; k < pieces; ++k)
        now = code.fetch(k, now) + std::min(24u, instructions + 20 - 24 * k);
    }
    CHECK((code.again() > 0) == (instructions >= 2048));
    return static_cast<double>(now - began) / 8;
  };
  std::size_t cases = 0;
  for (auto& row : rows_of("code_loop.csv")) {
    if (row["sms"] != "1" || row["warps"] != "1") continue;
    INFO(row["instructions"]);
    // Where it is just too large, it hangs on which sets the rest falls into.
    const bool just = row["instructions"] == "2048" || row["instructions"] == "8192" ||
                      row["instructions"] == "7168";
    CHECK(a_round(static_cast<std::uint32_t>(std::stoul(row["instructions"]))) ==
          Approx(std::stod(row["later"])).epsilon(just ? 0.15 : 0.09));
    ++cases;
  }
  CHECK(cases == 15);
}

TEST_CASE("time: straight code comes slowly beyond what the launch has brought") {
  const model::Card card = h200();
  const model::CardNumbers& n = card.numbers();
  const auto straight = [&](std::uint64_t bytes) {
    sim::CodeCache code(n, bytes);
    std::uint64_t now = 0;
    for (std::uint32_t k = 0; k < bytes / n.code_piece_bytes; ++k) now = code.fetch(k, now);
    return static_cast<double>(now) / static_cast<double>(bytes / n.code_piece_bytes);
  };
  CHECK(straight(64 << 10) == Approx(static_cast<double>(n.time_code_cycles)).epsilon(0.02));
  CHECK(straight(256 << 10) == Approx(0.25 * static_cast<double>(n.time_code_cycles) +
                                      0.75 * static_cast<double>(n.code_far_cycles))
                                   .epsilon(0.02));
}
