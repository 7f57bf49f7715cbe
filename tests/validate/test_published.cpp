#include "tests/catch.hpp"
#include "validate/published.hpp"

using namespace warpmem;
using namespace warpmem::validate;

TEST_CASE("the table of published counters that ships can be read, and adds up") {
  REQUIRE(published("v100") != nullptr);
  CHECK(published("v100")->rows > 90);
  CHECK(published("v200") == nullptr);
}

TEST_CASE("a table of published counters that does not add up names the line") {
  const std::string heading =
      "gpu,rows,equal,within_1,within_5,beyond,times,time_median,time_p90\n";
  CHECK(parse_published(heading + "v100,4,1,1,1,1,7,250,600\n", "p.csv")->front().within_5 == 1);
  for (const char* row : {"v100,5,1,1,1,1,0,0,0", "v100,4,1,1,1,1", "v100,4,1,1,1,1,0,0,0,0",
                          "v100,x,1,1,1,1,0,0,0"}) {
    const auto bad = parse_published(heading + row + "\n", "p.csv");
    REQUIRE_FALSE(bad);
    CHECK_THAT(bad.error().place, Catch::Matchers::ContainsSubstring("p.csv, line 2"));
  }
  CHECK_FALSE(parse_published("gpu,rows\n", "p.csv"));
}

TEST_CASE("a card that nobody timed has no band, and one that was timed says how many times") {
  CHECK(time_band_text("b200").empty());
  CHECK_THAT(time_band_text("gtx280"), Catch::Matchers::ContainsSubstring("published times"));
}
