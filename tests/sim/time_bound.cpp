// What limits a timed launch: the minimum cut under its traffic, the one element with the most to
// do, bytes moved and in flight.
#include <numeric>

#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;
using model::Resource;

namespace {

// Every warp reads `loads` lines, at `line(warp of the grid, i)`, and waits for the last.
template <class F>
Kernel reads(std::uint32_t ctas, std::uint32_t loads, F line) {
  Kernel k = kernel(ctas, 256);
  k.code = lines({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                  {"@P0 BRA 0x0 ;", control(4)},
                  {"STS [R5], R4 ;", control(1, kNone, kNone, 1)},
                  {"EXIT ;"}});
  k.sites = {load_at(0x00), {0x20, Op::kStore, Space::kShared, 4}};
  k.text.resize(2);
  k.fill = [=](Warp& w) {
    for (std::uint64_t i = 0; i < loads; ++i)
      w.records.push_back(regular(0, kA + line(w.cta * 8 + w.warp, i) * 128, 4));
    w.records.push_back(regular(1, 0, 4));
  };
  return k;
}

const sim::TimeResult::Use& use(const sim::TimeResult& t, Resource place) {
  for (const auto& u : t.uses)
    if (u.place == place) return u;
  FAIL("no " << model::name_of(place));
  std::abort();
}

}  // namespace

TEST_CASE("time: the bound of streaming from DRAM is DRAM's, and explains most of the time") {
  const auto launch =
      timed(reads(1056, 16, [](std::uint64_t w, std::uint64_t i) { return i * 8448 + w; }), h200());
  const auto& t = *launch.time;
  REQUIRE(t.bound.cut.size() == 1);
  CHECK(t.bound.cut[0].place == Resource::kDramBus);
  CHECK(t.bound.cut[0].count == 188);
  CHECK(t.bound.cycles < static_cast<double>(t.running));
  CHECK(t.bound.cycles > 0.6 * static_cast<double>(t.running));
  // Sectors over the rate on the card.
  const double sectors = 1056 * 8 * 16 * 4;
  CHECK(t.bound.cycles == Approx(sectors / 72.1).epsilon(0.01));
  CHECK(use(t, Resource::kDramBus).bytes == Approx(sectors * 32));
  CHECK(use(t, Resource::kPortIn).bytes == Approx(sectors * 32).epsilon(0.01));
  CHECK(use(t, Resource::kL1).bytes == Approx(sectors * 32 + 1056 * 256 * 4));
  for (const auto& u : t.uses)
    if (u.peak > 0) CHECK(u.bytes / static_cast<double>(t.running) <= u.peak);
}

TEST_CASE("time: the bound of reading again what the L2 has is the slices'") {
  // 8 MiB, eight times over, past the L1s: a slice takes a request and four sectors in 0.65 + 4 x
  // 0.42 of its cycles, 0.864 of an SM's.
  Kernel k = reads(1056, 64, [](std::uint64_t w, std::uint64_t i) {
    return (w * 8 + i % 8 + i / 8 * 7919) % 65536;
  });
  k.code[0].text = "LDG.E.STRONG.GPU R4, desc[UR4][R2.64] ;";
  const auto t = *timed(k, h200()).time;
  REQUIRE(t.bound.cut.size() == 1);
  CHECK(t.bound.cut[0].place == Resource::kSlice);
  CHECK(t.bound.cycles > 0.6 * static_cast<double>(t.running));
  // Some reads share a request, and far lines that come over to the near side pass two slices.
  const double alone = 1056 * 8 * 64 * (0.65 + 4 * 0.42) / 0.864 / 96;
  CHECK(t.bound.cycles == Approx(alone).epsilon(0.15));
}

TEST_CASE("time: the bound of shared loads that all want one bank is the banks'") {
  Kernel k = kernel(132, 1024);
  k.code = lines({{"LDS R4, [R2] ;", control(2, 0)}, {"@P0 BRA 0x0 ;", control(4)}, {"EXIT ;"}});
  k.sites = {{0x00, Op::kLoad, Space::kShared, 4}};
  k.text.resize(1);
  k.launch.static_shared = 32 * 128;
  k.fill = [](Warp& w) {
    for (int i = 0; i < 20; ++i) w.records.push_back(regular(0, 0, 128));  // 32 words of a bank
  };
  const auto t = *timed(k, h200()).time;
  REQUIRE(t.bound.cut.size() == 1);
  CHECK(t.bound.cut[0].place == Resource::kL1);
  // 32 warps, 20 loads of 32 wavefronts each.
  CHECK(t.bound.cycles == Approx(32 * 20 * 32).epsilon(0.02));
  CHECK(t.bound.cycles > 0.9 * static_cast<double>(t.running));
}

