// The way from one record to the next through a kernel's code.
#include "sim/time/paths.hpp"

#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;
using sim::kNoScoreboard;
using testing::Paths;

namespace {

Site end_site() { return {0xff0, Op::kCtaEnd, Space::kNone, 0}; }

std::uint32_t way(Paths& paths, std::uint32_t from, std::uint32_t to) {
  return paths.between(from, to).instructions;
}

std::vector<Line> straight(std::size_t instructions) {
  std::vector<Line> out(instructions, Line{"FADD R1, R2, R3 ;"});
  return out;
}

}  // namespace

TEST_CASE("time: straight code is walked line by line") {
  const auto p = program({{"MOV R1, R2 ;"},
                          {"MOV R3, R4 ;"},
                          {"LDG.E R4, desc[UR4][R2.64] ;"},
                          {"IADD3 R6, R7, R8, RZ ;"},
                          {"LDG.E R5, desc[UR4][R2.64] ;"},
                          {"FADD R1, R2, R3 ;"},
                          {"EXIT ;"}});
  const std::vector<Site> sites = {load_at(0x20), load_at(0x40), end_site()};
  Paths paths(sites, p);
  CHECK(paths.known());
  CHECK(way(paths, Paths::kStart, 0) == 3);
  CHECK(way(paths, 0, 1) == 2);
  CHECK(way(paths, 1, 2) == 2);
  // Leaving at once, past the loads: all of them, as there is no other way.
  CHECK(way(paths, Paths::kStart, 2) == 7);
}

TEST_CASE("time: of two ways the shorter one is taken, unless a record says otherwise") {
  const auto p = program({{"ISETP.NE.AND P0, PT, R1, RZ, PT ;"},
                          {"@P0 BRA 0x60 ;"},
                          {"FADD R1, R2, R3 ;"},
                          {"LDG.E R4, desc[UR4][R2.64] ;"},
                          {"FADD R1, R2, R3 ;"},
                          {"BRA 0x80 ;"},
                          {"FMUL R1, R2, R3 ;"},
                          {"FMUL R1, R2, R3 ;"},
                          {"STG.E desc[UR4][R2.64], R5 ;"},
                          {"EXIT ;"}});
  const std::vector<Site> sites = {load_at(0x30), {0x80, Op::kStore, Space::kGlobal, 4}};
  Paths paths(sites, p);
  CHECK(way(paths, Paths::kStart, 0) == 4);
  CHECK(way(paths, 0, 1) == 3);
  CHECK(way(paths, Paths::kStart, 1) == 5);
}

TEST_CASE("time: a longer way without memory instructions is taken before a shorter one with") {
  std::vector<Line> text = {{"@P0 BRA 0x30 ;"}, {"LDG.E R4, desc[UR4][R2.64] ;"}, {"BRA 0x230 ;"}};
  for (const Line& l : straight(32)) text.push_back(l);  // 0x30 … 0x220
  text.push_back({"STG.E desc[UR4][R2.64], R5 ;"});      // 0x230
  const std::vector<Site> sites = {load_at(0x10), {0x230, Op::kStore, Space::kGlobal, 4}};
  Paths plain(sites, program(text));
  CHECK(way(plain, Paths::kStart, 1) == 34);
  // Guarded, it may have been off in all lanes: the short way is the likelier one.
  text[1].text = "@P1 LDG.E R4, desc[UR4][R2.64] ;";
  Paths guarded(sites, program(text));
  CHECK(way(guarded, Paths::kStart, 1) == 4);
}

TEST_CASE("time: around a loop to the same instruction") {
  const auto p = program({{"MOV R1, R2 ;"},
                          {"LDG.E R4, desc[UR4][R2.64] ;"},
                          {"FADD R1, R2, R3 ;"},
                          {"FADD R1, R2, R3 ;"},
                          {"@P0 BRA 0x10 ;"},
                          {"STG.E desc[UR4][R2.64], R5 ;"},
                          {"EXIT ;"}});
  const std::vector<Site> sites = {
      load_at(0x10), {0x50, Op::kStore, Space::kGlobal, 4}, end_site()};
  Paths paths(sites, p);
  CHECK(way(paths, Paths::kStart, 0) == 2);
  CHECK(way(paths, 0, 0) == 4);
  CHECK(way(paths, 0, 1) == 4);
  CHECK(way(paths, 1, 2) == 1);
}

