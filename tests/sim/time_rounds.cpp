// Loops that leave no records: how often they went round is in the trace, or in the code.
#include <bit>
#include <cmath>

#include "sim/code/static_flow.hpp"
#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

Site rounds_at(std::uint32_t pc) { return {pc, Op::kRounds, Space::kNone, 0}; }
Site end_site() { return {0, Op::kCtaEnd, Space::kNone, 0}; }

// A load, a loop of `body` adds that depend on each other, a store; pcs 0x00, 0x10 …
std::vector<Line> loop(std::size_t body) {
  std::vector<Line> text = {{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)}};
  for (std::size_t i = 0; i < body; ++i) text.push_back({"FADD R1, R1, R2 ;", control(4)});
  text.push_back({"@P0 BRA 0x10 ;", control(5)});
  text.push_back({"STG.E desc[UR4][R2.64], R1 ;", control(1, kNone, kNone, 1)});
  text.push_back({"EXIT ;", control(5)});
  return text;
}

// … of which each warp goes round so often more than once; a record says so.
Kernel looping(std::size_t body, std::uint64_t rounds, std::uint32_t ctas = 1,
               std::uint32_t threads = 32) {
  Kernel k = kernel(ctas, threads);
  k.code = lines(loop(body));
  const auto branch = static_cast<std::uint32_t>(16 * (body + 1));
  k.sites = {
      load_at(0x00), rounds_at(branch), {branch + 16, Op::kStore, Space::kGlobal, 4}, end_site()};
  k.text.resize(4);
  k.fill = [rounds](Warp& w) {
    w.records.push_back(regular(0, kA, 4));
    if (rounds > 0) w.records.push_back(regular(1, rounds, 0));
    w.records.push_back(regular(2, kB, 4));
    w.records.push_back(regular(3, 0, 0));
  };
  return k;
}

std::uint64_t instructions(const Kernel& k) { return timed(k, h200()).time->instructions; }

// A kernel whose loops left no records, as a recorder leaves it.
struct Recorded {
  explicit Recorded(const std::vector<std::string>& text) : program(without_control(text)) {
    program.arch = "sm_90";
    launch.block = {128, 1, 1};
    launch.grid = {10, 1, 1};
    launch.parameters_at = 0x210;
  }
  sim::StaticFlow flow() const {
    auto code = testing::read_code(program);
    for (sim::CodeLine& l : code) l.memory = false;
    return sim::static_flow(trace::DecodedProgram(program), code, launch);
  }
  std::optional<std::uint64_t> rounds() const {
    const auto f = flow();
    REQUIRE(f.loops.size() == 1);
    return f.loops[0].rounds;
  }
  void parameter(std::uint32_t value) {
    for (int k = 0; k < 4; ++k)
      launch.parameters.push_back(static_cast<std::uint8_t>(value >> 8 * k));
  }
  trace::Program program;
  trace::Launch launch;
};

}  // namespace

TEST_CASE("time: every round of a loop without accesses is issued") {
  const std::uint64_t once = instructions(looping(10, 0));
  CHECK(instructions(looping(10, 1)) == once + 11);
  CHECK(instructions(looping(10, 1000)) == once + 11 * 1000);
  CHECK(instructions(looping(10, 1000, 4, 128)) == 16 * (once + 11 * 1000));
  // A body that is long is taken step by step; it comes to the same.
  CHECK(instructions(looping(300, 50)) == instructions(looping(300, 0)) + 301 * 50);
}

TEST_CASE("time: a warp alone takes its stalls and its branch for each round") {
  const model::InstructionCost taken = costs().taken();
  const double each = (static_cast<double>(cycles(looping(10, 4000))) -
                       static_cast<double>(cycles(looping(10, 1000)))) /
                      3000;
  CHECK(each == Approx(10 * 4 + 5.0 + taken.latency).epsilon(0.01));
  const double longer = (static_cast<double>(cycles(looping(300, 60))) -
                         static_cast<double>(cycles(looping(300, 20)))) /
                        40;
  CHECK(longer == Approx(300 * 4 + 5.0 + taken.latency).epsilon(0.01));
}

