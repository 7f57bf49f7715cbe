// Clusters: which SMs they get, and how their CTAs wait for each other.
#include <algorithm>
#include <set>

#include "sim/engine/cluster_placement.hpp"
#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;
using sim::ClusterPlacement;

namespace {

std::vector<std::vector<int>> all_that_fit(std::uint64_t cluster, std::uint32_t per_sm) {
  ClusterPlacement p(h200(), cluster, per_sm);
  std::vector<std::vector<int>> out;
  while (true) {
    const std::vector<int> sms = p.place(cluster);
    if (sms.empty()) return out;
    out.push_back(sms);
  }
}

// A kernel in clusters whose CTAs load `before(rank)` lines one after the other, meet, and store.
Kernel meeting(std::uint32_t ctas, std::uint32_t cluster,
               const std::vector<trace::Instruction>& code,
               std::function<std::uint64_t(std::uint64_t rank)> before) {
  Kernel k = kernel(ctas, 64);
  k.launch.cluster = {cluster, 1, 1};
  k.code = code;
  k.sites = {load_at(0x00), {0x40, Op::kStore, Space::kGlobal, 4}};
  k.text.resize(k.sites.size());
  k.fill = [=](Warp& w) {
    for (std::uint64_t i = 0; i < before(w.cta % cluster); ++i)
      w.records.push_back(regular(0, kA + (w.cta * 1000 + i) * 4096, 4));
    w.records.push_back(regular(1, kB + w.cta * 128, 4));
  };
  return k;
}

std::vector<trace::Instruction> chased_and(const std::string& arrive, const std::string& meet) {
  return lines({{"LDG.E.64 R4, desc[UR4][R4.64] ;", control(2, 0, kNone, 1)},
                {"@P0 BRA 0x0 ;", control(4)},
                {arrive, control(1, kNone, kNone, 1)},
                {meet, control(1)},
                {"STG.E desc[UR4][R2.64], R6 ;", control(2)},
                {"EXIT ;"}});
}

const std::string kNothing = "NOP ;";

}  // namespace

TEST_CASE("clusters of four get the SMs that an H200 gave them") {
  const auto seen = all_that_fit(4, 8);
  // validate/reference/h200-sizes/cluster_read.l2.wmt says where each CTA ran. 248 clusters fit.
  REQUIRE(seen.size() == 248);
  const std::vector<std::pair<std::size_t, std::vector<int>>> kMeasured = {
      {0, {0, 1, 16, 17}},        {1, {2, 3, 18, 19}},      {7, {14, 15, 30, 31}},
      {8, {32, 33, 48, 49}},      {16, {64, 65, 78, 79}},   {29, {104, 105, 118, 119}},
      {30, {0, 1, 16, 17}},       {36, {12, 13, 120, 121}}, {44, {28, 29, 44, 45}},
      {60, {116, 117, 120, 121}}, {62, {0, 1, 16, 17}},     {127, {6, 7, 22, 23}}};
  for (const auto& [cluster, sms] : kMeasured) {
    INFO("cluster " << cluster);
    CHECK(seen[cluster] == sms);
  }
}

TEST_CASE("as many clusters fit at once as an H200 had room for") {
  // Rounds that 4,224 CTAs took, two to an SM: kernels/micro/launch_shape.cu, waiting.
  CHECK(all_that_fit(2, 2).size() == 132);
  CHECK(all_that_fit(4, 2).size() == 62);
  CHECK(all_that_fit(8, 2).size() == 30);
  CHECK(all_that_fit(16, 2).size() == 14);
}

TEST_CASE("a cluster's CTAs are on SMs of their own, of one GPC, with room") {
  const model::Card card = h200();
  const auto& n = card.numbers();
  for (std::uint64_t cluster : {2u, 3u, 4u, 7u, 8u, 16u}) {
    std::vector<int> load(n.sm_count, 0);
    for (const auto& sms : all_that_fit(cluster, 3)) {
      CHECK(std::set<int>(sms.begin(), sms.end()).size() == cluster);
      CHECK(std::is_sorted(sms.begin(), sms.end()));
      for (int sm : sms) {
        CHECK(n.sm_gpc[static_cast<std::size_t>(sm)] == n.sm_gpc[static_cast<std::size_t>(sms[0])]);
        CHECK(++load[static_cast<std::size_t>(sm)] <= 3);
        if (cluster > 2) CHECK(sm < 124);
      }
    }
  }
}

TEST_CASE("a cluster takes the place of CTAs that ended, wherever they were in its GPC") {
  ClusterPlacement p(h200(), 8, 1);
  std::vector<std::vector<int>> placed;
  while (true) {
    const auto sms = p.place(8);
    if (sms.empty()) break;
    placed.push_back(sms);
  }
  // Two clusters of one GPC lose four CTAs each: not enough of either, enough of both.
  const auto gpc = [&](const std::vector<int>& sms) {
    return h200().numbers().sm_gpc[static_cast<std::size_t>(sms[0])];
  };
  const auto& first = placed[1];
  const auto second = std::find_if(placed.begin() + 2, placed.end(),
                                   [&](const auto& sms) { return gpc(sms) == gpc(first); });
  REQUIRE(second != placed.end());
  for (int k = 0; k < 4; ++k) p.free(first[static_cast<std::size_t>(k)]);
  CHECK(p.place(8).empty());
  for (int k = 0; k < 4; ++k) p.free((*second)[static_cast<std::size_t>(k)]);
  CHECK(p.place(8).size() == 8);
}

