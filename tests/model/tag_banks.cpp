// The four banks of the L1's tag stage: the measured coefficients, and what follows from them.
#include "model/cache/tag_banks.hpp"

#include <cstdlib>

#include "tests/catch.hpp"

using namespace warpmem::model;

TEST_CASE("the tag bank is linear in the line-address bits with the measured coefficients") {
  // By line-address bit 0 … 24, as measured on an H200 (pairs of lines, two passes or one). Their
  // addresses were sums, so that above bit 17 some carried into the next bit: 18, 21 and 24 stand
  // for two bits.
  constexpr unsigned kMeasured[] = {1,
                                    2,
                                    1,
                                    2,
                                    3,
                                    1,
                                    2,
                                    3,
                                    2,
                                    1,
                                    2,
                                    1,
                                    3,
                                    1,
                                    3,
                                    2,
                                    1,
                                    3,
                                    1 /* 2 with bit 19 */,
                                    3,
                                    2,
                                    3 /* 2 with 22 */,
                                    1,
                                    3,
                                    1 /* 3 with 25 */};
  for (unsigned b = 0; b < std::size(kMeasured); ++b)
    CHECK(tag_bank(std::uint64_t{1} << b) == kMeasured[b]);
  for (std::uint64_t x = 1; x < 1 << 12; x = x * 3 + 1)
    for (std::uint64_t y = 5; y < 1 << 24; y = y * 5 + 2)
      CHECK(tag_bank(x ^ y) == (tag_bank(x) ^ tag_bank(y)));
}

TEST_CASE("runs of lines spread evenly over the tag banks") {
  for (std::uint64_t step : {1u, 2u, 3u, 5u, 8u, 32u, 33u, 64u}) {
    int n[4] = {};
    for (std::uint64_t i = 0; i < 4096; ++i) ++n[tag_bank(i * step)];
    INFO("step " << step);
    for (int k : n) CHECK(std::abs(k - 1024) < 256);
  }
  // Four neighbouring lines never need a second pass where they start at a multiple of four.
  for (std::uint64_t first = 0; first < 4096; first += 4) {
    unsigned seen = 0;
    for (std::uint64_t i = 0; i < 4; ++i) seen |= 1u << tag_bank(first + i);
    CHECK(seen == 15);
  }
}

TEST_CASE("pairs of lines take a second pass when they share a bank") {
  // The first of 3 x 1,024 measured pairs: line 0 with itself and its neighbours.
  LineList two;
  two.count = 2;
  const auto passes = [&](std::uint64_t a, std::uint64_t b) {
    two.line[0] = a;
    two.line[1] = b;
    return tag_passes(two);
  };
  int second = 0;
  for (std::uint64_t first : {0u, 1u, 5u})
    for (std::uint64_t other = 0; other < 1024; ++other) {
      CHECK(passes(first, other) == (tag_bank(first) == tag_bank(other) ? 2 : 1));
      second += passes(first, other) - 1;
    }
  CHECK(second == 3 * 256);  // a quarter
  two.count = 0;
  CHECK(tag_passes(two) == 0);
}