TEST_CASE("time: warps in loops share issue slots and pipes") {
  // 16 warps a scheduler, each ready every fourth cycle: an instruction a cycle is all there is,
  // and a slot is lost behind each branch back.
  const std::uint64_t full = cycles(looping(10, 2000, 1, 1024)),
                      empty = cycles(looping(10, 0, 1, 1024));
  const double slots = 8 * (11 + costs().taken().busy) * 2000.0;
  CHECK(static_cast<double>(full - empty) == Approx(slots).epsilon(0.05));
  // Special functions are slower than that by what their pipe takes.
  Kernel k = looping(4, 2000, 1, 1024);
  for (std::size_t i = 1; i <= 4; ++i) k.code[i].text = "MUFU.EX2 R1, R3 ;";
  const double busy = costs().sass("MUFU", {}).busy;
  CHECK(static_cast<double>(cycles(k) - empty) == Approx(8 * 4 * busy * 2000).epsilon(0.05));
}

TEST_CASE("time: a branch back that is always taken leads round once by itself") {
  // while-loops: asked at 0x10, left to 0x50.
  Kernel k = kernel();
  k.code = lines({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                  {"@P0 BRA 0x50 ;", control(5)},
                  {"FADD R1, R1, R2 ;", control(4)},
                  {"FADD R1, R1, R2 ;", control(4)},
                  {"BRA 0x10 ;", control(5)},
                  {"EXIT ;", control(5)}});
  k.sites = {load_at(0x00), rounds_at(0x40), end_site()};
  k.text.resize(3);
  const auto with = [&](std::uint64_t rounds) {
    k.fill = [rounds](Warp& w) {
      w.records.push_back(regular(0, kA, 4));
      if (rounds > 0) w.records.push_back(regular(1, rounds, 0));
      w.records.push_back(regular(2, 0, 0));
    };
    return instructions(k);
  };
  const std::uint64_t none = with(0);
  CHECK(with(1) == none + 4);
  CHECK(with(500) == none + 4 * 500);
}

TEST_CASE("time: a loop around others leads through those that went round with it") {
  // The inner loop, 0x30 … 0x40, may be passed by.
  Kernel k = kernel();
  k.code = lines({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                  {"FADD R1, R1, R2 ;", control(4)},
                  {"@P1 BRA 0x50 ;", control(5)},
                  {"FADD R1, R1, R2 ;", control(4)},
                  {"@P0 BRA 0x30 ;", control(5)},
                  {"@P2 BRA 0x10 ;", control(5)},
                  {"EXIT ;", control(5)}});
  k.sites = {load_at(0x00), rounds_at(0x40), rounds_at(0x50), end_site()};
  k.text.resize(4);
  // 10 times the outer one, the inner one 5 times in each.
  k.fill = [](Warp& w) {
    w.records.push_back(regular(0, kA, 4));
    w.records.push_back(regular(1, 10 * 4, 0));
    w.records.push_back(regular(2, 9, 0));
    w.records.push_back(regular(3, 0, 0));
  };
  CHECK(instructions(k) == 1 + 10 * (2 + 5 * 2 + 1) + 1);
}

TEST_CASE("counts: rounds change nothing, nor who comes first") {
  const auto replayed = [](bool rounds) {
    Kernel k = looping(10, rounds ? 77 : 0, 600, 256);
    const auto fill = k.fill;
    k.fill = [fill](Warp& w) {
      fill(w);
      for (trace::Record& r : w.records)
        if (r.site != 1) r.base += (w.cta * 8 + w.warp) * 96 % (8 << 20);
    };
    TemporaryFolder folder;
    write_trace(folder.file("t.wmt"), {k}, {});
    const auto reader = testing::open(folder.file("t.wmt"));
    return must(sim::replay(reader, h200(), {})).details.at(0);
  };
  const auto with = replayed(true), without = replayed(false);
  CHECK(with.metrics.metrics.size() == without.metrics.metrics.size());
  for (const auto& [name, value] : without.metrics.metrics) {
    INFO(name);
    CHECK(with.metrics.metrics.at(name).value == value.value);
  }
}

