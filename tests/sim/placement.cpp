// Which SMs a launch's first CTAs get, against where an H200 put them
// (model/gpus/h200/cta_placement.csv).
#include "sim/placement.hpp"

#include <fstream>
#include <map>
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
