// Accesses to spilled registers, which no recording holds, come back from the code.
#include "sim/spills/spills.hpp"

#include "sim/code/spill_code.hpp"
#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

constexpr const char* kMark = " (*\"SpillRefill\"*)";

Site site_at(std::uint32_t pc, Op op, Space space = Space::kGlobal) { return {pc, op, space, 4}; }
Site begin_site() { return {0, Op::kCtaBegin, Space::kNone, 0}; }
Site end_site() { return {0, Op::kCtaEnd, Space::kNone, 0}; }

Kernel with_code(const std::vector<std::string>& text, std::vector<Site> sites,
                 std::function<void(Warp&)> fill) {
  Kernel k = kernel();
  k.code.clear();
  for (const std::string& t : text)
    k.code.push_back({static_cast<std::uint32_t>(16 * k.code.size()), t, 0, 0, control(4)});
  k.sites = std::move(sites);
  k.text.resize(k.sites.size());
  k.launch.local_bytes = 64;
  k.fill = std::move(fill);
  return k;
}

void parameter(Kernel& k, std::uint32_t value) {
  k.launch.parameters_at = 0x210;
  for (int b = 0; b < 4; ++b)
    k.launch.parameters.push_back(static_cast<std::uint8_t>(value >> 8 * b));
}

struct Local {  // of warps
  std::uint64_t loads, stores;
  bool operator==(const Local&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Local& l) {
  return out << l.loads << " loads, " << l.stores << " stores";
}

sim::ReplayedLaunch replayed(const Kernel& k, bool time = false, const WriteOptions& options = {}) {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {k}, options);
  const auto reader = open(folder.file("t.wmt"));
  sim::ReplayOptions replay;
  replay.time = time;
  return must(sim::replay(reader, h200(), replay)).details.at(0);
}

// What both engines count; they agree.
Local local_of(const Kernel& k) {
  const auto counted = replayed(k), timed = replayed(k, true);
  const Local a{counted.counters.inst_local_ld, counted.counters.inst_local_st};
  CHECK(a == Local{timed.counters.inst_local_ld, timed.counters.inst_local_st});
  CHECK(a == Local{counted.spilled.loads, counted.spilled.stores});
  CHECK(counted.counters.local_st.sectors == timed.counters.local_st.sectors);
  return a;
}

// A load at 0x20 and a store at 0x50; spills between them.
std::vector<std::string> straight(const std::string& mark) {
  return {"LDC R1, c[0x0][0x28]",
          "IADD3 R1, R1, -0x40, RZ",
          "LDG.E R4, desc[UR4][R2.64]",
          "STL [R1+0x8], R4" + mark,
          "LDL.64 R6, [R1+0x10]" + mark,
          "STG.E desc[UR4][R2.64], R4",
          "EXIT"};
}
const std::vector<Site> kStraightSites = {begin_site(), site_at(0x20, Op::kLoad),
                                          site_at(0x50, Op::kStore), end_site()};
void straight_records(Warp& w) {
  w.records = {regular(0, 0, 0), regular(1, kA, 4), regular(2, kB, 4), regular(3, 0, 0)};
}

}  // namespace

TEST_CASE("spills: what lies between two records is run between them") {
  const Kernel k = with_code(straight(kMark), kStraightSites, straight_records);
  CHECK(local_of(k) == Local{1, 1});
  const auto one = replayed(k);
  // 4 bytes are a request, 8 are two; a word of all lanes is four sectors.
  CHECK(one.counters.local_st.requests == 1);
  CHECK(one.counters.local_st.sectors == 4);
  CHECK(one.counters.local_ld.requests == 2);
  CHECK(one.spilled.instructions == 2);
  CHECK(std::count_if(one.notes.begin(), one.notes.end(), [](const std::string& n) {
          return n.starts_with("spilled registers: 1 loads and 1 stores");
        }) == 1);
}