namespace {

// A kernel of one record a warp: its load at 0x00.
Kernel recorded(const std::vector<Line>& text) {
  Kernel k = kernel();
  k.code = lines(text);
  k.sites = {load_at(0x00), end_site()};
  k.text.resize(2);
  k.fill = [](Warp& w) {
    w.records.push_back(regular(0, kA, 4));
    w.records.push_back(regular(1, 0, 0));
  };
  return k;
}

Kernel recorded_nest(bool known) {
  return recorded({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                   {"MOV R0, 0x7 ;", control(4)},
                   {"MOV R1, 0x5 ;", control(4)},
                   {"FADD R8, R8, R3 ;", control(4)},
                   {"IADD3 R1, R1, -0x1, RZ ;", control(4)},
                   {"ISETP.NE.AND P1, PT, R1, RZ, PT ;", control(4)},
                   {"@P1 BRA 0x30 ;", control(5)},
                   {known ? "IADD3 R0, R0, -0x1, RZ ;" : "IADD3 R0, R0, -R4, RZ ;", control(4)},
                   {"ISETP.NE.AND P0, PT, R0, RZ, PT ;", control(4)},
                   {"@P0 BRA 0x20 ;", control(5)},
                   {"EXIT ;", control(5)}});
}

}  // namespace

// --- from the code alone ---

TEST_CASE("static: a loop counts up to a constant") {
  const Recorded r({"MOV R0, RZ ;", "FFMA R7, R2, R7, 1 ;", "VIADD R0, R0, 0x1 ;",
                    "ISETP.NE.AND P0, PT, R0, 0x3e8, PT ;", "@P0 BRA 0x10 ;", "EXIT ;"});
  CHECK(r.rounds() == 999);
}

TEST_CASE("static: an unrolled loop counts a parameter down, and its guard is decided") {
  std::vector<std::string> text = {"LDC R4, c[0x0][0x214] ;",
                                   "ISETP.GE.AND P0, PT, R4, 0x1, PT ;",
                                   "@!P0 BRA 0xb0 ;",
                                   "LOP3.LUT R3, R4, 0x3, RZ, 0xc0, !PT ;",
                                   "IADD3 R4, -R3, R4, RZ ;",
                                   "FFMA R7, R2, R7, 1 ;",
                                   "IADD3 R4, R4, -0x4, RZ ;",
                                   "ISETP.NE.AND P1, PT, R4, RZ, PT ;",
                                   "FFMA R7, R2, R7, 1 ;",
                                   "@P1 BRA 0x50 ;",
                                   "NOP ;",
                                   "EXIT ;"};
  Recorded r(text);
  CHECK_FALSE(r.rounds());  // nobody knows the parameter
  CHECK_FALSE(r.flow().taken[2]);
  r.parameter(7), r.parameter(103);
  CHECK(r.rounds() == 24);  // 25 times four
  CHECK(r.flow().taken[2] == false);
  r.launch.parameters.clear();
  r.parameter(7), r.parameter(0);
  CHECK(r.flow().taken[2] == true);
}

TEST_CASE("static: uniform registers, shifts, halves as constants, sizes of the block") {
  // for (i = blockDim.x / 2; i > 0; i >>= 1)
  const Recorded halves({"ULDC UR4, c[0x0][0x0] ;", "USHF.R.U32.HI UR4, URZ, 0x1, UR4 ;",
                         "FADD R1, R1, R2 ;", "USHF.R.U32.HI UR4, URZ, 0x1, UR4 ;",
                         "UISETP.NE.AND UP0, UPT, UR4, URZ, UPT ;",
                         "PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0 ;", "@P0 BRA 0x20 ;", "EXIT ;"});
  CHECK(halves.rounds() == 6);  // 64, 32, 16, 8, 4, 2, 1
  // HFMA2 of nothing brings 0x0019660d; down by 0x10000 while positive.
  const Recorded constant({"HFMA2.MMA R9, -RZ, RZ, 1.490116119384765625e-06, 1549 ;",
                           "IADD3 R9, R9, -0x10000, RZ ;", "ISETP.GT.AND P0, PT, R9, RZ, PT ;",
                           "@P0 BRA 0x10 ;", "EXIT ;"});
  CHECK(constant.rounds() == 0x19);
}

