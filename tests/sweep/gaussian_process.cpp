#include "sweep/gaussian_process.hpp"

#include <cmath>

#include "tests/catch.hpp"

namespace warpmem::sweep {

TEST_CASE("a process goes through what is known and is unsure far from it") {
  GaussianProcess process({true});
  process.fit({{0.0}, {0.1}, {0.2}, {0.3}}, {5, 7, 9, 11});
  CHECK(process.at({0.1}).mean == Approx(7).margin(0.05));
  CHECK(process.at({0.15}).mean == Approx(8).margin(0.1));
  CHECK(process.at({0.15}).deviation < 0.2);
  CHECK(process.at({1.0}).deviation > 5 * process.at({0.15}).deviation);
}

TEST_CASE("an axis that changes nothing is told from one that does") {
  GaussianProcess process({true, true});
  std::vector<GaussianProcess::Point> points;
  std::vector<double> values;
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 3; ++k) {
      points.push_back({i / 5.0, k / 2.0});
      values.push_back(std::sin(5 * i / 5.0));
    }
  process.fit(points, values);
  // Between two known values of the second axis, where none was tried.
  CHECK(process.at({0.4, 0.25}).mean == Approx(std::sin(2.0)).margin(0.02));
  CHECK(process.at({0.5, 0.25}).mean == Approx(std::sin(2.5)).margin(0.1));
}

TEST_CASE("two values of an axis without order say nothing of a third") {
  GaussianProcess process({false});
  process.fit({{0}, {1}}, {-1, 1});
  CHECK(process.at({2}).mean == Approx(0).margin(1e-9));
  CHECK(process.at({2}).deviation > process.at({1}).deviation);
}

}  // namespace warpmem::sweep