TEST_CASE("time: no launch is faster than its bound") {
  for (const std::uint32_t ctas : {1u, 40u, 500u})
    for (const std::uint64_t stride : {0u, 1u, 33u}) {
      const auto launch = timed(
          reads(ctas, 8,
                [=](std::uint64_t w, std::uint64_t i) { return (i * ctas * 8 + w) * stride; }),
          h200());
      INFO(ctas << " CTAs, stride " << stride);
      CHECK(launch.time->bound.cycles > 0);
      CHECK(launch.time->bound.cycles <= static_cast<double>(launch.time->running));
    }
}

TEST_CASE("time: no place is in use longer than the launch runs, stores that outlast it included") {
  Kernel k = kernel(1056, 256);
  k.code = lines(
      {{"STG.E desc[UR4][R2.64], R5 ;", control(2)}, {"@P0 BRA 0x0 ;", control(4)}, {"EXIT ;"}});
  k.sites = {{0x00, Op::kStore, Space::kGlobal, 4}};
  k.text.resize(1);
  k.fill = [](Warp& w) {  // a word of 32 lines each
    for (std::uint64_t i = 0; i < 4; ++i)
      w.records.push_back(regular(0, kA + ((w.cta * 8 + w.warp) * 4 + i) * 4096, 128));
  };
  const auto t = *timed(k, h200()).time;
  CHECK(t.bound.cycles <= static_cast<double>(t.running));
  CHECK(t.running < t.cycles);
  double most = 0;
  for (const auto& u : t.uses) most = std::max(most, u.share);
  CHECK(most <= 1);
  CHECK(most > 0.8);
}

TEST_CASE("time: a stride of all channels on a plain map camps on one, and is said to") {
  // Each line 188 blocks of two lines after the one before: one channel's.
  const Kernel camps =
      reads(132, 8, [](std::uint64_t w, std::uint64_t i) { return (i * 1056 + w) * 188 * 2; });
  model::Card plain = h200();
  must(plain.set("dram.map", "plain"));
  const auto one = *timed(camps, plain).time, spread = *timed(camps, h200()).time;
  CHECK(one.running > 10 * spread.running);
  CHECK((one.bound.busiest == Resource::kDramBus || one.bound.busiest == Resource::kDramRows));
  CHECK(one.bound.busiest_cycles > 0.9 * static_cast<double>(one.running));
  // Evenly spread, the same traffic would take 1/188 of it.
  CHECK(one.bound.busiest_cycles > 50 * one.bound.cycles);
  CHECK(spread.bound.busiest_cycles < 5 * spread.bound.cycles);
}

TEST_CASE("time: a kernel on few SMs is bound by those, not by all") {
  // Two CTAs that read the same lines again and again: their L1s are what is busy.
  const auto t =
      *timed(reads(2, 400, [](std::uint64_t, std::uint64_t i) { return i % 4; }), h200()).time;
  REQUIRE(t.bound.cut.size() == 1);
  CHECK(t.bound.cut[0].place == Resource::kL1);
  CHECK(t.bound.cut[0].count == 2);
  CHECK(t.bound.cut[0].of == 132);
  CHECK(t.bound.cycles > 30 * use(t, Resource::kL1).share * static_cast<double>(t.running));
}

TEST_CASE("time: bytes in flight are those of a lone chain, and needed is bandwidth x latency") {
  // One warp, one line of four sectors at a time, all from DRAM.
  Kernel k = kernel(1, 32);
  k.code = lines({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0, kNone, 1)},
                  {"@P0 BRA 0x0 ;", control(4)},
                  {"EXIT ;"}});
  k.sites = {load_at(0x00)};
  k.text.resize(1);
  k.fill = [](Warp& w) {
    for (std::uint64_t i = 0; i < 200; ++i) w.records.push_back(regular(0, kA + i * 1048576, 4));
  };
  const auto t = *timed(k, h200()).time;
  // Hardly ever anything but one line under way, less the time between the chain's links.
  CHECK(t.bytes_in_flight < 128);
  CHECK(t.bytes_in_flight > 0.85 * 128);
  const auto n = h200().numbers();
  const double latency = static_cast<double>(n.latency_l2_near) +
                         static_cast<double>(n.latency_l2_far) / 2 +
                         static_cast<double>(n.latency_dram);
  CHECK(t.bytes_needed == Approx(72.1 * 32 * latency));
  // Little's law: what is in flight is what a cycle brings times how long it takes.
  const double arrived = 200 * 128 / static_cast<double>(t.running);
  const double took = t.bytes_in_flight / arrived;
  CHECK(took > latency - 100);
  CHECK(took < latency + 300);
}
