// Paths of lanes that have diverged.
#include "sim/time/lane_paths.hpp"

#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;
using testing::Paths;

namespace {

constexpr std::uint32_t kAll = 0xffffffff;

Site end_site() { return {0, Op::kCtaEnd, Space::kNone, 0}; }
Site store_at(std::uint32_t pc) { return {pc, Op::kStore, Space::kGlobal, 4}; }

struct Walk {
  Walk(const std::vector<Site>& sites, const std::vector<Line>& text)
      : paths(sites, program(text)), lane_paths(paths) {
    sim::LanePaths::begin(lanes, kAll);
  }
  const sim::Segment& to(std::uint32_t site, std::uint32_t mask = kAll) {
    return lane_paths.next(lanes, site, mask, false);
  }
  Paths paths;
  sim::LanePaths lane_paths;
  sim::DivergedLanes lanes;
};

std::size_t frees(const sim::Segment& s) {
  return static_cast<std::size_t>(
      std::count_if(s.steps.begin(), s.steps.end(),
                    [](const sim::Step& t) { return t.driver == sim::DriverCall::kFree; }));
}

// Both sides of a branch store and call.
std::vector<Line> sides(const std::string& call) {
  return {{"LDG.E.64 R4, desc[UR4][R2.64] ;"},
          {"@P0 BRA 0x50 ;"},
          {"STG.E desc[UR4][R2.64], R1 ;"},  // 0x20
          {call},
          {"BRA 0x80 ;"},
          {"STG.E desc[UR4][R2.64], R1 ;"},  // 0x50
          {call},
          {"FADD R1, R1, R2 ;"},
          {"FADD R1, R1, R2 ;"},  // 0x80
          {"EXIT ;"}};
}
const std::vector<Site> kSides = {load_at(0x00), store_at(0x20), store_at(0x50), end_site()};

}  // namespace

TEST_CASE("time: lanes that have parted come from their own last records, and meet again") {
  Walk w(kSides, sides("CALL.ABS.NOINC `(free) ;"));
  CHECK(w.to(0).instructions == 1);
  CHECK(w.to(1, 0x0000ffff).instructions == 2);  // 0x10, 0x20
  CHECK(w.to(2, 0xffff0000).instructions == 1);  // the branch has been run along with the others
  const sim::Segment& end = w.to(3);
  CHECK(end.instructions == 6);  // 0x30, 0x40; 0x60, 0x70; 0x80, 0x90 together
  CHECK(frees(end) == 2);
  // Together all the time:
  Walk one(kSides, sides("CALL.ABS.NOINC `(free) ;"));
  one.to(0), one.to(1);
  CHECK(one.to(3).instructions == 4);
}

TEST_CASE("time: where nobody calls the driver, a warp goes on from its last record") {
  Walk w(kSides, sides("FMUL R1, R1, R2 ;"));
  CHECK(w.to(0).instructions == 1);
  CHECK(w.to(1, 0x0000ffff).instructions == 2);
  CHECK(w.to(2, 0xffff0000).instructions == 1);  // no way is known
  CHECK(w.to(3).instructions == 4);
}

TEST_CASE(
    "time: a side comes to where it waits before the next one begins, and all go on together") {
  // A loop with a side for some lanes and one for the others; each has an access.
  const std::vector<Line> text = {{"LDG.E.64 R4, desc[UR4][R2.64] ;"},
                                  {"BSSY B0, 0x90 ;"},  // 0x10
                                  {"@P0 BRA 0x60 ;"},
                                  {"LDG.E R5, desc[UR4][R2.64] ;"},  // 0x30
                                  {"FADD R1, R1, R5 ;"},
                                  {"BRA 0x80 ;"},
                                  {"LDG.E R5, desc[UR4][R2.64+0x4] ;"},  // 0x60
                                  {"FMUL R1, R1, R5 ;"},
                                  {"BSYNC B0 ;"},
                                  {"@P1 BRA 0x10 ;"},  // 0x90
                                  {"EXIT ;"}};
  const std::vector<Site> sites = {load_at(0x00), load_at(0x30), load_at(0x60), end_site()};
  Walk w(sites, text);
  w.to(0);
  CHECK(w.to(1, 0x0000ffff).instructions == 3);  // 0x10 .. 0x30
  // The first side's 0x40, 0x50, 0x80; the branch has been run: 0x60.
  CHECK(w.to(2, 0xffff0000).instructions == 3 + 1);
  // Round: the second side's 0x70, 0x80; 0x90, 0x10 .. 0x30 with all of them.
  CHECK(w.to(1, 0x0000ffff).instructions == 2 + 1 + 3);
  CHECK(w.to(2, 0xffff0000).instructions == 3 + 1);
  // The end: 0x70, 0x80 of the second side; the rest together.
  CHECK(w.to(3).instructions == 2 + 2);
}

