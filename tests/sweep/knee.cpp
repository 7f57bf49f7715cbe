#include "sweep/knee.hpp"

#include <cmath>
#include <vector>

#include "tests/catch.hpp"

namespace {

using warpmem::sweep::knee;

// Figure 2 of Satopaa et al. 2011: y = -1 / (x + 0.1) + 5 at ten points of [0, 1]; its knee is at
// x = 0.22.
std::vector<double> figure(bool mirrored, bool falls) {
  std::vector<double> y;
  for (int i = 0; i < 10; ++i) {
    const double x = (mirrored ? 9 - i : i) / 9.0;
    const double value = -1 / (x + 0.1) + 5;
    y.push_back(falls ? -value : value);
  }
  return y;
}
std::vector<double> tenths() {
  std::vector<double> x;
  for (int i = 0; i < 10; ++i) x.push_back(i / 9.0);
  return x;
}

TEST_CASE("the knee of the paper's figure is where the paper has it") {
  const auto at = knee(tenths(), figure(false, false));
  REQUIRE(at);
  CHECK(tenths()[*at] == Approx(0.222).margin(0.001));
}

TEST_CASE("curves that fall, or bend the other way, have their knee in the mirrored place") {
  CHECK(knee(tenths(), figure(false, true)) == 2u);
  CHECK(knee(tenths(), figure(true, false)) == 7u);
  CHECK(knee(tenths(), figure(true, true)) == 7u);
}

TEST_CASE("a straight line, a flat one and two points have no knee") {
  CHECK_FALSE(knee(std::vector<double>{1, 2, 3, 4}, std::vector<double>{2, 4, 6, 8}));
  CHECK_FALSE(knee(std::vector<double>{1, 2, 3, 4}, std::vector<double>{5, 5, 5, 5}));
  CHECK_FALSE(knee(std::vector<double>{1, 2}, std::vector<double>{1, 5}));
}

TEST_CASE("a cache that holds its working set from some size on has its knee there") {
  // Hits rise with the size until all fits.
  const std::vector<double> size{1, 2, 3, 4, 5, 6, 7, 8}, hits{10, 20, 30, 40, 41, 41, 41, 41};
  CHECK(knee(size, hits) == 3u);
}

}  // namespace
