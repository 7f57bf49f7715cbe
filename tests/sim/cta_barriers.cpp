// The barriers of a CTA, by the rules of the PTX ISA ("bar", "exit").
#include "sim/engine/cta_barriers.hpp"

#include <vector>

#include "tests/catch.hpp"

using warpmem::sim::CtaBarriers;

TEST_CASE("a barrier has all when every warp that is left stands at it") {
  CtaBarriers b;
  b.begin(3);
  b.arrive(0, 0);
  b.arrive(0, 0);
  CHECK_FALSE(b.complete(0));
  CHECK(b.end_warp() == 2);  // who exits counts as arrived
  CHECK(b.complete(0));
  b.open(0);
  CHECK_FALSE(b.complete(0));
}

TEST_CASE("a barrier that names a number of warps waits for no more of them") {
  CtaBarriers b;
  b.begin(8);
  b.arrive(5, 2);
  CHECK_FALSE(b.complete(5));
  b.arrive(5, 2);
  CHECK(b.complete(5));
  // … and never for more than are left.
  b.open(5);
  b.arrive(7, 300);
  for (int ended = 0; ended < 6; ++ended) b.end_warp();
  CHECK_FALSE(b.complete(7));
  b.end_warp();
  CHECK(b.complete(7));
}

TEST_CASE("warps stand at several barriers of a CTA, which open one by one") {
  CtaBarriers b;
  b.begin(6);
  b.arrive(63, 3);
  b.arrive(2, 1);
  b.arrive(63, 3);
  std::vector<std::uint32_t> standing;
  b.each_standing([&](std::uint32_t k) { standing.push_back(k); });
  CHECK(standing == std::vector<std::uint32_t>{2, 63});
  CHECK(b.where().text() == "of 6 warps 1 at barrier 2, 2 at barrier 63, 3 at none");
  b.each_standing([&](std::uint32_t k) {
    if (b.complete(k)) b.open(k);
  });
  CHECK(b.where().text() == "of 6 warps 2 at barrier 63, 4 at none");
}