TEST_CASE("spills: however a trace is cut, as much comes back") {
  Kernel k = with_code(straight(kMark), kStraightSites, straight_records);
  k.launch.grid = {40, 1, 1};
  k.launch.block = {96, 1, 1};
  CHECK(local_of(k) == Local{120, 120});
  for (const std::size_t piece : {1u, 2u, 3u}) {
    const auto cut = replayed(k, false, {.piece = piece});
    CHECK(cut.counters.inst_local_ld == 120);
    CHECK(cut.counters.inst_local_st == 120);
  }
}

TEST_CASE("spills: an engine that is told of none changes nothing") {
  std::vector<std::string> text = straight(kMark);
  text[3] = text[4] = "NOP";
  const auto none = replayed(with_code(text, kStraightSites, straight_records));
  CHECK(none.spilled.instructions == 0);
  CHECK(none.counters.records == 4);
  CHECK(none.notes.empty());
}

TEST_CASE("spills: marked or not, and what has records is not put back") {
  const auto found = [](const std::vector<std::string>& text, const std::vector<Site>& sites) {
    const trace::Program p = without_control(text);
    return sim::spill_accesses(trace::DecodedProgram(p), sites);
  };
  CHECK(found(straight(kMark), kStraightSites).size() == 2);
  // Without any mark each access that left no record is taken for one.
  CHECK(found(straight(""), kStraightSites).size() == 2);
  std::vector<Site> recorded = kStraightSites;
  recorded.push_back(site_at(0x30, Op::kStore, Space::kLocal));
  REQUIRE(found(straight(""), recorded).size() == 1);
  CHECK(found(straight(""), recorded)[0].load);
  // With marks the others are arrays, which no lane came to.
  std::vector<std::string> mixed = straight(kMark);
  mixed[3] = "STL [R1+0x8], R4";
  CHECK(found(mixed, kStraightSites).size() == 1);
  // What is at a place that the code does not tell is no spill, and PTX has none.
  mixed[4] = std::string("LDL R6, [R9+0x10]") + kMark;
  CHECK(found(mixed, kStraightSites).empty());
  mixed[4] = std::string("LDL R6, [R1+UR4]") + kMark;
  CHECK(found(mixed, kStraightSites).empty());
}

TEST_CASE("spills: unmarked, what shares its place with recorded accesses is one that nobody ran") {
  const auto found = [](const std::string& place) {
    const std::vector<Site> sites = {{0x20, Op::kStore, Space::kLocal, 8}};
    std::vector<std::int32_t> out;
    const trace::Program p =
        without_control({"LDC R1, c[0x0][0x28]", "IADD3 R1, R1, -0x40, RZ", "STL.64 [R1+0x10], R4",
                         "@!P0 STL [R1+" + place + "], R6", "EXIT"});
    for (const sim::SpillAccess& a : sim::spill_accesses(trace::DecodedProgram(p), sites))
      out.push_back(a.offset);
    return out;
  };
  CHECK(found("0xc") == std::vector<std::int32_t>{0xc});
  CHECK(found("0x10").empty());
  CHECK(found("0x14").empty());
  CHECK(found("0x18") == std::vector<std::int32_t>{0x18});
}

TEST_CASE("spills: places count from the kernel's frame, functions' lie below") {
  const trace::Program p = without_control(
      {"LDC R1, c[0x0][0x28]", "VIADD R1, R1, 0xffffffc0", "STL [R1+0x4], R4",
       "IADD3 R9, R1, 0x10, RZ", "STL [R9+-0x8], R4", "CALL.REL.NOINC 0x80", "LDL R4, [R1]", "EXIT",
       // The function.
       "IADD3 R1, R1, -0x20, RZ", "STL.128 [R1+0x10], R4", "IADD3 R1, R1, 0x20, RZ",
       "RET.REL.NODEC R20 `(kernel)"});
  const auto found = sim::spill_accesses(trace::DecodedProgram(p), {});
  REQUIRE(found.size() == 4);
  CHECK(found[0].offset == 4);
  CHECK(found[1].offset == 8);
  CHECK(found[2].offset == 0);
  CHECK(found[3].offset == -0x10);
  CHECK(found[3].bytes == 16);
}

