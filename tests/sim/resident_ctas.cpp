// Which slots of SMs CTAs take, and which CTAs wait for one.
#include "sim/engine/resident_ctas.hpp"

#include <utility>
#include <vector>

#include "tests/catch.hpp"

using namespace warpmem::sim;

TEST_CASE("a CTA takes its SM's lowest free slot, and leaves it") {
  struct Cta {};
  ResidentCtas<Cta> ctas(2, 3);
  CHECK(ctas.none());
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    CHECK_FALSE(ctas.full(1));
    CHECK(ctas.free_slot(1) == slot);
    ctas.take(1, slot);
  }
  CHECK(ctas.full(1));
  CHECK_FALSE(ctas.full(0));
  ctas.leave(1, 1);
  CHECK(ctas.free_slot(1) == 1);
  ctas.take(0, 0);
  std::vector<std::pair<std::size_t, std::uint32_t>> all;
  ctas.each([&](std::size_t sm, std::uint32_t slot) { all.emplace_back(sm, slot); });
  CHECK(all == std::vector<std::pair<std::size_t, std::uint32_t>>{{0, 0}, {1, 0}, {1, 2}});
  ctas.leave(0, 0);
  ctas.leave(1, 0);
  CHECK_FALSE(ctas.none());
  ctas.leave(1, 2);
  CHECK(ctas.none());
}

TEST_CASE("an SM has room for as many CTAs as a GPU's has at most") {
  struct Cta {};
  ResidentCtas<Cta> ctas(1, 32);
  for (int i = 0; i < 32; ++i) ctas.take(0, ctas.free_slot(0));
  CHECK(ctas.full(0));
}
