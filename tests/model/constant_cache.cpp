// The caches of constants: what a load costs more than a hit of one address.
#include "model/constant/constant_cache.hpp"

#include <numeric>

#include "tests/catch.hpp"
#include "tests/model/example_specs.hpp"

using warpmem::model::ConstantCache;

namespace {

// Two SMs of one GPC, one of another.
ConstantCache::Spec spec() {
  ConstantCache::Spec s = warpmem::model::example_constants();
  s.sm_group = {0, 0, 1};
  return s;
}

std::uint64_t one(ConstantCache& c, int sm, std::uint64_t address, std::uint64_t now) {
  return c.read(sm, &address, 1, now);
}

// Cycles of the second of two rounds over so many lines, `apart` bytes from one to the next.
std::uint64_t second_round(std::uint64_t lines, std::uint64_t apart) {
  ConstantCache c(spec());
  std::uint64_t now = 0, took = 0;
  for (int round = 0; round < 2; ++round) {
    took = 0;
    for (std::uint64_t i = 0; i < lines; ++i) {
      const std::uint64_t more = one(c, 0, i * apart, now);
      took += more;
      now += more + 40;
    }
  }
  return took;
}

}  // namespace

TEST_CASE(
    "constants: a first touch comes from memory, its neighbours from the GPC's cache, then all "
    "hit") {
  ConstantCache c(spec());
  CHECK(one(c, 0, 0, 100) == 590);
  CHECK(one(c, 0, 4, 1000) == 0);
  CHECK(one(c, 0, 64, 1100) == 81);
  CHECK(one(c, 0, 192, 1300) == 81);
  CHECK(one(c, 0, 256, 1500) == 590);
  // An SM of the GPC finds it there, one of another does not.
  CHECK(one(c, 1, 0, 3000) == 81);
  CHECK(one(c, 2, 0, 3000) == 590);
  c.clear();
  CHECK(one(c, 0, 0, 5000) == 590);
}

TEST_CASE("constants: who asks for a line on its way waits for it") {
  ConstantCache c(spec());
  CHECK(one(c, 0, 0, 100) == 590);
  CHECK(one(c, 0, 0, 300) == 390);
  CHECK(one(c, 1, 0, 400) == 290);
}

TEST_CASE(
    "constants: an SM's cache holds 2 KiB, four lines of a set; a GPC's all that a kernel can "
    "have") {
  CHECK(second_round(32, 64) == 0);
  CHECK(second_round(64, 64) == 64 * 81);  // each pushes out what comes next
  CHECK(second_round(16, 4096) == 16 * 81);
  CHECK(second_round(4, 4096) == 0);
  CHECK(second_round(1024, 64) == 1024 * 81);
}

TEST_CASE("constants: further addresses of a warp come later, and warps share the lookup") {
  ConstantCache c(spec());
  std::vector<std::uint64_t> addresses(32);
  std::iota(addresses.begin(), addresses.end(), 0);
  c.read(0, addresses.data(), 32, 0);  // all of one line
  CHECK(c.read(0, addresses.data(), 1, 10000) == 0);
  CHECK(c.read(0, addresses.data(), 2, 10100) == 11);
  CHECK(c.read(0, addresses.data(), 32, 10200) == 31 * 11);
  // 16 warps with 32 addresses each at a time: two cycles an address, less than that is not to be
  // had.
  std::uint64_t last = 0;
  for (int w = 0; w < 16; ++w) last = std::max(last, c.read(0, addresses.data(), 32, 20000));
  CHECK(last >= 16 * 32 * 2 - 2);
  CHECK(last <= 16 * 32 * 2 + 32 * 11);
}