TEST_CASE("spills: functions that a register leads to have their frames where they are called") {
  const trace::Program p =
      without_control({"LDC R1, c[0x0][0x28]", "VIADD R1, R1, 0xffffffc0", "LDC.64 R6, c[0x2][R4]",
                       "CALL.REL.NOINC R6 `(kernel)", "LDL R4, [R1+0x8]", "EXIT",
                       // The function.
                       "IADD3 R1, R1, -0x20, RZ", "STL.64 [R1+0x18], R4", "IADD3 R1, R1, 0x20, RZ",
                       "RET.REL.NODEC R20 `(kernel)"});
  const auto found = sim::spill_accesses(trace::DecodedProgram(p), {});
  REQUIRE(found.size() == 2);
  CHECK(found[0].offset == 8);
  CHECK(found[1].offset == -0x8);
  CHECK(found[1].bytes == 8);
}

TEST_CASE("spills: unmarked, what may be an access that was left as PTX is none") {
  const auto found = [](const std::vector<std::string>& further, bool with_records = true) {
    std::vector<std::string> text = {"LDC R1, c[0x0][0x28]", "IADD3 R1, R1, -0x40, RZ",
                                     "STL [R1+0x8], R4",     "STL [R1+0x20], R4",
                                     "LDL R6, [R1+0x8]",     "LDL R7, [R1+0x30]",
                                     "LDL.64 R8, [R1+0x8]",  "EXIT"};
    const std::size_t own = text.size();
    text.insert(text.end(), further.begin(), further.end());
    trace::Program p = without_control(text, trace::Level::kPtxSass);
    std::vector<trace::Site> sites;
    for (std::size_t i = own; with_records && i < text.size(); ++i)
      sites.push_back(
          {p.code[i].pc,
           text[i].find("ld.") != std::string::npos ? trace::Op::kLoad : trace::Op::kStore,
           trace::Space::kLocal, 4});
    std::vector<std::pair<bool, std::int32_t>> out;
    for (const sim::SpillAccess& a : sim::spill_accesses(trace::DecodedProgram(p), sites))
      out.emplace_back(a.load, a.offset);
    return out;
  };
  CHECK(found({}).size() == 5);
  // Loads of places that a spilled register was stored to, wholly, are spills; others may be those.
  using Found = std::vector<std::pair<bool, std::int32_t>>;
  CHECK(found({"ld.local.u32 %r1, [%rd1]"}) == Found{{false, 8}, {false, 0x20}, {true, 8}});
  CHECK(found({"@%p1 st.local.u32 [%rd1], %r1"}) ==
        Found{{false, 8}, {true, 8}, {true, 0x30}, {true, 8}});
  CHECK(found({"ld.local.u32 %r1, [%rd1]", "st.local.u32 [%rd1], %r1"}).empty());
  // By a generic address too. Statements without records are in each program, and were found.
  CHECK(found({"ld.u32 %r1, [%rd1]", "st.u32 [%rd1], %r1"}).empty());
  CHECK(found({"ld.local.u32 %r1, [%rd1]", "st.local.u32 [%rd1], %r1"}, false).size() == 5);
}

