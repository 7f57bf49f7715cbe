#include "base/json.hpp"
#include "tests/catch.hpp"
#include "tests/validate/csv_recipes.hpp"
#include "validate/view.hpp"

using namespace warpmem;
using namespace warpmem::validate;
using Catch::Matchers::ContainsSubstring;
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
  auto launches = compare_launches(model, file, matching, "run-a");
  for (auto& launch : launches) launch.level = "sass";
  return finish_report("h200", "time", std::move(launches), {}, DeviationList());
}

Json parsed(const std::string& text) {
  auto json = Json::parse(text, "view");
  REQUIRE(json);
  return std::move(*json);
}

}  // namespace

TEST_CASE("the table shows both sides, the error, the summary and how it went") {
  const std::string text = table_view(sample(), {false, false, 140, {"Counted on X"}, {"a note"}});
  CHECK_THAT(text, ContainsSubstring("Counted on X\n"));
  CHECK_THAT(text, ContainsSubstring("all equal"));
  CHECK_THAT(text, ContainsSubstring("1 differ"));
  CHECK_THAT(text, ContainsSubstring("540,000"));
  CHECK_THAT(text, ContainsSubstring("-2.9 %"));
  CHECK_THAT(text, ContainsSubstring("Where the model is off\n  run-a launch 1"));
  CHECK_THAT(text, ContainsSubstring("model 8, GPU 9 (-11.1 %, model off)"));
  CHECK_THAT(text, ContainsSubstring("a note"));
  CHECK_THAT(text, ContainsSubstring("2 launches"));
  CHECK_THAT(
      text, ContainsSubstring("Predicted for h200 by the time engine from traces of level sass\n"));
  CHECK(text.find("\x1b[") == std::string::npos);
  CHECK(table_view(sample(), {true, false, 140, {}, {}}).find("\x1b[") != std::string::npos);
}

TEST_CASE("every metric with --all, and what is not read with its reason") {
  const std::string text = table_view(sample(), {false, true, 140, {}, {}});
  CHECK_THAT(text, ContainsSubstring("not read (needs the time engine)"));
  CHECK_THAT(text, ContainsSubstring("launch 0: copy<float4> grid (4096,1,1) block (256,1,1)"));
}

TEST_CASE("JSON carries numbers, null with a reason, and survives foreign bytes") {
  Json json = parsed(json_view(sample(), {}));
  CHECK(json["schema"] == 1);
  CHECK(json["ok"] == false);
  CHECK(json["engine"] == "time");
  CHECK(json["launches"][0]["level"] == "sass");
  CHECK(json["not_collected"].empty());
  auto& first = json["launches"][0]["metrics"];
  CHECK(first[kDram]["predicted"] == 524288);
  CHECK(first[kDram]["verdict"] == "within band");
  auto& cycles = json["launches"][1]["metrics"]["sm__cycles_elapsed.max"];
  CHECK(cycles["predicted"].is_null());
  CHECK(cycles["reason"] == "needs the time engine");
}

TEST_CASE("CSV has one row a comparison, quoted where needed") {
  const std::string text = csv_view(sample());
  CHECK_THAT(text,
             ContainsSubstring(
                 "run,launch,kernel,metric,unit,match,predicted,measured,error,verdict,reason,"
                 "engine,level\n"));
  CHECK_THAT(text, ContainsSubstring(
                       "run-a,0,copy<float4>,dram__sectors_read.sum,sector,approximate,524288,"
                       "540000,-0.029096,within band,,time,sass\n"));
  CHECK_THAT(text, ContainsSubstring("\"\"k\"\""));
}

TEST_CASE("counters that nobody collected are told, and are no success like any other") {
  auto report = sample();
  for (auto& launch : report.launches)
    for (auto& c : launch.metrics)
      if (c.rule->name == kDram) c.measured = {0, "not collected"}, c.verdict = Verdict::kNotRead;
  const std::string text = table_view(report, {true, false, 140, {}, {}});
  CHECK_THAT(text, ContainsSubstring("The file lacks 1 of the 3 counters that warpmem can compare, "
                                     "dram__sectors_read.sum: collect them"));
  CHECK(parsed(json_view(report, {}))["not_collected"] == Json::array({"dram__sectors_read.sum"}));
}

TEST_CASE("a deviation is called gone where the whole reference was compared, and nowhere else") {
  Report report = sample();
  report.deviations.push_back({"nobody-needs-it", "why", 3, 0, 0, 0});
  ViewOptions options;
  CHECK_THAT(table_view(report, options), !ContainsSubstring("nobody-needs-it"));
  CHECK_FALSE(parsed(json_view(report, options))["deviations"][0].find("gone"));
  options.whole_reference = true;
  CHECK_THAT(table_view(report, options),
             ContainsSubstring("take it out of validate/deviations.toml"));
  CHECK(parsed(json_view(report, options))["deviations"][0]["gone"] == true);
}
