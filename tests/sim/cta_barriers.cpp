// The barriers of a CTA, by the rules of the PTX ISA ("bar", "exit").
#include "sim/engine/cta_barriers.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

using namespace warpmem::sim;

namespace {

struct Warp {
  std::uint64_t ready = 0;
  std::uint8_t waits = kNoBarrier;
};

// A CTA on an engine whose warps go on two cycles after the last one has come.
struct Cta {
  explicit Cta(std::uint32_t count) : warps(count) { barriers.begin(count); }

  struct Engine {
    Cta& cta;
    static std::uint64_t later(std::uint64_t a, std::uint64_t b) { return std::max(a, b); }
    static std::uint64_t opens(std::uint64_t last) { return last + 2; }
    void goes_on(std::uint32_t w, std::uint64_t cycle) const { cta.went_on.push_back({w, cycle}); }
  };
  using WentOn = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

  WentOn wait(std::uint32_t w, std::uint64_t cycle, std::uint32_t b, std::uint32_t expected = 0) {
    warps[w].ready = cycle;
    barriers.wait(std::span(warps), w, b, expected, Engine{*this});
    return std::exchange(went_on, {});
  }
  WentOn end_warp() {
    barriers.end_warp(std::span(warps), Engine{*this});
    return std::exchange(went_on, {});
  }

  std::vector<Warp> warps;
  CtaBarriers barriers;
  WentOn went_on;
};

using WentOn = Cta::WentOn;

}  // namespace

TEST_CASE("a barrier opens when every warp that is left waits at it") {
  Cta cta(3);
  CHECK(cta.wait(0, 10, 0).empty());
  CHECK(cta.wait(2, 7, 0).empty());
  CHECK(cta.barriers.where().text() == "of 3 warps 2 at barrier 0, 1 at none");
  // Who exits counts as arrived.
  CHECK(cta.end_warp() == WentOn{{0, 12}, {2, 12}});
  CHECK(cta.barriers.left() == 2);
  CHECK(cta.warps[0].waits == kNoBarrier);
  // Nobody waits any more: the next round begins anew.
  CHECK(cta.wait(0, 20, 0).empty());
  CHECK(cta.wait(2, 30, 0) == WentOn{{0, 32}, {2, 32}});
}

TEST_CASE("a barrier that names a number of warps waits for no more of them") {
  Cta cta(8);
  CHECK(cta.wait(3, 1, 5, 2).empty());
  CHECK(cta.wait(1, 4, 5, 2) == WentOn{{1, 6}, {3, 6}});
  // … and never for more than are left.
  CHECK(cta.wait(1, 9, 7, 300).empty());
  for (int ended = 0; ended < 6; ++ended) CHECK(cta.end_warp().empty());
  CHECK(cta.end_warp() == WentOn{{1, 11}});
}

TEST_CASE("warps wait at several barriers of a CTA, which open one by one") {
  Cta cta(6);
  cta.wait(0, 1, 63, 3);
  CHECK(cta.wait(1, 2, 2, 1) == WentOn{{1, 4}});
  cta.wait(2, 3, 63, 3);
  cta.wait(3, 4, 2);
  CHECK(cta.barriers.where().text() == "of 6 warps 1 at barrier 2, 2 at barrier 63, 3 at none");
  CHECK(cta.wait(5, 9, 63, 3) == WentOn{{0, 11}, {2, 11}, {5, 11}});
  CHECK(cta.barriers.where().text() == "of 6 warps 1 at barrier 2, 5 at none");
}

TEST_CASE("barriers that nobody else will reach open by force, the lowest first") {
  Cta cta(4);
  cta.wait(0, 1, 9);
  cta.wait(3, 5, 4);
  CHECK(cta.barriers.force(std::span(cta.warps), Cta::Engine{cta}) == 2);
  CHECK(cta.went_on == WentOn{{3, 7}, {0, 3}});
  CHECK(cta.barriers.force(std::span(cta.warps), Cta::Engine{cta}) == 0);
}
