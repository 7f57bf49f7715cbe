// Emulated traces say how often instructions ran: ways between two records go through bodies as
// often.
#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

Site end_site() { return {0, Op::kCtaEnd, Space::kNone, 0}; }

using Times = std::vector<trace::TimesRun>;

// Instructions that so many passages from one site to another issue.
std::uint64_t issued(const trace::Program& p, const std::vector<Site>& sites, const Times& times,
                     std::uint32_t from, std::uint32_t to, std::uint32_t passages) {
  sim::Paths paths(sites, trace::DecodedProgram(p), h200().instructions(),
                   h200().numbers().code_piece_bytes, false, nullptr, {}, times);
  std::uint64_t all = 0;
  for (std::uint32_t n = 0; n < passages; ++n) all += paths.between(from, to).instructions;
  return all;
}

constexpr std::uint32_t kPassages = 10 * sim::CodePaths::kPassages;

// A load, a branch over a body of three, a store.
const std::vector<Line> kBody = {{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                                 {"@P0 BRA 0x50 ;", control(5)},
                                 {"FADD R1, R1, R2 ;", control(4)},
                                 {"FADD R1, R1, R2 ;", control(4)},
                                 {"FADD R1, R1, R2 ;", control(4)},
                                 {"STG.E desc[UR4][R2.64], R1 ;", control(1)},
                                 {"EXIT ;", control(5)}};
const std::vector<Site> kBodySites = {
    load_at(0x00), {0x50, Op::kStore, Space::kGlobal, 4}, end_site()};

}  // namespace

TEST_CASE("time: a body is run by as many passages as ran it") {
  const trace::Program p = program(kBody);
  const auto of = [&](const Times& times) {
    return static_cast<double>(issued(p, kBodySites, times, 0, 1, kPassages)) / kPassages;
  };
  CHECK(of({}) == 2);  // not known: the shortest way
  CHECK(of({{0x00, 2, 1, 100}, {0x20, 3, 1, 0}, {0x50, 2, 1, 100}}) == 2);
  CHECK(of({{0x00, 2, 1, 100}, {0x20, 3, 1, 100}, {0x50, 2, 1, 100}}) == 5);
  CHECK(of({{0x00, 2, 1, 100}, {0x20, 3, 1, 50}, {0x50, 2, 1, 100}}) == Approx(3.5).epsilon(0.01));
  CHECK(of({{0x00, 2, 1, 100}, {0x20, 3, 1, 25}, {0x50, 2, 1, 100}}) == Approx(2.75).epsilon(0.01));
  // Copies of an unrolled loop's body need not run equally often.
  CHECK(of({{0x00, 2, 4, 100}, {0x20, 3, 4, 50}, {0x50, 2, 4, 100}}) == 2);
  // What is there more often than its branch may have run elsewhere.
  CHECK(of({{0x00, 2, 1, 100}, {0x20, 3, 2, 50}, {0x50, 2, 1, 100}}) == 2);
  // Moves of the body are made elsewhere as well; one instruction of it is there once, so it is.
  CHECK(of({{0x00, 2, 1, 100}, {0x20, 2, 3, 100}, {0x40, 1, 1, 100}, {0x50, 2, 1, 100}}) == 5);
}

TEST_CASE("time: diverged warps run both sides of a branch, one after the other") {
  const trace::Program p = program({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                                    {"@P0 BRA 0x40 ;", control(5)},
                                    {"FADD R1, R1, R2 ;", control(4)},
                                    {"BRA 0x60 ;", control(5)},
                                    {"FMUL R1, R1, R2 ;", control(4)},
                                    {"FMUL R1, R1, R2 ;", control(4)},
                                    {"STG.E desc[UR4][R2.64], R1 ;", control(1)},
                                    {"EXIT ;", control(5)}});
  const std::vector<Site> sites = {
      load_at(0x00), {0x60, Op::kStore, Space::kGlobal, 4}, end_site()};
  const auto of = [&](std::uint64_t one, std::uint64_t other) {
    const Times times = {
        {0x00, 2, 1, 100}, {0x20, 2, 1, one}, {0x40, 2, 1, other}, {0x60, 2, 1, 100}};
    return static_cast<double>(issued(p, sites, times, 0, 1, kPassages)) / kPassages;
  };
  CHECK(of(100, 0) == 4);
  CHECK(of(0, 100) == 4);
  CHECK(of(100, 100) == 6);
  CHECK(of(80, 60) == Approx(2 + 2 * 0.8 + 2 * 0.6).epsilon(0.01));
}