TEST_CASE("time: lanes that no side is for wait where the others come to") {
  // Twice some lanes have an access of their own.
  const std::vector<Line> text = {{"LDG.E.64 R4, desc[UR4][R2.64] ;"},
                                  {"BSSY B0, 0x60 ;"},
                                  {"@P0 BRA 0x50 ;"},
                                  {"ATOMS.ADD R5, [R2], R3 ;"},  // 0x30
                                  {"FADD R1, R1, R5 ;"},
                                  {"BSYNC B0 ;"},  // 0x50
                                  {"FADD R1, R1, R2 ;"},
                                  {"BSSY B0, 0xc0 ;"},
                                  {"@P1 BRA 0xb0 ;"},
                                  {"ATOMS.ADD R5, [R2], R3 ;"},  // 0x90
                                  {"FADD R1, R1, R5 ;"},
                                  {"BSYNC B0 ;"},
                                  {"STG.E desc[UR4][R2.64], R1 ;"},  // 0xc0
                                  {"EXIT ;"}};
  const auto atomic_at = [](std::uint32_t pc) { return Site{pc, Op::kAtomic, Space::kShared, 4}; };
  const std::vector<Site> sites = {load_at(0x00), atomic_at(0x30), atomic_at(0x90), store_at(0xc0),
                                   end_site()};
  Walk w(sites, text);
  w.to(0);
  CHECK(w.to(1, 0x1).instructions == 3);
  CHECK(w.to(2, 0x1).instructions == 6);  // 0x40 .. 0x90, for all
  CHECK(w.to(3).instructions == 3);       // 0xa0 .. 0xc0; the others have waited at 0xb0
}

TEST_CASE("time: lanes that broke out of a region wait at the one around it") {
  const std::vector<Line> text = {{"LDG.E.64 R4, desc[UR4][R2.64] ;"},
                                  {"BSSY B0, 0xd0 ;"},
                                  {"BSSY B1, 0xa0 ;"},
                                  {"@!P0 BRA 0x70 ;"},
                                  {"BREAK B1 ;"},
                                  {"LDG.E R5, desc[UR4][R2.64] ;"},  // 0x50
                                  {"BRA 0xb0 ;"},
                                  {"LDG.E R5, desc[UR4][R2.64+0x4] ;"},  // 0x70
                                  {"FMUL R1, R1, R5 ;"},
                                  {"BSYNC B1 ;"},  // 0x90
                                  {"BRA 0xc0 ;"},
                                  {"FADD R1, R1, R5 ;"},  // 0xb0
                                  {"BSYNC B0 ;"},
                                  {"EXIT ;"}};
  Walk w({load_at(0x00), load_at(0x50), load_at(0x70), end_site()}, text);
  w.to(0);
  CHECK(w.to(1, 0xff).instructions == 5);
  CHECK(w.to(2, 0xffffff00).instructions == 3 + 1);  // 0x60, 0xb0, 0xc0 before
  CHECK(w.to(3).instructions == 5);                  // 0x80, 0x90, 0xa0, 0xc0, 0xd0
}

TEST_CASE("time: a statement beside the machine code leads nowhere, and nobody comes from there") {
  trace::Program p = program(sides("FMUL R1, R1, R2 ;"));
  p.level = trace::Level::kPtxSass;
  p.code.push_back({0x1040, "ld.global.u32 %r1,[%rd1] ;", 0, 0, control(1)});
  std::vector<Site> sites = kSides;
  sites.push_back(load_at(0x1040));
  Paths paths(sites, p);
  sim::LanePaths lane_paths(paths);
  sim::DivergedLanes lanes;
  sim::LanePaths::begin(lanes, kAll);
  CHECK(lane_paths.next(lanes, 0, kAll, false).instructions == 1);
  CHECK(lane_paths.next(lanes, 4, kAll, false).instructions == 1);
  CHECK(lane_paths.next(lanes, 1, kAll, false).instructions == 2);  // 0x10, 0x20
}

