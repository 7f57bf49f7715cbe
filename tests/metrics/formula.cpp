// Formulas of metrics are worked out as they are written.
#include "metrics/formula.hpp"
#include "tests/catch.hpp"

using namespace warpmem::metrics;

namespace {

Value named(std::string_view name) {
  if (name == "two") return {2, {}};
  if (name == "dram__sectors_read.sum") return {10, {}};
  if (name == "none") return {0, {}};
  return {0, "no " + std::string(name)};
}

double number(std::string_view formula) {
  const Value v = evaluate(formula, named);
  INFO(formula << ": " << v.missing);
  REQUIRE(v.known());
  return v.value;
}

std::string reason(std::string_view formula) { return evaluate(formula, named).missing; }

}  // namespace

TEST_CASE("products come before sums, and equals from the left") {
  CHECK(number("1 + 2 * 3") == 7);
  CHECK(number("(1 + 2) * 3") == 9);
  CHECK(number("10 - 2 - 3") == 5);
  CHECK(number("100 / 10 / 2") == 5);
  CHECK(number("100 - 100 * two / (4 * two)") == 75);
  CHECK(number("0.5 * two") == 1);
}

TEST_CASE("a name may hold dots, as the profiler's do") {
  CHECK(number("32 * dram__sectors_read.sum") == 320);
  CHECK(names_in("100 * a.b / (32 * c + a.b)") == std::vector<std::string>{"a.b", "c"});
}

TEST_CASE("what divides by nothing says by what") {
  CHECK(reason("two / none") == "nothing to divide by: none is 0");
  CHECK(reason("1 + 2 * two / (32 * none)") == "nothing to divide by: 32 * none is 0");
}

TEST_CASE("what is not known is not known in what follows from it") {
  CHECK(reason("1 + two * l1_hits") == "no l1_hits");
  CHECK(reason("l1_hits / two") == "no l1_hits");
  CHECK(reason("two / l1_hits") == "no l1_hits");
  CHECK(reason("none - l1_hits") == "no l1_hits");
}

TEST_CASE("a formula that is none is told, not worked out in part") {
  for (const char* text : {"", "1 +", "(1", "1 2", "two three", "* 2", "1 ; 2"})
    CHECK_THAT(reason(text), Catch::Matchers::StartsWith("the formula cannot be read"));
}
