// Which SMs a launch's first CTAs get, against where an H200 put them
// (model/gpus/h200/cta_placement.csv).
#include "sim/placement.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/sim/support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

struct Row {
  std::uint32_t room = 0;
  std::vector<int> sms;
};

std::vector<Row> measured() {
  std::ifstream in(std::string(WARPMEM_H200_DATA) + "/cta_placement.csv");
  std::string line;
  std::getline(in, line);
  std::vector<Row> out;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string threads, shared, room, ctas, at_once;
    for (std::string* f : {&threads, &shared, &room, &ctas, &at_once})
      std::getline(fields, *f, ',');
    Row r;
    r.room = static_cast<std::uint32_t>(std::stoul(room));
    for (int sm = 0; fields >> sm;) r.sms.push_back(sm);
    REQUIRE(r.sms.size() == std::stoul(ctas));
    out.push_back(std::move(r));
  }
  REQUIRE(out.size() > 40);
  return out;
}

std::map<int, int> counted(const std::vector<int>& sms) {
  std::map<int, int> out;
  for (int sm : sms) ++out[sm];
  return out;
}

}  // namespace

TEST_CASE("each SM gets as many of a launch's first CTAs as on an H200") {
  for (const Row& r : measured()) {
    INFO(r.sms.size() << " CTAs, room for " << r.room << " an SM");
    CHECK(counted(sim::first_placement(h200(), r.room, r.sms.size())) == counted(r.sms));
  }
}

TEST_CASE("a launch's first CTAs go to SMs in an H200's order") {
  // The two small GPCs (SMs 124 to 131) swap from launch to launch.
  const auto one = [](int sm) { return sm >= 128 ? sm - 4 : sm; };
  int same = 0;
  for (const Row& r : measured()) {
    INFO(r.sms.size() << " CTAs, room for " << r.room << " an SM");
    const std::vector<int> sms = sim::first_placement(h200(), r.room, r.sms.size());
    // Left-over CTAs too few for all SMs of the small GPCs come a turn or more earlier than here.
    if (const std::size_t left = r.sms.size() % 132; left > 0 && left < 8) continue;
    REQUIRE(sms.size() == r.sms.size());
    bool equal = true;
    for (std::size_t i = 0; i < sms.size(); ++i) equal &= one(sms[i]) == one(r.sms[i]);
    CHECK(equal);
    same += equal;
  }
  CHECK(same > 35);
}

TEST_CASE("a grid beyond the GPU's room fills every SM") {
  const auto sms = sim::first_placement(h200(), 3, 100000);
  CHECK(sms.size() == 132 * 3);
  for (const auto& [sm, ctas] : counted(sms)) CHECK(ctas == 3);
}

namespace {

// The last cycle in which an SM gets its first CTA, and in which the last CTA starts,
// in a GPC of 18 SMs.
struct Started {
  double each, all;
};
Started started(std::uint32_t an_sm, std::uint32_t warps) {
  const std::vector<int> sms = sim::first_placement(h200(), an_sm, 132 * an_sm);
  const auto starts = sim::first_starts(h200(), sms, warps, true);
  std::map<int, std::uint64_t> first;
  std::uint64_t each = 0, all = 0;
  for (std::size_t i = 0; i < sms.size(); ++i) {
    if (h200().numbers().sm_gpc[static_cast<std::size_t>(sms[i])] != 6) continue;  // 18 SMs
    first.emplace(sms[i], starts.cycle[i]);
    each = std::max(each, first[sms[i]]);
    all = std::max(all, starts.cycle[i]);
  }
  return {static_cast<double>(each), static_cast<double>(all)};
}

}  // namespace

TEST_CASE("a GPC starts a grid's first CTAs as fast as on an H200") {
  std::ifstream in(std::string(WARPMEM_H200_DATA) + "/cta_start.csv");
  std::string line;
  std::getline(in, line);
  std::map<std::pair<std::uint32_t, std::uint32_t>, Started> slowest;  // by CTAs an SM, threads
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::uint32_t an_sm = 0, threads = 0, sms = 0;
    Started s{0, 0};
    char comma = 0;
    cells >> an_sm >> comma >> threads >> comma >> sms >> comma >> s.each >> comma >> s.all;
    Started& most = slowest[{an_sm, threads}];
    if (sms == 18) most = {std::max(most.each, s.each), std::max(most.all, s.all)};
  }
  REQUIRE(slowest.size() == 12);
  for (const auto& [launch, hardware] : slowest) {
    INFO(launch.first << " CTAs of " << launch.second << " threads an SM");
    const Started s = started(launch.first, launch.second / 32);
    if (launch.first == 1) CHECK(std::abs(s.each - hardware.each) <= 0.2 * hardware.each + 25);
    // Where all warps that there is room for spin, the last ones come late: not told apart.
    CHECK(s.all <= hardware.all * 1.1 + 20);
    CHECK(s.all > hardware.all * 0.3);
  }
}

TEST_CASE("a grid that fits is shared out before it starts, another as it starts") {
  // Cycles in which the SMs are idle, against those of a launch of one CTA.
  std::ifstream in(std::string(WARPMEM_H200_DATA) + "/cta_idle.csv");
  std::string line;
  std::getline(in, line);
  std::map<std::uint64_t, std::vector<double>> idle;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::uint64_t spin = 0, threads = 0, ctas = 0, elapsed = 0, most = 0, average = 0;
    char comma = 0;
    cells >> spin >> comma >> threads >> comma >> ctas >> comma >> elapsed >> comma >> most >>
        comma >> average;
    const std::uint64_t room = 132 * std::min<std::uint64_t>(32, 2048 / threads);
    if (spin == 4000 && ctas <= room)
      idle[ctas].push_back(static_cast<double>(elapsed - (ctas == 1 ? most : average)));
  }
  REQUIRE(idle.size() == 7);
  const auto mean = [](const std::vector<double>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  for (const auto& [ctas, cycles] : idle) {
    INFO(ctas << " CTAs");
    const std::vector<int> sms = sim::first_placement(h200(), 32, ctas);
    const auto shared_out = static_cast<double>(sim::first_starts(h200(), sms, 1, true).shared_out);
    CHECK(std::abs(shared_out - (mean(cycles) - mean(idle[1]))) <= 0.4 * shared_out + 150);
    CHECK(sim::first_starts(h200(), sms, 1, false).shared_out == 0);
  }
}