TEST_CASE("spills: a loop that leaves no record goes round as often as the code says") {
  // The counter is spilled itself, at [R1+0x4].
  const auto kernel_of = [](const std::string& bound) {
    return with_code(
        {"LDC R1, c[0x0][0x28]", "IADD3 R1, R1, -0x40, RZ", "LDG.E R4, desc[UR4][R2.64]",
         "MOV R6, RZ",
         std::string("STL [R1+0x4], R6") + kMark,     // 0x40
         std::string("LDL.LU R6, [R1+0x4]") + kMark,  // 0x50: the loop
         "IADD3 R6, R6, 0x1, RZ", std::string("STL [R1+0x4], R6") + kMark,
         std::string("STL [R1+0x8], R4") + kMark, "ISETP.LT.AND P0, PT, R6, " + bound + ", PT",
         "@P0 BRA 0x50", "STG.E desc[UR4][R2.64], R4", "EXIT"},
        {begin_site(), site_at(0x20, Op::kLoad), site_at(0xb0, Op::kStore), end_site()},
        straight_records);
  };
  CHECK(local_of(kernel_of("0x5")) == Local{5, 1 + 2 * 5});
  Kernel k = kernel_of("c[0x0][0x210]");
  parameter(k, 300);
  CHECK(local_of(k) == Local{300, 1 + 2 * 300});
  // Without the parameter nobody knows, and the note says so.
  const Kernel unknown = kernel_of("c[0x0][0x210]");
  CHECK(local_of(unknown) == Local{1, 1 + 2});
  CHECK(replayed(unknown).spilled.loops_taken_once == std::vector<std::string>{"pc 0x00a0"});
  CHECK(replayed(unknown).notes.back().ends_with(
      "1 loop of them was taken once, as nobody knows the rounds: pc 0x00a0"));
}

TEST_CASE("spills: nothing is run between the pieces of a bulk copy") {
  // A loop around the copy: from one copy to the next a warp goes round it.
  const auto copies = [](std::vector<trace::Piece> pieces) {
    return with_code(
        {"LDC R1, c[0x0][0x28]", "IADD3 R1, R1, -0x40, RZ", "LDG.E R4, desc[UR4][R2.64]",
         std::string("LDL R6, [R1+0x4]") + kMark,  // 0x30: the loop
         "UTMASTG.2D [UR4], [UR8]", "ISETP.LT.AND P0, PT, R6, R4, PT", "@P0 BRA 0x30", "EXIT"},
        {begin_site(),
         site_at(0x20, Op::kLoad),
         {0x40, Op::kBulkWrite, Space::kGlobal, 128},
         end_site()},
        [=](Warp& w) {
          w.records = {regular(0, 0, 0), regular(1, kA, 4)};
          for (const trace::Piece piece : pieces) {
            w.records.push_back(trace::piece_record(0, kB + 128 * w.records.size(), piece));
            w.records.back().site = 2;
          }
          w.records.push_back(regular(3, 0, 0));
        });
  };
  using enum trace::Piece;
  CHECK(local_of(copies({kFirst})) == Local{1, 0});
  CHECK(local_of(copies({kFirst, kFurther, kFurther})) == Local{1, 0});
  CHECK(local_of(copies({kFirst, kFurther, kFirst, kFurther})) == Local{2, 0});
}

TEST_CASE("spills: rounds that an emulated trace tells of") {
  const auto rounds = [](std::uint64_t inner, std::uint64_t outer) {
    Kernel k =
        with_code({"LDC R1, c[0x0][0x28]", "IADD3 R1, R1, -0x40, RZ", "LDG.E R4, desc[UR4][R2.64]",
                   std::string("LDL R6, [R1+0x4]") + kMark,  // 0x30: the outer loop
                   std::string("STL [R1+0x8], R4") + kMark,  // 0x40: the inner one
                   "@P0 BRA 0x40", "@P1 BRA 0x30", "STG.E desc[UR4][R2.64], R4", "EXIT"},
                  {begin_site(),
                   site_at(0x20, Op::kLoad),
                   site_at(0x70, Op::kStore),
                   end_site(),
                   {0x50, Op::kRounds, Space::kNone, 0},
                   {0x60, Op::kRounds, Space::kNone, 0}},
                  [=](Warp& w) {
                    w.records = {regular(0, 0, 0), regular(1, kA, 4)};
                    if (inner) w.records.push_back(regular(4, inner, 0));
                    if (outer) w.records.push_back(regular(5, outer, 0));
                    w.records.push_back(regular(2, kB, 4));
                    w.records.push_back(regular(3, 0, 0));
                  });
    k.level = trace::Level::kPtxSass;
    return k;
  };
  CHECK(local_of(rounds(0, 0)) == Local{1, 1});
  CHECK(local_of(rounds(7, 0)) == Local{1, 8});
  CHECK(local_of(rounds(0, 3)) == Local{4, 4});
  CHECK(local_of(rounds(7, 3)) == Local{4, 4 + 7});
  CHECK(replayed(rounds(7, 3)).spilled.loops_taken_once.empty());
}