TEST_CASE("time: around an outer loop past the inner one") {
  const auto p = program({{"LDG.E R4, desc[UR4][R2.64] ;"},  // outer
                          {"LDS R5, [R6] ;"},                // inner
                          {"@P0 BRA 0x10 ;"},
                          {"FADD R1, R2, R3 ;"},
                          {"@P1 BRA 0x0 ;"},
                          {"EXIT ;"}});
  const std::vector<Site> sites = {load_at(0x00), {0x10, Op::kLoad, Space::kShared, 4}};
  Paths paths(sites, p);
  CHECK(way(paths, 1, 1) == 2);
  CHECK(way(paths, 1, 0) == 4);
  CHECK(way(paths, 0, 1) == 1);
}

TEST_CASE("time: a guarded memory instruction without a record is passed over") {
  const auto p = program({{"LDG.E R4, desc[UR4][R2.64] ;"},
                          {"@P0 LDG.E R5, desc[UR4][R2.64] ;"},
                          {"FADD R1, R2, R3 ;"},
                          {"STG.E desc[UR4][R2.64], R5 ;"}});
  const std::vector<Site> sites = {
      load_at(0x00), load_at(0x10), {0x30, Op::kStore, Space::kGlobal, 4}};
  Paths paths(sites, p);
  CHECK(way(paths, 0, 2) == 3);
  CHECK(way(paths, 0, 1) == 1);
  CHECK(way(paths, 1, 2) == 2);
}

TEST_CASE("time: where no way is known the instruction itself is left") {
  const auto p = program({{"LDG.E R4, desc[UR4][R2.64] ;"},
                          {"BRX R2 -0x60 ;"},
                          {"FADD R1, R2, R3 ;"},
                          {"LDG.E R5, desc[UR4][R2.64] ;"},
                          {"EXIT ;"}});
  const std::vector<Site> sites = {load_at(0x00), load_at(0x30)};
  Paths paths(sites, p);
  CHECK(way(paths, 0, 1) == 1);
  CHECK(way(paths, 1, 0) == 1);
}

TEST_CASE("time: a warp ends at the nearest EXIT, a guarded one too") {
  const auto p = program({{"LDG.E R4, desc[UR4][R2.64] ;"},
                          {"FADD R1, R2, R3 ;"},
                          {"@P0 EXIT ;"},
                          {"LDG.E R5, desc[UR4][R2.64] ;"},
                          {"FADD R1, R2, R3 ;"},
                          {"FADD R1, R2, R3 ;"},
                          {"EXIT ;"}});
  const std::vector<Site> sites = {load_at(0x00), load_at(0x30), end_site()};
  Paths paths(sites, p);
  CHECK(way(paths, 0, 2) == 2);
  CHECK(way(paths, 1, 2) == 3);
}

TEST_CASE("time: no warp ends at an instruction that is merely guarded") {
  const auto p = program({{"LDG.E R4, desc[UR4][R2.64] ;"},
                          {"@P0 FADD R1, R2, R3 ;"},
                          {"FADD R1, R2, R3 ;"},
                          {"EXIT ;"}});
  const std::vector<Site> sites = {load_at(0x00), end_site()};
  Paths paths(sites, p);
  CHECK(way(paths, 0, 1) == 3);
}

