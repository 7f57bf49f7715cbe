// A resource of so much a cycle: what is asked for is served once, as early as there is room.
#include "model/timing/throughput.hpp"

#include "tests/catch.hpp"
#include "tests/model/support_throughput.hpp"

using namespace warpmem;
using namespace warpmem::testing;
using model::Throughput;

TEST_CASE("a free resource serves when it is asked") {
  Throughput t;
  CHECK(t.reserve(0, 10) == 0);
  CHECK(t.reserve(5 * kSpanTicks + 77, 10) == 5 * kSpanTicks + 77);
  // Earlier ones may still come: their span has room.
  CHECK(t.reserve(2 * kSpanTicks, 10) == 2 * kSpanTicks);
}

TEST_CASE("what arrives together is served one after the other, over many spans") {
  Throughput t;
  constexpr std::uint32_t kAmount = 48;
  for (std::uint64_t i = 0; i < 200 * kSpanTicks / kAmount; ++i)
    REQUIRE(t.reserve(0, kAmount) == i * kAmount);
}

TEST_CASE("a long queue keeps its rate beyond what is remembered") {
  // 1,000 spans of work, all asked for at the start.
  Throughput t;
  constexpr std::uint32_t kAmount = 640;
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < 1000 * kSpanTicks / kAmount; ++i) {
    last = t.reserve(0, kAmount);
    REQUIRE(last == i * kAmount);
  }
  CHECK(last > 990 * kSpanTicks);
}

TEST_CASE("a full span makes the next one wait, a half full one gives its rest first") {
  Throughput t;
  t.reserve(3 * kSpanTicks, kSpanTicks / 2);
  CHECK(t.reserve(3 * kSpanTicks, kSpanTicks) == 3 * kSpanTicks + kSpanTicks / 2);
  CHECK(given_away(t, 2, 4) == std::vector<std::uint64_t>{0, kSpanTicks, kSpanTicks / 2, 0});
  CHECK(t.reserve(3 * kSpanTicks, 1) == 4 * kSpanTicks + kSpanTicks / 2);
}

TEST_CASE("an amount larger than a span takes as many as it needs, around those that are taken") {
  Throughput t;
  t.reserve(11 * kSpanTicks, kSpanTicks);
  CHECK(t.reserve(10 * kSpanTicks, 3 * kSpanTicks) == 10 * kSpanTicks);
  CHECK(given_away(t, 9, 6) ==
        std::vector<std::uint64_t>{0, kSpanTicks, kSpanTicks, kSpanTicks, kSpanTicks, 0});
}

TEST_CASE("asked for far ahead, it forgets the past and gives nothing of it away any more") {
  Throughput t;
  t.reserve(0, 100);
  const std::uint64_t far = 100000 * kSpanTicks;
  CHECK(t.reserve(far, 100) == far);
  const std::uint64_t late = t.reserve(0, 100);
  CHECK(late > 0);
  CHECK(late <= far);
  // What was given away far ahead stays so.
  CHECK(given_away(t, 100000, 2) == std::vector<std::uint64_t>{100, 0});
}

TEST_CASE("a span far ahead that was used once comes round free") {
  // Spans share places: a later one must not find an earlier one's work.
  Throughput t;
  for (std::uint64_t s = 0; s < 5000; ++s) {
    REQUIRE(t.reserve(s * kSpanTicks, kSpanTicks) == s * kSpanTicks);
    REQUIRE(given_away(t, s + 1, 1) == std::vector<std::uint64_t>{0});
  }
}