TEST_CASE("spills: a way leads through the functions that are called on it") {
  Kernel k =
      with_code({"LDC R1, c[0x0][0x28]", "IADD3 R1, R1, -0x40, RZ", "LDG.E R4, desc[UR4][R2.64]",
                 std::string("STL [R1+0x8], R4") + kMark, "CALL.REL.NOINC 0x90",
                 std::string("LDL R4, [R1+0x8]") + kMark, "CALL.REL.NOINC 0x90",
                 "STG.E desc[UR4][R2.64], R4", "EXIT",
                 std::string("STL [R1+0xc], R5") + kMark,  // 0x90: a function with a loop of four
                 "MOV R7, 0x4", std::string("LDL R5, [R1+0xc]") + kMark, "VIADD R7, R7, 0xffffffff",
                 "ISETP.NE.AND P0, PT, R7, RZ, PT", "@P0 BRA 0xb0", "RET.REL.NODEC R20 `(kernel)"},
                {begin_site(), site_at(0x20, Op::kLoad), site_at(0x70, Op::kStore), end_site()},
                straight_records);
  CHECK(local_of(k) == Local{1 + 2 * 4, 1 + 2});
}

TEST_CASE("spills: from a record in a function back to behind its call") {
  Kernel k = with_code(
      {"LDC R1, c[0x0][0x28]", "IADD3 R1, R1, -0x40, RZ", "CALL.REL.NOINC 0x80",
       std::string("STL [R1+0x8], R4") + kMark, "LDG.E R4, desc[UR4][R2.64]", "CALL.REL.NOINC 0x80",
       std::string("LDL R4, [R1+0x8]") + kMark, "EXIT",
       std::string("STL [R1+0xc], R5") + kMark,  // 0x80
       "STG.E desc[UR4][R2.64], R4", std::string("LDL R5, [R1+0xc]") + kMark,
       "RET.REL.NODEC R20 `(kernel)"},
      {begin_site(), site_at(0x90, Op::kStore), site_at(0x40, Op::kLoad), end_site()}, [](Warp& w) {
        w.records = {regular(0, 0, 0), regular(1, kA, 4), regular(2, kB, 4), regular(1, kA, 4),
                     regular(3, 0, 0)};
      });
  CHECK(local_of(k) == Local{2 + 1, 2 + 1});
}