TEST_CASE("static: parameters of a byte and of eight, and floats, decide branches") {
  // 0x210: a byte, a short and another byte; 0x214: a float; 0x218: a pointer.
  const auto taken = [](std::vector<std::string> text, std::size_t branch, std::uint32_t bytes,
                        float number, std::uint64_t pointer) {
    text.insert(text.end(), {"FADD R1, R1, R2 ;", "EXIT ;"});
    Recorded r(text);
    r.parameter(bytes), r.parameter(std::bit_cast<std::uint32_t>(number));
    r.parameter(static_cast<std::uint32_t>(pointer)),
        r.parameter(static_cast<std::uint32_t>(pointer >> 32));
    return r.flow().taken[branch];
  };
  const std::vector<std::string> byte = {"ULDC.U8 UR4, c[0x0][0x213] ;",
                                         "ISETP.NE.AND P0, PT, RZ, UR4, PT ;", "@!P0 BRA 0x30 ;"};
  CHECK(taken(byte, 2, 0x01ffffff, 0, 0) == false);
  CHECK(taken(byte, 2, 0x00ffffff, 0, 0) == true);
  const std::vector<std::string> half = {"LDC.S16 R4, c[0x0][0x210] ;", "PRMT R4, R4, 0x9910, RZ ;",
                                         "ISETP.LT.AND P0, PT, R4, RZ, PT ;", "@P0 BRA 0x40 ;"};
  CHECK(taken(half, 3, 0x00008000, 0, 0) == true);
  CHECK(taken(half, 3, 0xffff7fff, 0, 0) == false);
  const std::vector<std::string> number = {"LDC R4, c[0x0][0x214] ;",
                                           "FSETP.NEU.AND P0, PT, R4, 1.5, PT ;", "@P0 BRA 0x30 ;"};
  CHECK(taken(number, 2, 0, 1.5f, 0) == false);
  CHECK(taken(number, 2, 0, 1.0f, 0) == true);
  CHECK(taken(number, 2, 0, std::nanf(""), 0) == true);
  const std::vector<std::string> pointer = {
      "LDC.64 R6, c[0x0][0x218] ;", "ISETP.NE.U32.AND P0, PT, R6, RZ, PT ;",
      "ISETP.NE.AND.EX P0, PT, R7, RZ, PT, P0 ;", "@!P0 BRA 0x40 ;"};
  CHECK(taken(pointer, 3, 0, 0, 0) == true);
  CHECK(taken(pointer, 3, 0, 0, std::uint64_t{1} << 40) == false);
  CHECK(taken(pointer, 3, 0, 0, 4) == false);
  const std::vector<std::string> less = {
      "LDC.64 R6, c[0x0][0x218] ;", "ISETP.LT.U32.AND P0, PT, R6, 0x5, PT ;",
      "ISETP.LT.AND.EX P0, PT, R7, 0x1, PT, P0 ;", "@P0 BRA 0x40 ;"};
  CHECK(taken(less, 3, 0, 0, 0x100000004) == true);
  CHECK(taken(less, 3, 0, 0, 0x100000005) == false);
  CHECK(taken(less, 3, 0, 0, 0x0ffffffff) == true);
}

TEST_CASE("static: a value that comes out of a loop is known behind it") {
  // Four at a time while there are more than three, then the rest one by one.
  Recorded r({"LDC R4, c[0x0][0x210] ;", "IADD3 R4, R4, -0x4, RZ ;",
              "ISETP.GT.AND P0, PT, R4, 0x3, PT ;", "@P0 BRA 0x10 ;", "FADD R1, R1, R2 ;",
              "IADD3 R4, R4, -0x1, RZ ;", "ISETP.GT.AND P0, PT, R4, RZ, PT ;", "@P0 BRA 0x40 ;",
              "EXIT ;"});
  r.parameter(23);
  const auto f = r.flow();
  REQUIRE(f.loops.size() == 2);
  CHECK(f.loops[0].rounds == 4);  // 20 of them
  CHECK(f.loops[1].rounds == 2);
}