TEST_CASE("CTAs of clusters in two dimensions come cluster by cluster") {
  trace::Launch l;
  l.grid = {4, 4, 1};
  l.cluster = {2, 2, 1};
  std::vector<std::uint64_t> ctas(16);
  for (std::uint64_t i = 0; i < 16; ++i) ctas[i] = i;
  sim::order_by_cluster(l, ctas);
  CHECK(ctas == std::vector<std::uint64_t>{0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15});
  CHECK(sim::cluster_of(l, 6) == 1);
}

TEST_CASE("a cluster that no GPC has room for is refused with the limit") {
  TemporaryFolder folder;
  Kernel k = kernel(32, 32);
  k.launch.cluster = {32, 1, 1};
  k.fill = [](Warp&) {};
  write_trace(folder.file("t.wmt"), {k});
  const auto reader = open(folder.file("t.wmt"));
  const auto result = sim::replay(reader, h200());
  REQUIRE_FALSE(result);
  CHECK(result.error().message.find("a cluster of 32 CTAs does not fit a GPC") == 0);
}

TEST_CASE("time: a cluster's barrier waits for its last CTA, and costs what the card says") {
  const auto slow_first = [](std::uint64_t rank) { return rank == 0 ? 50u : 1u; };
  const auto all_slow = [](std::uint64_t) { return 50u; };
  const auto with = chased_and("UCGABAR_ARV ;", "UCGABAR_WAIT ;"),
             without = chased_and(kNothing, kNothing);
  const auto met = *timed(meeting(4, 4, with, slow_first), h200()).time;
  const auto apart = *timed(meeting(4, 4, without, slow_first), h200()).time;
  const std::uint64_t barrier = h200().numbers().time_cluster_barrier_cycles;
  CHECK(met.cycles - apart.cycles >= barrier * 9 / 10);
  CHECK(met.cycles - apart.cycles <= barrier * 11 / 10 + 20);
  CHECK(met.forced.count == 0);
  // Three CTAs of two warps wait for some 49 misses.
  CHECK(waited(met, sim::Wait::kBarrier) > 6 * 40 * h200().numbers().latency_l2_near);
  CHECK(waited(apart, sim::Wait::kBarrier) == 0);
  const auto together = *timed(meeting(4, 4, with, all_slow), h200()).time;
  CHECK(waited(together, sim::Wait::kBarrier) < waited(met, sim::Wait::kBarrier) / 2);
}

TEST_CASE("time: only the CTAs of one cluster wait for each other") {
  // The second cluster has nothing to wait for, and one of its CTAs ends long before the first's.
  const auto code = chased_and("UCGABAR_ARV ;", "UCGABAR_WAIT ;");
  Kernel k = meeting(8, 4, code, [](std::uint64_t) { return 1u; });
  const std::uint64_t quick = cycles(k);
  const auto fill = k.fill;
  k.fill = [=](Warp& w) {
    fill(w);
    if (w.cta == 0) w.records.insert(w.records.begin(), 50, regular(0, kA + (1 << 26), 4));
  };
  const auto one_slow = *timed(k, h200()).time;
  // Waiting is that of three CTAs, not of seven.
  const std::uint64_t late = one_slow.cycles - quick;
  CHECK(waited(one_slow, sim::Wait::kBarrier) < 3 * 2 * late + 8 * 2 * 1000);
  CHECK(waited(one_slow, sim::Wait::kBarrier) > 3 * 2 * late * 8 / 10);
}

TEST_CASE("time: warps that have ended are not waited for, and none is when nobody arrives") {
  const auto code = lines({{"LDG.E.64 R4, desc[UR4][R4.64] ;", control(2, 0, kNone, 1)},
                           {"@P0 EXIT ;", control(4)},
                           {"UCGABAR_ARV ;", control(1, kNone, kNone, 1)},
                           {"UCGABAR_WAIT ;", control(1)},
                           {"STG.E desc[UR4][R2.64], R6 ;", control(2)},
                           {"EXIT ;"}});
  Kernel k = meeting(4, 4, code, [](std::uint64_t) { return 1u; });
  const auto fill = k.fill;
  k.fill = [=](Warp& w) {
    fill(w);
    if (w.cta == 2 || w.warp == 1) w.records.pop_back();  // leaves before the barrier
  };
  CHECK(timed(k, h200()).time->forced.count == 0);
}

TEST_CASE("time: a fence waits until the warp's stores are there") {
  const auto fenced = [](const std::string& fence) {
    Kernel k = kernel(1, 32);
    k.code = lines({{"STG.E desc[UR4][R2.64], R6 ;", control(2)},
                    {fence, control(2)},
                    {"LDS R6, [R5] ;", control(2, 0)},
                    {"EXIT ;"}});
    k.sites = {{0x00, Op::kStore, Space::kGlobal, 4}, {0x20, Op::kLoad, Space::kShared, 4}};
    k.text.resize(k.sites.size());
    k.launch.static_shared = 4096;
    k.fill = [](Warp& w) {
      for (int i = 0; i < 1; ++i) w.records.push_back(regular(0, kA, 4));
      w.records.push_back(regular(1, 0, 4));
    };
    return waited(*timed(k, h200()).time, sim::Wait::kMemory);
  };
  CHECK(fenced("MEMBAR.SC.GPU ;") >
        fenced("MEMBAR.ALL.CTA ;") + h200().numbers().latency_l2_near / 2);
}