TEST_CASE("spills: lanes that part run what each comes by, and meet again") {
  constexpr std::uint32_t kThen = 0x0000ffff, kElse = 0xffff0000;
  const Kernel k = with_code(
      {"LDC R1, c[0x0][0x28]", "IADD3 R1, R1, -0x40, RZ", "LDG.E R4, desc[UR4][R2.64]",
       std::string("STL [R1], R4") + kMark, "@P0 BRA 0x80", std::string("STL [R1+0x4], R4") + kMark,
       "STG.E desc[UR4][R2.64], R4", "BRA 0xa0",
       std::string("LDL R4, [R1]") + kMark,  // 0x80
       "LDG.E R5, desc[UR4][R2.64]",
       std::string("LDL R4, [R1]") + kMark,  // 0xa0
       "STG.E desc[UR4][R2.64], R4", "EXIT"},
      {begin_site(), site_at(0x20, Op::kLoad), site_at(0x60, Op::kStore), site_at(0x90, Op::kLoad),
       site_at(0xb0, Op::kStore), end_site()},
      [](Warp& w) {
        w.records = {regular(0, 0, 0),         regular(1, kA, 4), regular(2, kA, 4, kThen),
                     regular(3, kA, 4, kElse), regular(4, kA, 4), regular(5, 0, 0)};
      });
  CHECK(local_of(k) == Local{1 + 1, 1 + 1});
  const auto c = replayed(k).counters;
  CHECK(c.local_st.sectors == 4 + 2);  // all lanes, then half of them
  CHECK(c.local_ld.sectors == 2 + 4);
}

TEST_CASE("spills: lanes that leave a loop one after the other") {
  const Kernel k = with_code(
      {"LDC R1, c[0x0][0x28]", "IADD3 R1, R1, -0x40, RZ",
       std::string("STL [R1], R4") + kMark,  // 0x20: the loop
       "LDG.E R4, desc[UR4][R2.64]", "@P1 BRA 0x60", "STG.E desc[UR4][R2.64], R4",
       std::string("LDL R4, [R1]") + kMark,  // 0x60
       "@P0 BRA 0x20", std::string("LDL R5, [R1]") + kMark, "STG.E desc[UR4][R2.64], R4", "EXIT"},
      {begin_site(), site_at(0x30, Op::kLoad), site_at(0x50, Op::kStore), site_at(0x90, Op::kStore),
       end_site()},
      [](Warp& w) {
        w.records = {regular(0, 0, 0),          regular(1, kA, 4),         regular(2, kA, 4, 0xff),
                     regular(1, kA, 4, 0xffff), regular(2, kA, 4, 0xf0f0), regular(1, kA, 4, 0xff),
                     regular(2, kA, 4, 0x0f),   regular(3, kA, 4),         regular(4, 0, 0)};
      });
  CHECK(local_of(k) == Local{3 + 1, 3});
}

TEST_CASE("spills: what is switched off leaves the lanes together") {
  const Kernel k =
      with_code({"LDC R1, c[0x0][0x28]", "IADD3 R1, R1, -0x40, RZ", "LDG.E R4, desc[UR4][R2.64]",
                 "@P0 LDG.E R5, desc[UR4][R2.64]", std::string("STL [R1], R4") + kMark,
                 "STG.E desc[UR4][R2.64], R4", "EXIT"},
                {begin_site(), site_at(0x20, Op::kLoad), site_at(0x30, Op::kLoad),
                 site_at(0x50, Op::kStore), end_site()},
                [](Warp& w) {
                  w.records = {regular(0, 0, 0), regular(1, kA, 4), regular(2, kA, 4, 1),
                               regular(3, kA, 4), regular(4, 0, 0)};
                });
  CHECK(local_of(k) == Local{0, 1});
  CHECK(replayed(k).counters.local_st.sectors == 4);
}

TEST_CASE("spills: they lie in the frame that recorded arrays lie in") {
  // What an array's store left is what the refill of the same place finds.
  Kernel k = with_code(
      {"LDC R1, c[0x0][0x28]", "IADD3 R1, R1, -0x40, RZ", "STL [R1+0x8], R4",
       std::string("LDL R4, [R1+0x8]") + kMark, std::string("LDL R5, [R1+0xc]") + kMark, "EXIT"},
      {begin_site(), site_at(0x20, Op::kStore, Space::kLocal), end_site()}, [](Warp& w) {
        w.records = {regular(0, 0, 0), regular(1, 8, 0), regular(2, 0, 0)};
      });
  const auto c = replayed(k).counters;
  CHECK(c.local_ld.sectors == 8);
  CHECK(c.local_ld.hits == 4);
}
