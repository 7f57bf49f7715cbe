// Random requests to a resource of limited throughput, shrunk to the fewest that fail.
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/catch.hpp"
#include "tests/model/support_throughput.hpp"

using namespace warpmem::testing;
using warpmem::model::Throughput;

namespace {

constexpr std::size_t kSpansUsed = 200;  // of those that are remembered
using Requests = std::vector<std::pair<std::uint64_t, std::uint32_t>>;  // arrival, amount

// Arrivals in few spans, so that they meet; all work ends within the spans looked at.
Requests make_requests() {
  return *rc::gen::container<Requests>(
      rc::gen::pair(rc::gen::inRange<std::uint64_t>(0, 40 * kSpanTicks),
                    rc::gen::inRange<std::uint32_t>(1, 3 * kSpanTicks)));
}

std::uint64_t work(const Requests& r) {
  return std::accumulate(r.begin(), r.end(), std::uint64_t{0},
                         [](std::uint64_t n, const auto& x) { return n + x.second; });
}

}  // namespace

TEST_CASE("random reservations: all work is given away once, none before it arrives") {
  CHECK(rc::check([] {
    const Requests requests = make_requests();
    RC_PRE(work(requests) < (kSpansUsed - 40) * kSpanTicks);
    Throughput t;
    for (const auto& [arrival, amount] : requests) {
      const auto before = given_away(t, 0, kSpansUsed);
      const std::uint64_t start = t.reserve(arrival, amount);
      RC_ASSERT(start >= arrival);
      // In the first span from its arrival on that had room.
      std::uint64_t span = arrival / kSpanTicks;
      while (before[span] == kSpanTicks) ++span;
      RC_ASSERT(start / kSpanTicks == span);
      const auto after = given_away(t, 0, kSpansUsed);
      std::uint64_t taken = 0;
      for (std::size_t s = 0; s < kSpansUsed; ++s) {
        RC_ASSERT(after[s] >= before[s]);
        RC_ASSERT(after[s] == before[s] || s >= arrival / kSpanTicks);
        taken += after[s] - before[s];
      }
      RC_ASSERT(taken == amount);
    }
  }));
}

TEST_CASE("random reservations: what is given away does not depend on the order of asking") {
  CHECK(rc::check([] {
    Requests requests = make_requests();
    RC_PRE(work(requests) < (kSpansUsed - 40) * kSpanTicks);
    Throughput one, other;
    for (const auto& [arrival, amount] : requests) one.reserve(arrival, amount);
    std::shuffle(requests.begin(), requests.end(),
                 std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
    for (const auto& [arrival, amount] : requests) other.reserve(arrival, amount);
    RC_ASSERT(given_away(one, 0, kSpansUsed) == given_away(other, 0, kSpansUsed));
  }));
}