TEST_CASE("time: two sites of one instruction have nothing in between") {
  const auto p =
      program({{"LDGSTS.E [R5], desc[UR4][R2.64] ;"}, {"FADD R1, R2, R3 ;"}, {"EXIT ;"}});
  const std::vector<Site> sites = {{0x00, Op::kAsyncCopyRead, Space::kGlobal, 4},
                                   {0x00, Op::kAsyncCopyWrite, Space::kShared, 4}};
  Paths paths(sites, p);
  CHECK(way(paths, Paths::kStart, 0) == 1);
  CHECK(paths.between(0, 1).steps.empty());
}

TEST_CASE("time: steps end where a scoreboard is set and begin where one is waited for") {
  const auto p = program({{"MOV R1, R2 ;", control(4)},
                          {"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                          {"IADD3 R6, R7, R8, RZ ;", control(3)},
                          {"FADD R5, R4, R4 ;", control(4, kNone, kNone, 1)},
                          {"STG.E desc[UR4][R2.64], R5 ;", control(1, kNone, 1)}});
  const std::vector<Site> sites = {load_at(0x10), {0x40, Op::kStore, Space::kGlobal, 4}};
  Paths paths(sites, p);
  const auto& load = paths.between(Paths::kStart, 0);
  REQUIRE(load.steps.size() == 1);
  CHECK(load.steps[0].issues == 2);
  CHECK(load.steps[0].to_last == 4);
  CHECK(load.steps[0].cycles == 6);
  CHECK(load.steps[0].sets == 0);
  const auto& store = paths.between(0, 1);
  REQUIRE(store.steps.size() == 2);
  CHECK(store.steps[0].issues == 1);
  CHECK(store.steps[0].waits == 0);
  CHECK(store.steps[1].issues == 2);
  CHECK(store.steps[1].waits == 1);
  CHECK(store.steps[1].frees == 1);
}

TEST_CASE("time: long runs are cut, and lose nothing") {
  std::vector<Line> text(200, Line{"MUFU.RCP R4, R5 ;", control(3)});
  text.push_back({"LDG.E R4, desc[UR4][R2.64] ;"});
  const std::vector<Site> sites = {load_at(200 * 16)};
  Paths paths(sites, program(text));
  const auto& segment = paths.between(Paths::kStart, 0);
  CHECK(segment.steps.size() > 4);
  std::uint32_t issues = 0, cycles = 0, busy = 0;
  for (const sim::Step& s : segment.steps) {
    issues += s.issues;
    cycles += s.cycles;
    for (const auto b : s.busy) busy += b;
  }
  CHECK(issues == 201);
  CHECK(cycles == 200 * 3 + 1);
  CHECK(busy >= 200 * 8);
}

TEST_CASE("time: without a program section every way is a few instructions that wait for all") {
  const std::vector<Site> sites = {load_at(0x10), load_at(0x20)};
  Paths paths(sites, trace::Program{});
  CHECK_FALSE(paths.known());
  REQUIRE(paths.between(0, 1).steps.size() == 1);
  CHECK(paths.between(0, 1).steps[0].waits == 63);
  CHECK(way(paths, 0, 1) > 0);
}

TEST_CASE("time: a record whose instruction is not in the code still issues") {
  const auto p = program({{"LDG.E R4, desc[UR4][R2.64] ;"}, {"EXIT ;"}});
  const std::vector<Site> sites = {load_at(0x00), load_at(0x5000)};
  Paths paths(sites, p);
  CHECK(way(paths, 0, 1) == 1);
  CHECK(way(paths, 1, 0) >= 1);
}

TEST_CASE("time: programs with very many sites find the same ways") {
  std::vector<Line> text;
  std::vector<Site> sites;
  for (std::uint32_t i = 0; i < 600; ++i) {
    text.push_back({"FADD R1, R2, R3 ;"});
    text.push_back({"LDG.E R4, desc[UR4][R2.64] ;"});
    sites.push_back(load_at(32 * i + 16));
  }
  Paths paths(sites, program(text));
  CHECK(way(paths, Paths::kStart, 0) == 2);
  for (std::uint32_t i = 1; i < 600; ++i) REQUIRE(way(paths, i - 1, i) == 2);
}