TEST_CASE("time: each side of a diverged warp waits for the other, and calls what it calls") {
  const trace::Program p = program({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                                    {"BSSY B0, 0x80 ;", control(1)},
                                    {"@P0 BRA 0x50 ;", control(5)},
                                    {"CALL.REL.NOINC 0xa0 ;", control(5)},
                                    {"BRA 0x70 ;", control(5)},
                                    {"FMUL R1, R1, R2 ;", control(4)},  // 0x50
                                    {"CALL.REL.NOINC 0xc0 ;", control(5)},
                                    {"BSYNC B0 ;", control(5)},
                                    {"STG.E desc[UR4][R2.64], R1 ;", control(1)},  // 0x80
                                    {"EXIT ;", control(5)},
                                    {"FADD R1, R1, R2 ;", control(4)},  // 0xa0
                                    {"RET.REL.NODEC R20 0x0 ;", control(5)},
                                    {"FADD R1, R1, R2 ;", control(4)},  // 0xc0
                                    {"FADD R1, R1, R2 ;", control(4)},
                                    {"RET.REL.NODEC R20 0x0 ;", control(5)}});
  const std::vector<Site> sites = {
      load_at(0x00), {0x80, Op::kStore, Space::kGlobal, 4}, end_site()};
  const auto of = [&](std::uint64_t one, std::uint64_t other) {
    const Times times = {{0x00, 3, 1, 100}, {0x30, 2, 1, one}, {0x50, 2, 1, other},
                         {0x80, 2, 1, 100}, {0xa0, 2, 1, one}, {0xc0, 3, 1, other}};
    return issued(p, sites, times, 0, 1, kPassages) / kPassages;
  };
  CHECK(of(100, 0) == 2 + 2 + 2 + 2);
  CHECK(of(0, 100) == 2 + 2 + 3 + 2);
  CHECK(of(100, 100) == 2 + (2 + 2 + 1) + (2 + 3 + 1) + 1);
}

TEST_CASE("time: where both sides of a branch meet ran for both, and says of neither how often") {
  // A loop in which one side has a load, and the other goes on to where both meet.
  const trace::Program p = program({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                                    {"FADD R1, R1, R2 ;", control(4)},
                                    {"@P0 BRA 0x50 ;", control(5)},
                                    {"LDS R5, [R6] ;", control(2, 1)},
                                    {"FADD R1, R1, R2 ;", control(4)},
                                    {"FADD R1, R1, R2 ;", control(4)},
                                    {"@P1 BRA 0x10 ;", control(5)},
                                    {"EXIT ;", control(5)}});
  const std::vector<Site> sites = {load_at(0x00), {0x30, Op::kLoad, Space::kShared, 4}, end_site()};
  const Times times = {{0x00, 1, 1, 100}, {0x10, 6, 1, 800}, {0x70, 1, 1, 100}};
  CHECK(issued(p, sites, times, 0, 1, kPassages) == 3 * kPassages);
}

TEST_CASE("time: rounds of a loop are no passages to it") {
  const trace::Program p = program({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                                    {"@P0 BRA 0x50 ;", control(5)},
                                    {"FADD R1, R1, R2 ;", control(4)},
                                    {"@P1 BRA 0x20 ;", control(5)},
                                    {"FADD R1, R1, R2 ;", control(4)},
                                    {"STG.E desc[UR4][R2.64], R1 ;", control(1)},
                                    {"EXIT ;", control(5)}});
  const std::vector<Site> sites = {
      load_at(0x00), {0x50, Op::kStore, Space::kGlobal, 4}, end_site()};
  const Times times = {{0x00, 2, 1, 100}, {0x20, 2, 1, 300}, {0x40, 1, 1, 30}, {0x50, 2, 1, 100}};
  const double each = static_cast<double>(issued(p, sites, times, 0, 1, kPassages)) / kPassages;
  CHECK(each == Approx(2 + 0.3 * 3).epsilon(0.01));
}

TEST_CASE("time: a round of a loop stays in it, however often warps left it") {
  // A loop in a loop: 100 rounds of the outer one, 400 of the inner one in all.
  const trace::Program p = program({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                                    {"IADD3 R5, R5, 0x1, RZ ;", control(4)},
                                    {"IADD3 R6, R6, 0x1, RZ ;", control(4)},  // 0x20
                                    {"@P0 BRA 0x20 ;", control(5)},
                                    {"IADD3 R7, R7, 0x1, RZ ;", control(4)},
                                    {"@P1 BRA 0x10 ;", control(5)},
                                    {"EXIT ;", control(5)}});
  const std::vector<Site> sites = {load_at(0x00), {0x30, Op::kRounds, Space::kNone, 0}, end_site()};
  const Times times = {
      {0x00, 1, 1, 1}, {0x10, 1, 1, 100}, {0x20, 2, 1, 400}, {0x40, 2, 1, 100}, {0x60, 1, 1, 1}};
  sim::Paths paths(sites, trace::DecodedProgram(p), h200().instructions(),
                   h200().numbers().code_piece_bytes, false, nullptr, {}, times);
  CHECK(paths.round(1).work.issues == 2 * sim::Round::kRounds);
}

