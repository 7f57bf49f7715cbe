#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "metrics/metric.hpp"
#include "tests/catch.hpp"
#include "validate/metric_map.hpp"

using namespace warpmem::validate;

TEST_CASE("every metric says what it counts, in which unit, and where its rule comes from") {
  for (const auto& rule : metric_rules()) {
    INFO(rule.name);
    const auto* const metric =
        warpmem::metrics::find(warpmem::metrics::Vocabulary::kNcu, rule.name);
    REQUIRE(metric != nullptr);
    CHECK_FALSE(unit_of(rule).empty());
    CHECK(metric->meaning.size() > 20);
    CHECK(rule.source.size() > 20);
    CHECK((rule.match == Match::kExact) == (rule.band == 0));
    CHECK((rule.match == Match::kExact) == (rule.floor == 0));
    if (!rule.scale.empty()) CHECK(find_rule(rule.scale) != nullptr);
    CHECK(find_rule(rule.name) == &rule);
  }
  CHECK(find_rule("nothing.sum") == nullptr);
}

TEST_CASE("validate/metrics.txt, which collect reads, is the map's list") {
  // After a change: build/warpmem validate --list-metrics | tr , '\n' > validate/metrics.txt
  std::ifstream in(WARPMEM_VALIDATE_SOURCE "/metrics.txt");
  std::stringstream text;
  text << in.rdbuf();
  std::string lines = metric_list() + "\n";
  std::replace(lines.begin(), lines.end(), ',', '\n');
  CHECK(text.str() == lines);
}

TEST_CASE("the error is (model - GPU) / GPU, and said so that its size is seen") {
  CHECK(relative_error(5, 5) == 0);
  CHECK(relative_error(0, 0) == 0);
  CHECK(relative_error(200, 100) == Approx(1));
  CHECK(relative_error(50, 100) == Approx(-0.5));
  CHECK(relative_error(0, 7) == -1);
  CHECK(std::isinf(relative_error(7, 0)));
  CHECK(error_text(0) == "=");
  CHECK(error_text(-1) == "-100 %");
  CHECK(error_text(-0.5521) == "-55.2 %");
  CHECK(error_text(1.232) == "+123 %");
  CHECK(error_text(relative_error(131160, 1204)) == "109 times");
  CHECK(error_text(relative_error(7, 0)) == "from 0");
}

TEST_CASE("ratios and times are asked for as much as the counters behind them") {
  REQUIRE(find_any_rule("lts__t_sector_hit_rate.pct") != nullptr);
  CHECK(find_any_rule("lts__t_sector_hit_rate.pct")->match == Match::kApproximate);
  CHECK(find_any_rule("gpu__time_duration.sum")->band == find_rule("sm__cycles_elapsed.max")->band);
  CHECK(find_rule("gpu__time_duration.sum") == nullptr);  // ncu is not asked for it by name
}
