// Large launches from some of their CTAs: how the L2 fills, how CTAs lose step, which are replayed,
// and that what comes out holds what the whole launch says.
#include <cmath>

#include "sim/sample/footprint.hpp"
#include "sim/sample/sample.hpp"
#include "sim/sample/stays.hpp"
#include "sim/sample/window_plan.hpp"
#include "tests/catch.hpp"
#include "tests/sim/support.hpp"

using namespace warpmem;
using namespace warpmem::testing;
using sim::Footprint;

namespace {

// Four SMs and 4 MiB of L2, 32,768 lines: waves enough in launches of some hundred thousand
// records.
model::Card small(const std::string& sms = "4", const std::string& l2 = "4MiB") {
  model::Card card = h200();
  const std::vector<model::CardSetting> settings{{"sm.count", sms}, {"l2.size", l2}};
  must(card.set(settings));
  return card;
}

Footprint footprint(const Kernel& k, std::uint64_t most = ~0ull) {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {k});
  const auto reader = open(folder.file("t.wmt"));
  return must(sim::l2_footprint(reader, 0, small(), most));
}

// Each CTA stores to 32 lines of its own, so many times each.
Kernel stores(std::uint32_t ctas, int times) {
  Kernel k = kernel(ctas);
  const auto site = k.site(Op::kStore, Space::kGlobal, 4);
  k.fill = [=](Warp& w) {
    for (int i = 0; i < 32 * times; ++i)
      w.records.push_back(regular(site, kA + (w.cta * 32 + i % 32u) * 128, 4));
  };
  return k;
}

TEST_CASE("what fills the L2 is lines, however often they are written") {
  // 32,768 lines, 32 of each CTA, half of which are kept on both sides; 128 CTAs are under way
  // together.
  for (const int times : {1, 8}) {
    const Footprint f = footprint(stores(1600, times));
    CHECK(f.end == Footprint::End::kFull);
    CHECK(f.ctas >= 32768 / 48);
    CHECK(f.ctas <= 32768 / 48 + 128);
  }
}

TEST_CASE("CTAs that all read the same lines do not fill the L2, and soon nothing new comes") {
  Kernel k = kernel(4000);
  const auto site = k.site(Op::kLoad, Space::kGlobal, 4);
  k.fill = [=](Warp& w) {
    for (unsigned i = 0; i < 32; ++i) w.records.push_back(regular(site, kA + i * 128, 4));
  };
  const Footprint f = footprint(k);
  CHECK(f.end == Footprint::End::kSteady);
  CHECK(f.ctas <= 128);  // those of the first wave
}

TEST_CASE("lines that go on coming may fill the L2 behind the CTAs that are looked at") {
  const Footprint f = footprint(stores(1600, 1), 400);  // 1,600 x 48 lines
  CHECK(f.end == Footprint::End::kGrowing);
  CHECK(f.ctas == 400);
}

TEST_CASE("lines may go on coming and still all fit") {
  const Footprint f = footprint(stores(600, 1), 200);  // 600 x 48 lines
  CHECK(f.end == Footprint::End::kFits);
  CHECK(f.ctas == 200);
}

TEST_CASE("until all lines that persist have come, the L2 is not what it will be") {
  Kernel k = stores(4000, 1);
  k.launch.set_aside = 2 << 20;
  k.launch.window = {kB, 2 << 20, 1.0f, 2, 1};  // 16,384 lines
  const auto load = k.site(Op::kLoad, Space::kGlobal, 4);
  const auto own = k.fill;
  k.fill = [=](Warp& w) {
    own(w);
    for (unsigned i = 0; i < 8; ++i)
      w.records.push_back(regular(load, kB + (w.cta * 8 + i) % 16384 * 128, 4));
  };
  const Footprint f = footprint(k);
  CHECK(f.end == Footprint::End::kFull);
  CHECK(f.ctas >= 16384 / 8);
  CHECK(f.ctas <= 16384 / 8 + 2 * 128);
}

// As a streaming load leaves them, lines make room before any other (model/access/stay.hpp).
TEST_CASE("lines that are the first to go fill the L2 only where no others do") {
  Kernel k = stores(4000, 1);
  const auto load = k.site(Op::kLoad, Space::kGlobal, 4, "LDG.E.EF R4, desc[UR4][R2.64] ;");
  const auto own = k.fill;
  const auto loads = [=](Warp& w) {
    for (unsigned i = 0; i < 32; ++i)
      w.records.push_back(regular(load, kB + (w.cta * 32 + i) * 128, 4));
  };
  k.fill = [=](Warp& w) { loads(w), own(w); };
  const Footprint both = footprint(k);
  CHECK(both.end == Footprint::End::kFull);
  CHECK(both.ctas >= 32768 / 48);
  k.fill = loads;
  const Footprint alone = footprint(k);
  CHECK(alone.end == Footprint::End::kFull);
  CHECK(alone.ctas >= 32768 / 48);
  CHECK(alone.ctas <= 32768 / 48 + 128);
}

// CTAs of two places, one after the other.
sim::TimeResult stayed(const std::vector<std::pair<std::int32_t, std::uint64_t>>& ends,
                       std::uint64_t cycles) {
  sim::TimeResult t;
  t.cycles = cycles;
  for (std::size_t i = 0; i < ends.size(); ++i)
    t.stays.push_back({i, 0, ends[i].second, 0, ends[i].first});
  return t;
}

