#include <algorithm>
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

TEST_CASE("the symmetric error is bounded, even-handed and quiet near zero") {
  CHECK(symmetric_error(5, 5, 0) == 0);
  CHECK(symmetric_error(0, 0, 0) == 0);
  CHECK(symmetric_error(200, 100, 0) == Approx(2.0 / 3));
  CHECK(symmetric_error(100, 200, 0) == Approx(-2.0 / 3));
  CHECK(symmetric_error(0, 7, 0) == -2);
  CHECK(symmetric_error(0, 100, 4096) == Approx(-100.0 / 4096));
}
