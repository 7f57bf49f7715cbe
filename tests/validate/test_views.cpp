#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/validate/csv_recipes.hpp"
#include "validate/view.hpp"

using namespace warpmem;
using namespace warpmem::validate;
using Catch::Matchers::Contains;
using recipes::kDram;
using recipes::kLoads;

namespace {

Report sample() {
  std::vector<LaunchMetrics> model{
      {0,
       "copy<float4>",
       {4096, 1, 1},
       {256, 1, 1},
       {{kLoads, {524288, ""}}, {kDram, {524288, ""}}}},
      {1,
       "odd \"k\",\xff",
       {1, 1, 1},
       {32, 1, 1},
       {{kLoads, {8, ""}}, {"sm__cycles_elapsed.max", {0, "needs the time engine"}}}}};
  NcuImport file;
  for (const auto& l : model) {
    NcuLaunch n;
    n.counted = l;
    n.has_shape = true;
    n.id = std::to_string(l.launch);
    file.launches.push_back(n);
  }
  file.launches[0].counted.metrics[kDram].value = 540000;
  file.launches[1].counted.metrics[kLoads].value = 9;
  const auto matching = match_launches(model, file);
  return finish_report("h200", compare_launches(model, file, matching, "run-a"), {},
                       DeviationList());
}

}  // namespace

TEST_CASE("the table shows both sides, the error, the summary and how it went") {
  const std::string text = table_view(sample(), {false, false, 140, {"Counted on X"}, {"a note"}});
  CHECK_THAT(text, Contains("Counted on X\n"));
  CHECK_THAT(text, Contains("all equal"));
  CHECK_THAT(text, Contains("1 differ"));
  CHECK_THAT(text, Contains("540,000"));
  CHECK_THAT(text, Contains("-3.0 %"));
  CHECK_THAT(text, Contains("Counters that fail\n  run-a launch 1"));
  CHECK_THAT(text, Contains("model 8, GPU 9 (-12 %, differs)"));
  CHECK_THAT(text, Contains("a note"));
  CHECK_THAT(text, Contains("2 launches"));
  CHECK(text.find("\x1b[") == std::string::npos);
  CHECK(table_view(sample(), {true, false, 140, {}, {}}).find("\x1b[") != std::string::npos);
}

TEST_CASE("every metric with --all, and n/a with its reason") {
  const std::string text = table_view(sample(), {false, true, 140, {}, {}});
  CHECK_THAT(text, Contains("n/a (needs the time engine)"));
  CHECK_THAT(text, Contains("launch 0: copy<float4> grid (4096,1,1) block (256,1,1)"));
}

TEST_CASE("JSON carries numbers, null with a reason, and survives foreign bytes") {
  const auto json = nlohmann::json::parse(json_view(sample(), {}));
  CHECK(json["schema"] == 1);
  CHECK(json["ok"] == false);
  const auto& first = json["launches"][0]["metrics"];
  CHECK(first[kDram]["predicted"] == 524288);
  CHECK(first[kDram]["verdict"] == "within band");
  const auto& cycles = json["launches"][1]["metrics"]["sm__cycles_elapsed.max"];
  CHECK(cycles["predicted"].is_null());
  CHECK(cycles["reason"] == "needs the time engine");
}

TEST_CASE("CSV has one row a comparison, quoted where needed") {
  const std::string text = csv_view(sample());
  CHECK_THAT(text,
             Contains("run,launch,kernel,metric,unit,match,predicted,measured,error,verdict"));
  CHECK_THAT(text, Contains("run-a,0,copy<float4>,dram__sectors_read.sum,sector,approximate,524288,"
                            "540000,-0.029526,within band,\n"));
  CHECK_THAT(text, Contains("\"\"k\"\""));
}