TEST_CASE("static: a predicate that serves for something else as well") {
  CHECK(Recorded({"MOV R0, RZ ;", "FSETP.LT.AND P0, PT, R7, 4, PT ;", "@!P0 FADD R7, R7, R7 ;",
                  "VIADD R0, R0, 0x1 ;", "ISETP.NE.AND P0, PT, R0, 0x10, PT ;", "@P0 BRA 0x10 ;",
                  "EXIT ;"})
            .rounds() == 15);
}

TEST_CASE("static: ways that constants rule out leave nothing behind") {
  // R0 begins with 0, or with 1 where the branch is not taken.
  const auto rounds = [](std::uint32_t parameter) {
    Recorded loop({"MOV R0, RZ ;", "LDC R5, c[0x0][0x210] ;", "ISETP.NE.AND P1, PT, R5, RZ, PT ;",
                   "@P1 BRA 0x50 ;", "MOV R0, 0x1 ;", "VIADD R0, R0, 0x2 ;",
                   "ISETP.GT.AND P0, PT, R0, 0x40, PT ;", "@!P0 BRA 0x50 ;", "EXIT ;"});
    loop.parameter(parameter);
    return loop.rounds();
  };
  CHECK(rounds(7) == 32);
  CHECK(rounds(0) == 31);
}

TEST_CASE("static: what a jump by a register goes to is not forgotten") {
  // To the loop with 16, by a branch, or with 32, from a line that only the jump leads to.
  CHECK_FALSE(Recorded({"MOV R0, 0x10 ;", "@P2 BRA 0x40 ;", "BRX R8 -0x20 ;", "MOV R0, 0x20 ;",
                        "IADD3 R0, R0, -0x1, RZ ;", "ISETP.GT.AND P0, PT, R0, RZ, PT ;",
                        "@P0 BRA 0x40 ;", "EXIT ;"})
                  .rounds());
}

TEST_CASE("static: a loop may hold accesses that were never run") {
  // As in a loop of sines: large numbers would have been taken to a table.
  Kernel k = recorded({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                       {"MOV R0, RZ ;", control(4)},
                       {"FSETP.GE.AND P1, PT, |R7|, 105615, PT ;", control(13)},
                       {"@!P1 BRA 0x60 ;", control(5)},
                       {"LDG.E.CONSTANT R8, desc[UR4][R6.64] ;", control(2, 0)},
                       {"FFMA R7, R8, R7, R7 ;", control(4, kNone, kNone, 1)},
                       {"VIADD R0, R0, 0x1 ;", control(4)},
                       {"ISETP.NE.AND P0, PT, R0, 0x3e8, PT ;", control(13)},
                       {"@P0 BRA 0x20 ;", control(5)},
                       {"EXIT ;", control(5)}});
  const auto once = timed(k, h200());
  CHECK(once.loops_taken_once.empty());
  CHECK(once.time->instructions == 2 + 1000 * 5 + 1);
  // Where the table was read once, nobody knows of the other rounds.
  k.sites.push_back(load_at(0x40));
  k.text.resize(3);
  k.fill = [](Warp& w) {
    w.records.push_back(regular(0, kA, 4));
    w.records.push_back(regular(2, kA, 4));
    w.records.push_back(regular(1, 0, 0));
  };
  CHECK(instructions(k) < 100);
}

TEST_CASE("static: a loop that constants rule out is not told of") {
  Kernel k = recorded_nest(false);
  const auto told = [&](const std::string& guard) {
    k.code = lines({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                    {"ISETP.NE.AND P2, PT, " + guard + ", RZ, PT ;", control(4)},
                    {"@!P2 BRA 0x70 ;", control(5)},
                    {"IADD3 R0, R0, -R4, RZ ;", control(4)},
                    {"ISETP.NE.AND P0, PT, R0, RZ, PT ;", control(4)},
                    {"@P0 BRA 0x30 ;", control(5)},
                    {"NOP ;", control(1)},
                    {"EXIT ;", control(5)}});
    return timed(k, h200()).loops_taken_once.size();
  };
  CHECK(told("R4") == 1);
  CHECK(told("RZ") == 0);
}

