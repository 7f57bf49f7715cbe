// Cold loads one after the other, as kernels/micro/dram_wait.cu does them on an idle H200, on the
// card's way to DRAM: how many wait for a refresh and for how long.
#include <algorithm>
#include <vector>

#include "model/card/card.hpp"
#include "model/card/spec_of.hpp"
#include "model/interconnect/memory_path.hpp"
#include "tests/catch.hpp"
#include "tests/model/hardware_rows.hpp"

using namespace warpmem;

namespace {

struct Load {
  double asked, took;
};

std::vector<Load> cold_loads(const model::Card& card, std::uint64_t count) {
  model::MemoryPath path(model::spec_of<model::MemoryPathSpec>(card));
  std::vector<Load> loads;
  std::uint64_t now = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    model::MemoryPath::Read r;
    r.line = i * 4;  // 512 bytes apart
    r.sectors = 1;
    r.fetched = 3;
    r.home = static_cast<int>(i * 0x9e3779b97f4a7c15ull >> 63);
    r.crossing = r.home ? 3 : 0;
    const std::uint64_t back = path.read(r, now);
    loads.push_back({static_cast<double>(now), static_cast<double>(back - now)});
    now = back + 60;
  }
  return loads;
}

}  // namespace

TEST_CASE("cold loads wait for refreshes as often and as long as on an H200") {
  auto card = model::load_card("h200");
  REQUIRE(card.ok());
  const auto loads = cold_loads(*card, 4096);
  std::vector<double> took;
  for (const Load& l : loads) took.push_back(l.took);
  std::sort(took.begin(), took.end());
  const auto quantile = [&](double q) {
    return took[static_cast<std::size_t>(q * static_cast<double>(took.size()))];
  };
  int rows = 0;
  const auto lines = testing::hardware_lines("dram_wait.csv");
  const auto names = testing::split(lines[0], ',');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto cells = testing::split(lines[i], ',');
    const auto number = [&](const char* name) {
      const auto at = std::find(names.begin(), names.end(), name) - names.begin();
      return std::stod(cells.at(static_cast<std::size_t>(at)));
    };
    if (number("pace") != -1 && number("pace") != 20000) continue;
    ++rows;
    INFO(lines[i]);
    CHECK(quantile(0.1) == Approx(number("p10")).epsilon(0.06));
    CHECK(quantile(0.5) == Approx(number("p50")).epsilon(0.12));
    CHECK(quantile(0.95) == Approx(number("p95")).epsilon(0.13));
    CHECK(quantile(0.99) == Approx(number("p99")).epsilon(0.10));
  }
  CHECK(rows == 4);
  const double late = 860;
  const auto share = static_cast<double>(std::count_if(took.begin(), took.end(),
                                                       [&](double t) { return t > late; })) /
                     static_cast<double>(took.size());
  CHECK(share > 0.06);  // 157 to 258 of 2,048
  CHECK(share < 0.14);
}

TEST_CASE("without refreshes no cold load is late") {
  auto card = model::load_card("h200");
  REQUIRE(card.ok());
  REQUIRE(card->set("dram.refresh", "none").ok());
  for (const Load& l : cold_loads(*card, 4096)) REQUIRE(l.took < 860);
}