TEST_CASE("time: lanes that left early do not come by what would have left a record of them") {
  const std::vector<Line> text = {{"LDG.E.64 R4, desc[UR4][R2.64] ;"},
                                  {"@P0 EXIT ;"},
                                  {"@P1 RED.E.ADD desc[UR4][R2.64], R1 ;"},
                                  {"STG.E desc[UR4][R2.64], R1 ;"},
                                  {"CALL.ABS.NOINC `(free) ;"},
                                  {"FADD R1, R1, R2 ;"},
                                  {"EXIT ;"}};
  Walk w({load_at(0x00), {0x20, Op::kReduction, Space::kGlobal, 4}, store_at(0x30), end_site()},
         text);
  w.to(0);
  CHECK(w.to(1, 0x1).instructions == 2);
  CHECK(w.to(2, 0xff).instructions == 1);
  const sim::Segment& end = w.to(3);
  CHECK(end.instructions == 3);
  CHECK(frees(end) == 1);
}

TEST_CASE("time: lanes return to behind the call that they made, be it the warp's end") {
  const std::vector<Line> text = {{"LDG.E.64 R4, desc[UR4][R2.64] ;"},
                                  {"@P0 BRA 0x70 ;"},
                                  {"LDG.E.64 R4, desc[UR4][R2.64] ;"},
                                  {"CALL.REL.NOINC 0x90 ;"},
                                  {"CALL.ABS.NOINC `(free) ;"},
                                  {"FADD R1, R1, R2 ;"},
                                  {"EXIT ;"},
                                  {"CALL.REL.NOINC 0x90 ;"},  // 0x70
                                  {"EXIT ;"},
                                  {"STG.E desc[UR4][R2.64], R1 ;"},  // 0x90
                                  {"RET.REL.NODEC R20 `(_Z1kv) ;"}};
  Walk w({load_at(0x00), load_at(0x20), store_at(0x90), end_site()}, text);
  w.to(0);
  CHECK(w.to(1).instructions == 2);
  CHECK(w.to(2).instructions == 2);  // 0x30, 0x90
  const sim::Segment& end = w.to(3);
  CHECK(end.instructions == 4);  // 0xa0, 0x40 … 0x60, not the nearer 0x80
  CHECK(frees(end) == 1);
}

TEST_CASE("time: lanes that a call through a register parted run their functions in turn") {
  const std::vector<Line> text = {{"LDG.E.64 R4, desc[UR4][R2.64] ;"},
                                  {"CALL.ABS.NOINC R4 ;"},
                                  {"FADD R1, R1, R2 ;"},
                                  {"EXIT ;"},
                                  {"FADD R1, R1, R2 ;"},  // 0x40
                                  {"STG.E desc[UR4][R2.64], R1 ;"},
                                  {"CALL.ABS.NOINC `(free) ;"},
                                  {"RET.REL.NODEC R20 `(_Z1kv) ;"},
                                  {"FMUL R1, R1, R2 ;"},  // 0x80
                                  {"FMUL R1, R1, R2 ;"},
                                  {"STG.E desc[UR4][R2.64], R1 ;"},
                                  {"CALL.ABS.NOINC `(free) ;"},
                                  {"FMUL R1, R1, R2 ;"},
                                  {"RET.REL.NODEC R20 `(_Z1kv) ;"}};
  Walk w({load_at(0x00), store_at(0x50), store_at(0xa0), end_site()}, text);
  w.to(0);
  CHECK(w.to(1, 0xff).instructions == 3);    // 0x10, 0x40, 0x50
  CHECK(w.to(2, ~0xffu).instructions == 3);  // 0x80 … 0xa0: the call has been run
  const sim::Segment& end = w.to(3);
  CHECK(end.instructions == 7);  // 0x60, 0x70; 0xb0 … 0xd0; 0x20, 0x30
  CHECK(frees(end) == 2);
}
