#include "sim/sample/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/catch.hpp"

namespace {

using warpmem::sim::Estimate;

TEST_CASE("five of many: the interval is Student's with four degrees of freedom") {
  // Mean 3, variance 2.5; t(0.975, 4) = 2.776 (any table of it).
  const std::vector<double> seen{1, 2, 3, 4, 5};
  Estimate e;
  e.add({1000, seen});
  CHECK(e.total() == 3000);
  CHECK(e.freedom() == Approx(4));
  CHECK(e.half_width(0.95) ==
        Approx(2.776 * 1000 * std::sqrt(2.5 / 5 * (1 - 0.005))).epsilon(1e-3));
}

TEST_CASE("what was seen whole leaves nothing to chance") {
  const std::vector<double> all{4, 9, 2};
  Estimate e;
  e.add({3, all});
  e.add(10);
  CHECK(e.total() == 25);
  CHECK(e.half_width(0.95) == 0);
}

// What happens in none of 300 cases has a chance of less than 1 in 100: (1 - 0.01)^300 = 0.049.
TEST_CASE("units that are all alike leave room for rare others") {
  const std::vector<double> seen(300, 5);
  Estimate e;
  e.add({1000, seen});
  CHECK(e.total() == Approx(5000));
  CHECK(e.half_width(0.95) == Approx(0.01 * 1000));
}

TEST_CASE("of what never happened in any unit nothing is said") {
  const std::vector<double> seen(6, 0);
  Estimate e;
  e.add({1000, seen});
  CHECK(e.half_width(0.95) == 0);
}

TEST_CASE("what may be off for other reasons widens the interval by as much") {
  Estimate e;
  e.add(100);
  e.may_be_off_by(7);
  CHECK(e.half_width(0.95) == 7);
}

TEST_CASE("of a thousand intervals of 95 percent about 950 hold the total") {
  std::mt19937 draw(1);
  std::normal_distribution<double> one(100, 20), other(400, 5);
  std::vector<double> a(300), b(50);
  double total = 0;
  for (double& v : a) total += v = one(draw);
  for (double& v : b) total += v = other(draw);
  int held = 0;
  for (int i = 0; i < 1000; ++i) {
    std::shuffle(a.begin(), a.end(), draw);
    std::shuffle(b.begin(), b.end(), draw);
    Estimate e;
    e.add({300, {a.data(), 8}});
    e.add({50, {b.data(), 6}});
    held += std::abs(e.total() - total) <= e.half_width(0.95);
  }
  CHECK(held >= 930);
  CHECK(held <= 970);
}

}  // namespace