TEST_CASE("time: bodies in a loop without accesses are run in as many of its rounds") {
  // A loop of a branch over a body of three, and its branch back.
  const trace::Program p = program({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                                    {"@P0 BRA 0x50 ;", control(5)},
                                    {"FADD R1, R1, R2 ;", control(4)},
                                    {"FADD R1, R1, R2 ;", control(4)},
                                    {"FADD R1, R1, R2 ;", control(4)},
                                    {"@P1 BRA 0x10 ;", control(5)},
                                    {"EXIT ;", control(5)}});
  const std::vector<Site> sites = {load_at(0x00), {0x50, Op::kRounds, Space::kNone, 0}, end_site()};
  const Times times = {{0x00, 1, 1, 10}, {0x10, 1, 1, 1000}, {0x20, 3, 1, 500}, {0x50, 1, 1, 1000}};
  sim::Paths paths(sites, trace::DecodedProgram(p), h200().instructions(),
                   h200().numbers().code_piece_bytes, false, nullptr, {}, times);
  const sim::Round& round = paths.round(1);
  CHECK(round.work.issues == sim::Round::kRounds * 2 + sim::Round::kRounds / 2 * 3);
  std::uint64_t all = 0;
  for (std::uint64_t left = 0; left < sim::Round::kRounds; ++left)
    all += round.segment(left).instructions;
  CHECK(all == round.work.issues);
}

namespace {

// Instructions of a passage of a recorded launch from its first site to its second, on average.
double recorded(const std::vector<Line>& text, const std::vector<Site>& sites) {
  const trace::Program p = program(text);
  const trace::Launch launch;
  sim::Paths paths(sites, trace::DecodedProgram(p), h200().instructions(),
                   h200().numbers().code_piece_bytes, false, &launch);
  std::uint64_t all = 0;
  for (std::uint32_t n = 0; n < kPassages; ++n) all += paths.between(0, 1).instructions;
  return static_cast<double>(all) / kPassages;
}

}  // namespace

TEST_CASE("time: of a recording, every other passage runs a body of which nobody knows") {
  CHECK(recorded(kBody, kBodySites) == Approx(3.5).epsilon(0.01));
  // One or two instructions are passed.
  std::vector<Line> brief = kBody;
  brief[1].text = "@P0 BRA 0x40 ;";
  brief[4].text = "NOP ;";
  CHECK(recorded(brief, kBodySites) == 3);
  // Nor does anybody ask for what numbers out of the ordinary take.
  for (const char* asks : {"FSETP.NEU.AND P0, PT, |R1|, +INF , PT ;", "FCHK P0, R1, R2 ;",
                           "FSETP.GEU.AND P0, PT, |R1|, 1.175494350822287508e-38, PT ;"}) {
    INFO(asks);
    std::vector<Line> special = kBody;
    special.insert(special.begin() + 1, Line{asks, control(13)});
    special[2].text = "@P0 BRA 0x60 ;";
    std::vector<Site> sites = kBodySites;
    sites[1].pc = 0x60;
    CHECK(recorded(special, sites) == 3);
  }
}

TEST_CASE("time: of a recording, what would have left records and has none is not run") {
  std::vector<Line> text = kBody;
  text[3].text = "LDG.E R8, desc[UR4][R6.64] ;";
  CHECK(recorded(text, kBodySites) == 2);
  // It may have been switched off where it stands.
  text[3].text = "@P1 LDG.E R8, desc[UR4][R6.64] ;";
  CHECK(recorded(text, kBodySites) > 2);
  // A generic one may have been to local memory, which a recorder need not see: its body is passed.
  text[3].text = "LD.E R8, desc[UR4][R6.64] ;";
  CHECK(recorded(text, kBodySites) == 2);
  // A recording never holds what is read from constant memory.
  text[3].text = "LDC R8, c[0x3][R6] ;";
  CHECK(recorded(text, kBodySites) == Approx(3.5).epsilon(0.01));
  // On one side of a branch, the other side is run.
  CHECK(recorded({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                  {"@P0 BRA 0x40 ;", control(5)},
                  {"STG.E desc[UR4][R6.64], R1 ;", control(4)},
                  {"BRA 0x70 ;", control(5)},
                  {"FMUL R1, R1, R2 ;", control(4)},
                  {"FMUL R1, R1, R2 ;", control(4)},
                  {"FMUL R1, R1, R2 ;", control(4)},
                  {"STG.E desc[UR4][R2.64], R1 ;", control(1)},
                  {"EXIT ;", control(5)}},
                 {load_at(0x00), {0x70, Op::kStore, Space::kGlobal, 4}, end_site()}) == 5);
}