TEST_CASE("the time of all CTAs is the launch's, however they share it") {
  // Place 0 takes three of them, place 1 one.
  const auto t = stayed({{0, 30}, {0, 50}, {1, 90}, {0, 100}}, 104);
  const std::vector<std::uint64_t> all{0, 1, 2, 3}, some{1, 2};
  CHECK(sim::time_of(t, all, true) == 104);
  CHECK(sim::time_of(t, some, false) == (20 + 90) / 2.0);
}

// A wave of eight takes 800 cycles, and the CTA in place p a little more each time.
TEST_CASE("CTAs have lost step when their ends are spread evenly over the time of a wave") {
  std::vector<std::pair<std::int32_t, std::uint64_t>> ends;
  std::vector<std::uint64_t> ctas;
  for (std::uint64_t wave = 1; wave <= 16; ++wave)
    for (std::int32_t p = 0; p < 8; ++p) {
      // Evenly over all of the wave's time in the fifth wave, and from then on.
      ends.push_back(
          {p, 800 * wave + static_cast<std::uint64_t>(p) * 20 * std::min<std::uint64_t>(wave, 5)});
      ctas.push_back(ctas.size());
    }
  CHECK(sim::waves_in_step(stayed(ends, 800 * 17), ctas, 8) == 5);
}

// The whole launch, and what a sample says of it.
void check_held(const std::string& name, const model::Card& card,
                const std::vector<std::string>& counters, double within) {
  INFO(name);
  const auto reader = open(std::string(WARPMEM_REFERENCE) + "-sizes/" + name + ".wmt");
  sim::ReplayOptions whole;
  whole.time = true;
  const auto full = must(sim::replay(reader, card, whole));
  const auto sampled = must(sim::replay_sample(reader, card, {}));
  CHECK(sampled.groups.front().windows >= 3);
  for (const std::string& counter : counters) {
    INFO(counter);
    const double truth = full.launches.front().metrics.at(counter).value;
    const auto m = std::ranges::find(sampled.metrics, counter, &SampledMetric::name);
    REQUIRE(m != sampled.metrics.end());
    CHECK(std::abs(m->estimate - truth) <= m->half_width);
    CHECK(m->half_width <= within * truth);
    CHECK(std::abs(m->estimate - truth) <= within * truth);
  }
}

constexpr const char* kCycles = "sm__cycles_elapsed.max";
constexpr const char* kWritten = "dram__sectors_write.sum";

TEST_CASE("stores that write the same sectors again and again fill the L2 before windows begin") {
  check_held("aos_soa_aos_store_all.dram", small("8", "8MiB"), {kWritten, kCycles}, 0.05);
}

// In step, DRAM takes a fifth less time for these stores.
TEST_CASE("windows run until CTAs have lost step") {
  check_held("strided_store_32.dram", small(), {kCycles}, 0.12);
}

// Written lines stay for two turns of the L2, and read ones go instead: DRAM's writes are a half
// more than what comes for as long as three times what fills it.
TEST_CASE("the L2 is warmed until what it writes back is as much as what comes") {
  check_held("load_paths_stcg.l2", small(), {kWritten}, 0.45);
}

TEST_CASE("windows begin with the lines that persist") {
  check_held("l2_window_persisting.l2", small(),
             {kCycles, "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum"}, 0.45);
}

sim::WindowShape shape(std::uint64_t waves) {
  sim::WindowShape s;
  s.wave = 32, s.ctas = 32 * waves;
  return s;
}

TEST_CASE("windows lie in equal parts of the launch, each with its lead in front") {
  const auto plan = sim::plan_windows(shape(4096), {Footprint::End::kFull, 20 * 32, 0}, true, 5);
  REQUIRE(plan);
  REQUIRE(plan->windows.size() == 8);
  const auto& begin = plan->windows.front();
  CHECK(begin.counted.first == 0);
  CHECK(begin.counted.end >= 40 * 32);  // the L2 has filled, and written lines have had their turns
  double counted = 0;
  for (std::size_t i = 1; i < 7; ++i) {
    const auto& w = plan->windows[i];
    CHECK(w.counted.first - w.replayed.first == 9 * 32);  // five waves in step, four to see a drift
    CHECK(w.before.end == w.counted.first);
    CHECK(w.before.size() == w.counted.size());
    CHECK(w.warm.end == w.replayed.first);
    CHECK(w.warm.size() == std::min<std::uint64_t>(w.replayed.first, 40 * 32));
    if (i > 1) CHECK(w.counted.first >= plan->windows[i - 1].counted.end);
    counted = static_cast<double>(w.counted.size());
  }
  // Beginning, middle and end are the launch.
  const auto& end = plan->windows.back();
  CHECK(static_cast<double>(begin.counted.size() + end.counted.size()) + plan->units * counted ==
        4096 * 32);
  CHECK(end.counted.end == 4096 * 32);
}

TEST_CASE("a launch of which windows would be more than half is replayed whole") {
  const Footprint f{Footprint::End::kFull, 10 * 32, 0};
  CHECK(!sim::plan_windows(shape(100), f, true, 5));
  const auto fewer = sim::plan_windows(shape(300), f, true, 5);
  REQUIRE(fewer);
  CHECK(fewer->windows.size() < 8);
  CHECK(sim::plan_windows(shape(1000), f, true, 5)->windows.size() == 8);
  // Nobody knows what all CTAs before a window leave without looking at them.
  CHECK(!sim::plan_windows(shape(1000), {Footprint::End::kGrowing, 250 * 32, 0}, true, 5));
}

}  // namespace
