// Paths through functions that a call does not name by their place.
#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;
using testing::Paths;

namespace {

Site end_site() { return {0, Op::kCtaEnd, Space::kNone, 0}; }
std::uint32_t way(Paths& paths, std::uint32_t from, std::uint32_t to) {
  return paths.between(from, to).instructions;
}
std::vector<std::uint32_t> callees(const trace::Program& p, std::size_t line) {
  return read_code(p)[line].callees;
}

// A virtual call behind a load, of two functions: one loads, one does not.
const std::vector<Line> kVirtual = {{"LDG.E.64 R4, desc[UR4][R2.64] ;"},    // 0x00
                                    {"LDC.64 R6, c[0x2][R4] ;"},            // 0x10
                                    {"CALL.REL.NOINC R6 `(_Z6kernelv) ;"},  // 0x20
                                    {"FADD R1, R1, R2 ;"},                  // 0x30
                                    {"STG.E desc[UR4][R2.64], R1 ;"},       // 0x40
                                    {"EXIT ;"},                             // 0x50
                                    {"FADD R1, R1, R2 ;"},                  // 0x60
                                    {"LDG.E R8, desc[UR4][R2.64] ;"},       // 0x70
                                    {"FADD R1, R1, R2 ;"},                  // 0x80
                                    {"RET.REL.NODEC R20 `(_Z6kernelv) ;"},  // 0x90
                                    {"FMUL R1, R1, R2 ;"},                  // 0xa0
                                    {"FMUL R1, R1, R2 ;"},                  // 0xb0
                                    {"FMUL R1, R1, R2 ;"},                  // 0xc0
                                    {"RET.REL.NODEC R20 `(_Z6kernelv) ;"},  // 0xd0
                                    {"BRA 0xe0 ;"},                         // 0xe0
                                    {"NOP ;"}};                             // 0xf0
const std::vector<Site> kVirtualSites = {
    load_at(0x00), load_at(0x70), {0x40, Op::kStore, Space::kGlobal, 4}, end_site()};

}  // namespace

TEST_CASE("time: a call through a register went where the next record is, and returned") {
  const trace::Program p = program(kVirtual);
  CHECK(callees(p, 2) == std::vector<std::uint32_t>{6, 10});
  Paths paths(kVirtualSites, p);
  CHECK(way(paths, 0, 1) == 4);  // 0x10, 0x20, 0x60, 0x70
  CHECK(way(paths, 1, 2) == 4);  // 0x80, 0x90, 0x30, 0x40
  CHECK(way(paths, 0, 2) == 8);  // through the function that leaves no record
  CHECK(way(paths, 2, 3) == 1);
}

TEST_CASE("time: without a function that may be passed, the call is all that is left") {
  std::vector<Line> text = kVirtual;
  text[12] = {"LDG.E R9, desc[UR4][R2.64] ;"};
  std::vector<Site> sites = kVirtualSites;
  sites.push_back(load_at(0xc0));
  Paths paths(sites, program(text));
  CHECK(way(paths, 0, 4) == 5);  // 0x10, 0x20, 0xa0 … 0xc0
  CHECK(way(paths, 4, 2) == 3);
}

TEST_CASE("time: functions that were not run, nor the driver's own, are not called") {
  std::vector<Line> text = kVirtual;
  text[12] = {"STG.E desc[UR4][R2.64], R9 ;"};  // leaves no record
  trace::Program p = program(text);
  Paths paths(kVirtualSites, p);
  CHECK(way(paths, 1, 2) == 4);
  CHECK(way(paths, 0, 2) == 8);  // … its store passed, but not for nothing
  // malloc's address comes from constant bank 4.
  text = kVirtual;
  text[1] = {"LDC.64 R6, c[0x4][R4] ;"};
  text[2] = {"CALL.ABS.NOINC R6 ;"};
  CHECK(callees(program(text), 2).empty());
  Paths driver(kVirtualSites, program(text));
  CHECK(way(driver, 0, 2) == 4);
  // A name that is not C++'s is the driver's.
  text = kVirtual;
  text[2] = {"CALL.ABS.NOINC `(__assertfail) ;"};
  CHECK(callees(program(text), 2).empty());
}

TEST_CASE("time: what is called by its place, or jumped to, is no function for other calls") {
  std::vector<Line> text = kVirtual;
  text[3] = {"CALL.REL.NOINC 0xa0 ;"};
  CHECK(callees(program(text), 2) == std::vector<std::uint32_t>{6});
  text[3] = {"@P0 BRA 0xa0 ;"};
  CHECK(callees(program(text), 2) == std::vector<std::uint32_t>{6});
  text[3] = {"BSSY B0, 0xa0 ;"};
  CHECK(callees(program(text), 2) == std::vector<std::uint32_t>{6});
  // Nor is what never returns.
  text = kVirtual;
  text[13] = {"EXIT ;"};
  CHECK(callees(program(text), 2) == std::vector<std::uint32_t>{6});
}

TEST_CASE("time: a call by name goes to the function that says its name, or to a nameless one") {
  std::vector<Line> text = kVirtual;
  text[2] = {"CALL.ABS.NOINC `(_Z5otherv) ;"};
  CHECK(callees(program(text), 2) == std::vector<std::uint32_t>{6, 10});
  text[10] = {"MOV R20, 32@lo((_Z5otherv + .L_x_1@srel)) ;"};
  auto code = read_code(program(text));
  CHECK(code[2].callees.empty());
  CHECK(code[2].target == 10);
  text[10] = {"MOV R20, 32@lo((_Z5thirdv + .L_x_1@srel)) ;"};
  CHECK(callees(program(text), 2) == std::vector<std::uint32_t>{6});
}

TEST_CASE("time: a branch through a register goes to the places that the listing says") {
  std::vector<Line> text = {{"LDG.E R4, desc[UR4][R2.64] ;"},
                            {"BRX R4 -0x20 (*\"BRANCH_TARGETS 0x30,0x60\"*)"},
                            {"EXIT ;"},
                            {"FADD R1, R1, R2 ;"},             // 0x30
                            {"LDG.E R5, desc[UR4][R2.64] ;"},  // 0x40
                            {"EXIT ;"},
                            {"FMUL R1, R1, R2 ;"},  // 0x60
                            {"FMUL R1, R1, R2 ;"},
                            {"STG.E desc[UR4][R2.64], R1 ;"},  // 0x80
                            {"EXIT ;"}};
  const std::vector<Site> sites = {
      load_at(0x00), load_at(0x40), {0x80, Op::kStore, Space::kGlobal, 4}, end_site()};
  Paths paths(sites, program(text));
  CHECK(way(paths, 0, 1) == 3);
  CHECK(way(paths, 0, 2) == 4);
  CHECK(way(paths, 1, 3) == 1);
  // The end does not follow at once: both places leave a record.
  CHECK(way(paths, 0, 3) > 2);
}
