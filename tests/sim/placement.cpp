// Which SMs a launch's first CTAs get, against where an H200 put them
// (cards/gpus/h200/cta_placement.csv).
#include "sim/engine/placement.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/sim/h200_rows.hpp"
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

// The cycles by which each SM has its first CTA, and by which so much of all have started, in a GPC
// of 18 SMs.
struct Started {
  double each = 0, half = 0, most = 0;  // most: three quarters
};
Started started(std::uint32_t an_sm, std::uint32_t warps) {
  static const model::Card card = h200();
  const std::vector<int> sms = sim::first_placement(card, an_sm, 132 * an_sm);
  const auto starts = sim::first_starts(card, sms, warps, true);
  std::map<int, std::uint64_t> first;
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < sms.size(); ++i) {
    if (card.numbers().sm_gpc[static_cast<std::size_t>(sms[i])] != 6) continue;
    first.emplace(sms[i], starts.cycle[i]);
    all.push_back(starts.cycle[i]);
  }
  std::sort(all.begin(), all.end());
  Started out;
  for (const auto& [sm, cycle] : first) out.each = std::max(out.each, static_cast<double>(cycle));
  out.half = static_cast<double>(all[all.size() / 2 - 1]);
  out.most = static_cast<double>(all[all.size() * 3 / 4 - 1]);
  return out;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

}  // namespace

TEST_CASE("a GPC starts a grid's first CTAs as fast as on an H200") {
  int launches = 0;
  for (auto& row : rows_of("cta_start.csv")) {
    if (row["sms"] != "18") continue;
    const auto an_sm = static_cast<std::uint32_t>(std::stoul(row["ctas_an_sm"]));
    const auto warps = static_cast<std::uint32_t>(std::stoul(row["threads"]) / 32);
    INFO(an_sm << " CTAs of " << warps << " warps an SM");
    const Started s = started(an_sm, warps);
    // SMs do not wait for all others to have a first CTA, as they do here, and where all warps that
    // there is room for spin, the last quarter comes late.
    const double each = std::stod(row["first_of_each"]);
    if (an_sm == 1) CHECK(std::abs(s.each - each) <= 0.2 * each + 60);
    CHECK(std::abs(s.half - std::stod(row["half"])) <= 110);
    CHECK(std::abs(s.most - std::stod(row["three_quarters"])) <= 150);
    ++launches;
  }
  CHECK(launches >= 40);
}

TEST_CASE("a grid that fits is shared out before it starts, another as it starts") {
  // Cycles in which the SMs are idle, against those of a launch of one CTA.
  std::map<std::string, std::map<std::uint64_t, std::vector<double>>>
      idle;  // by kernel and threads, CTAs
  for (auto& row : rows_of("cta_idle.csv")) {
    const std::uint64_t ctas = std::stoul(row["ctas"]), threads = std::stoul(row["threads"]);
    if (ctas > 132 * std::min<std::uint64_t>(32, 2048 / threads)) continue;
    const char* active = ctas == 1 ? "active_max" : "active_avg";
    idle[row["kernel"] + row["spin"] + " of " + row["threads"]][ctas].push_back(
        std::stod(row["elapsed"]) - std::stod(row[active]));
  }
  REQUIRE(idle.size() == 15);
  const model::Card card = h200();
  for (const auto& [kernel, by_ctas] : idle)
    for (const auto& [ctas, cycles] : by_ctas) {
      INFO(kernel << ", " << ctas << " CTAs");
      const std::vector<int> sms = sim::first_placement(card, 32, ctas);
      const auto shared_out = static_cast<double>(sim::first_starts(card, sms, 1, true).shared_out);
      const double more = median(cycles) - median(by_ctas.at(1));
      // A copy's SMs end at different times, and idle then.
      const double slack = kernel.starts_with("copy") ? 600 : 250;
      CHECK(std::abs(shared_out - more) <= 0.2 * shared_out + slack);
      CHECK(sim::first_starts(card, sms, 1, false).shared_out == 0);
    }
}
