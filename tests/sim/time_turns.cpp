// How CTAs follow one another, against an H200: the pace of grids of many short ones
// (cards/gpus/h200/cta_turnaround.csv), and how long a place stays empty (cta_turn.csv).
#include "tests/catch.hpp"
#include "tests/sim/h200_rows.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

// A kernel that leaves no record but its CTAs' beginnings and ends.
Kernel short_kernel(std::uint32_t ctas, std::uint32_t threads, const std::vector<Line>& text) {
  Kernel k = kernel(ctas, threads);
  k.code = lines(text);
  k.text.clear();
  const auto begin = k.site(Op::kCtaBegin, Space::kNone, 0),
             end = k.site(Op::kCtaEnd, Space::kNone, 0);
  k.fill = [=](Warp& w) { w.records = {regular(begin, 0, 0), regular(end, 0, 0)}; };
  return k;
}

const std::vector<Line> kExit = {{"LDC R1, c[0x0][0x28] ;"}, {"EXIT ;", control(5)}};
const std::vector<Line> kReadThread = {
    {"LDC R1, c[0x0][0x28] ;"},
    {"S2R R0, SR_TID.X ;", control(2, 0)},
    {"ISETP.NE.AND P0, PT, R0, 0xfffff, PT ;", control(13, kNone, kNone, 1)},
    {"@P0 EXIT ;", control(5)},
    {"EXIT ;", control(5)}};

// Cycles from the start of a CTA to that of the next one in its place, with one place an SM. Each
// warp stores so many times before it leaves, a line (or 32 of them, each lane in one) at a time.
double turn(std::uint32_t stores, bool scattered) {
  const auto run = [&](std::uint32_t rounds) {
    Kernel k = kernel(132 * rounds, 32);
    std::vector<Line> text(stores, Line{"STG.E desc[UR4][R2.64], R5 ;"});
    text.push_back({"EXIT ;", control(5)});
    k.code = lines(text);
    k.sites.clear();
    for (std::uint32_t s = 0; s < stores; ++s)
      k.sites.push_back({16 * s, Op::kStore, Space::kGlobal, 4});
    k.text.resize(stores);
    const auto begin = k.site(Op::kCtaBegin, Space::kNone, 0),
               end = k.site(Op::kCtaEnd, Space::kNone, 0);
    k.launch.static_shared = 200 << 10;
    k.fill = [=](Warp& w) {
      w.records.push_back(regular(begin, 0, 0));
      for (std::uint32_t s = 0; s < stores; ++s)
        w.records.push_back(regular(s, kB + (w.cta * stores + s) * 4096, scattered ? 128 : 4));
      w.records.push_back(regular(end, 0, 0));
    };
    return cycles(k);
  };
  return static_cast<double>(run(9) - run(5)) / 4;
}

}  // namespace

TEST_CASE("time: waves of short CTAs take as long as on an H200") {
  int grids = 0;
  for (auto& row : rows_of("cta_turnaround.csv")) {
    const int what = std::stoi(row["what"]);
    const auto threads = static_cast<std::uint32_t>(std::stoul(row["threads"]));
    const auto waves = static_cast<std::uint32_t>(std::stoul(row["waves"]));
    // One wave is a grid that fits (placement.cpp); a launch alone differs by 500 cycles from one
    // time to the next.
    if (what > 1 || threads < 256 || waves < 4) continue;
    INFO(what << ", " << waves << " waves of CTAs of " << threads << " threads");
    const std::uint32_t ctas = 132 * (2048 / threads) * waves;
    const double measured = std::stod(row["cycles"]);
    const auto took =
        static_cast<double>(cycles(short_kernel(ctas, threads, what ? kReadThread : kExit)));
    CHECK(std::abs(took - measured) <= 0.1 * measured);
    ++grids;
  }
  CHECK(grids == 18);
}

TEST_CASE("time: a CTA's place stays empty as long as on an H200") {
  // Medians, by what a CTA does before it leaves: nothing, a store that joins its lanes, stores to
  // 16 lines a lane, which take an SM a while to send.
  std::map<std::string, std::vector<double>> gap;
  for (auto& row : rows_of("cta_turn.csv"))
    if (row["threads"] == "32" && row["places"] == "1" && row["fence"] == "0")
      gap[row["stores"]].push_back(std::stod(row["gap"]));
  const double nothing = turn(0, false);
  for (double g : gap.at("0")) CHECK(std::abs(nothing - g) <= 0.1 * g);
  // Nobody waits until a store has arrived …
  for (double g : gap.at("1")) CHECK(std::abs(turn(1, false) - g) <= 0.15 * g);
  // … but until it has left.
  for (double g : gap.at("16")) CHECK(g > 3 * nothing);
  CHECK(turn(16, true) > 3 * nothing);
}
