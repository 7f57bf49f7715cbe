#include "validate/accuracy.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/validate/csv_recipes.hpp"

using namespace warpmem;
using namespace warpmem::validate;
using Catch::Matchers::ContainsSubstring;
using recipes::kDram;
using recipes::kLoads;

namespace {

// Launches of "sass" that measured `counted` DRAM sectors where the model says a million, and one
// of "ptx".
Report with_errors(const std::vector<double>& counted) {
  std::vector<LaunchMetrics> model, hardware;
  NcuImport file;
  for (std::size_t i = 0; i <= counted.size(); ++i) {
    model.push_back({i, "k", {1, 1, 1}, {32, 1, 1}, {{kDram, {1e6, ""}}, {kLoads, {7, ""}}}});
    NcuLaunch launch;
    launch.counted = model.back();
    launch.counted.metrics[kDram].value = i < counted.size() ? counted[i] : 1e6;
    launch.has_shape = true;
    file.launches.push_back(launch);
  }
  auto launches = compare_launches(model, file, match_launches(model, file), "");
  for (auto& launch : launches) launch.level = "sass";
  launches.back().level = "ptx";
  return finish_report("h200", "counts", std::move(launches), {}, DeviationList());
}

const Accuracy& of(const std::vector<Accuracy>& rows, const std::string& level,
                   const std::string& metric) {
  const auto it = std::ranges::find_if(
      rows, [&](const Accuracy& a) { return a.level == level && a.metric == metric; });
  REQUIRE(it != rows.end());
  return *it;
}

}  // namespace

TEST_CASE("accuracy is counted by level and metric: equal, median, 90th percentile") {
  const auto rows = accuracy_of(with_errors({1e6, 1e6, 1.02e6, 1.2e6, 0.9e6}));
  CHECK(rows.size() == 4);
  const Accuracy& dram = of(rows, "sass", kDram);
  CHECK(dram.gpu == "h200");
  CHECK(dram.engine == "counts");
  CHECK(dram.launches == 5);
  CHECK(dram.equal == 2);
  CHECK(dram.median == Approx(0.02 / 1.02));
  CHECK(dram.p90 == Approx(1.0 / 9 + 0.6 * (1.0 / 6 - 1.0 / 9)));
  CHECK(of(rows, "ptx", kDram).launches == 1);
  CHECK(accuracy_text(dram) == "median 2.0 %, 90th percentile 14 %");
  CHECK(accuracy_text(of(rows, "sass", kLoads)) == "equal in all 5");
  CHECK(accuracy_text(of(rows, "ptx", kLoads)) == "equal in the one launch");
}

TEST_CASE("what is written comes back") {
  const auto rows = accuracy_of(with_errors({1e6, 1.02e6, 1.2e6}));
  const std::string text = accuracy_csv(rows);
  const auto back = parse_accuracy(text, "a.csv");
  REQUIRE(back);
  CHECK(back->size() == rows.size());
  CHECK(accuracy_csv(*back) == text);
}

TEST_CASE("a broken file of accuracies names its line") {
  const std::string heading = accuracy_csv({});
  for (const char* row : {"h200,sass,counts\n", "h200,sass,counts,no_metric,1,1,0,0\n",
                          "h200,sass,counts,dram__sectors_read.sum,x,1,0,0\n",
                          "h200,sass,counts,dram__sectors_read.sum,1,2,0,0\n"}) {
    INFO(row);
    const auto parsed = parse_accuracy(heading + row, "a.csv");
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().place == "a.csv, line 2");
  }
  CHECK_FALSE(parse_accuracy("metric\n", "a.csv"));
}

TEST_CASE("the file that ships is built in, and measures both engines on an H200's machine code") {
  std::ifstream file(WARPMEM_VALIDATE_SOURCE "/accuracy.csv");
  std::stringstream text;
  text << file.rdbuf();
  const auto rows = parse_accuracy(text.str(), "accuracy.csv");
  REQUIRE(rows);
  CHECK(accuracy_csv(measured_accuracy()) == text.str());
  CHECK(measured_accuracy("h200", "sass", "counts", kLoads) != nullptr);
  CHECK(measured_accuracy("h200", "sass", "time", "sm__cycles_elapsed.max") != nullptr);
  CHECK(measured_accuracy("h200", "sass", "counts", "sm__cycles_elapsed.max") == nullptr);
  CHECK(measured_accuracy("h200", "ptx", "counts", kLoads) == nullptr);
  CHECK(measured_accuracy("h100", "sass", "counts", kLoads) == nullptr);
}