TEST_CASE("static: what data decides is not known") {
  // A second way out.
  CHECK_FALSE(Recorded({"MOV R0, RZ ;", "FFMA R7, R2, R7, 1 ;", "VIADD R0, R0, 0x1 ;",
                        "ISETP.GE.AND P0, PT, R0, 0x10, PT ;", "FSETP.LT.AND P1, PT, R7, 4, PT ;",
                        "@!P0 BRA P1, 0x10 ;", "EXIT ;"})
                  .rounds());
  // The thread's number.
  CHECK_FALSE(Recorded({"S2R R0, SR_TID.X ;", "FFMA R7, R2, R7, 1 ;", "IADD3 R0, R0, -0x1, RZ ;",
                        "ISETP.GT.AND P0, PT, R0, RZ, PT ;", "@P0 BRA 0x10 ;", "EXIT ;"})
                  .rounds());
  // It begins differently on two ways.
  CHECK_FALSE(Recorded({"MOV R0, 0x10 ;", "@P2 MOV R0, 0x20 ;", "IADD3 R0, R0, -0x1, RZ ;",
                        "ISETP.GT.AND P0, PT, R0, RZ, PT ;", "@P0 BRA 0x20 ;", "EXIT ;"})
                  .rounds());
  // It changes in some rounds only.
  CHECK_FALSE(Recorded({"MOV R0, 0x10 ;", "@P2 BRA 0x30 ;", "IADD3 R0, R0, -0x1, RZ ;",
                        "ISETP.GT.AND P0, PT, R0, RZ, PT ;", "@P0 BRA 0x10 ;", "EXIT ;"})
                  .rounds());
  // With an access that left no record: it did not run. One that waits for a copy does as it must.
  for (const char* other :
       {"LDG.E R8, desc[UR4][R2.64] ;", "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR4], R5 ;"})
    CHECK(Recorded({"MOV R0, RZ ;", other, "VIADD R0, R0, 0x1 ;",
                    "ISETP.NE.AND P0, PT, R0, 0x3e8, PT ;", "@P0 BRA 0x10 ;", "EXIT ;"})
              .flow()
              .loops.empty());
  // With one that no recording holds, it may have run: as often as its counter says.
  for (const char* other : {"LDC R8, c[0x3][R2] ;", "TEX.SCR.LL RZ, R8, R8, R2, 0x58, 2D, 0x1 ;",
                            "LDL R8, [R1] ;", "UTMALDG.2D [UR8], [UR4] ;"}) {
    INFO(other);
    const Recorded loop({"MOV R0, RZ ;", other, "VIADD R0, R0, 0x1 ;",
                         "ISETP.NE.AND P0, PT, R0, 0x3e8, PT ;", "@P0 BRA 0x10 ;", "EXIT ;"});
    CHECK(loop.rounds() == 999);
  }
  // Endless, as what stands behind every kernel: no loop at all.
  CHECK(Recorded({"EXIT ;", "BRA 0x10 ;", "NOP ;"}).flow().loops.empty());
}

TEST_CASE("static: nested loops of a recorded trace are gone round as often as the code says") {
  CHECK(instructions(recorded_nest(true)) == 2 + 7 * (1 + 5 * 4 + 3) + 1);
}

TEST_CASE("static: loops of which nobody knows are told of") {
  const auto known = timed(recorded_nest(true), h200());
  CHECK(known.loops_taken_once.empty());
  const auto unknown = timed(recorded_nest(false), h200());
  REQUIRE(unknown.loops_taken_once == std::vector<std::string>{"pc 0x0090"});
  CHECK(std::any_of(unknown.notes.begin(), unknown.notes.end(), [](const std::string& note) {
    return note.starts_with("1 loop without memory accesses was taken once") &&
           note.ends_with(": pc 0x0090");
  }));
  // The inner one is known all the same.
  CHECK(unknown.time->instructions == 2 + (1 + 5 * 4 + 3) + 1);
}

TEST_CASE("static: a trace with records of rounds is believed, not the code") {
  Kernel k = recorded_nest(true);
  k.sites.push_back(rounds_at(0x60));
  k.text.resize(3);
  k.fill = [](Warp& w) {
    w.records.push_back(regular(0, kA, 4));
    w.records.push_back(regular(2, 100, 0));
    w.records.push_back(regular(1, 0, 0));
  };
  CHECK(instructions(k) == 2 + (1 + 4 + 3) + 4 * 100 + 1);
}
