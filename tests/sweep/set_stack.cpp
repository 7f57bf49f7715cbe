// One pass against a cache for each associativity: the twin is SectorCache itself.
#include "sweep/set_stack.hpp"

#include <random>

#include "model/general/sector_cache.hpp"
#include "tests/catch.hpp"

namespace {

using namespace warpmem;
using sweep::SetStack;

constexpr std::uint32_t kSets = 4, kMostWays = 8;

model::L1Spec spec_of(std::uint32_t ways, model::WritePolicy write) {
  model::L1Spec spec;
  spec.line_bytes = 128;
  spec.sectors = 4;
  spec.index = {model::SetRule::kLowBits, kSets};
  spec.ways = ways;
  spec.replacement = model::Replacement::kLru;
  spec.write = write;
  return spec;
}

struct Caches {
  explicit Caches(model::WritePolicy write) {
    for (std::uint32_t ways = 1; ways <= kMostWays; ++ways) specs.push_back(spec_of(ways, write));
    for (const auto& spec : specs) caches.emplace_back(spec, std::uint64_t{kSets} * spec.ways);
  }
  std::vector<model::L1Spec> specs;
  std::vector<model::SectorCache> caches;
};

model::LineTouch touch(std::uint64_t line, std::uint8_t sectors, bool whole) {
  model::LineTouch t;
  t.line = line, t.sectors = sectors;
  for (std::size_t s = 0; s < 4; ++s)
    if (sectors >> s & 1) t.bytes[s] = whole ? ~0u : 0xffu;
  t.full = whole ? sectors : std::uint8_t{0};
  return t;
}

void check_load(SetStack& stack, Caches& all, std::uint64_t line, std::uint8_t sectors,
                bool leaves) {
  const SetStack::Least least = stack.load(line, sectors, leaves);
  for (std::uint32_t ways = 1; ways <= kMostWays; ++ways) {
    const std::uint8_t missing = all.caches[ways - 1].load(touch(line, sectors, true), {}, leaves);
    for (std::size_t s = 0; s < 4; ++s)
      if (sectors >> s & 1) REQUIRE((least[s] <= ways) == !(missing >> s & 1));
  }
}

void check_random(model::WritePolicy write, unsigned seed) {
  Caches all(write);
  SetStack stack({model::SetRule::kLowBits, kSets}, kMostWays);
  std::mt19937 draw(seed);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t line = draw() % 60;
    const auto sectors = static_cast<std::uint8_t>(1 + draw() % 15);
    switch (draw() % 8) {
      case 0: {
        const auto t = touch(line, sectors, true);
        for (auto& cache : all.caches) cache.store(t);
        if (write == model::WritePolicy::kEvict) stack.drop(line, sectors);
        else stack.store(t);
        break;
      }
      case 1:
        for (auto& cache : all.caches) cache.drop(line, sectors);
        stack.drop(line, sectors);
        break;
      case 2:
        if (draw() % 50 == 0) {
          for (auto& cache : all.caches) cache.invalidate(line);
          stack.invalidate(line);
        }
        break;
      default: check_load(stack, all, line, sectors, draw() % 10 != 0);
    }
  }
  CHECK(stack.inexact() == 0);
}

TEST_CASE("one pass says of each sector what a cache of each associativity says") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    check_random(model::WritePolicy::kThrough, seed);
    check_random(model::WritePolicy::kEvict, seed);
  }
}

TEST_CASE("a line that is used again after three others needs four ways") {
  SetStack stack({model::SetRule::kLowBits, 1}, 8);
  for (const std::uint64_t line : {1, 2, 3, 4}) stack.load(line, 1);
  CHECK(stack.load(1, 1)[0] == 4);
  CHECK(stack.load(1, 2)[1] == SetStack::kNever);
}

TEST_CASE("a sector keeps the deepest place of its line since it came") {
  SetStack stack({model::SetRule::kLowBits, 1}, 8);
  stack.load(1, 3);
  for (const std::uint64_t line : {2, 3, 4}) stack.load(line, 1);
  CHECK(stack.load(1, 1)[0] == 4);  // brought anew into caches of three ways, without sector 1
  CHECK(stack.load(1, 2)[1] == 4);
}

TEST_CASE("a load of a sector that was stored in part where some caches lack it is inexact") {
  SetStack stack({model::SetRule::kLowBits, 1}, 8);
  stack.load(1, 1);
  stack.store(touch(1, 1, false));
  stack.load(1, 1);
  CHECK(stack.inexact() == 0);
  stack.store(touch(2, 1, false));
  CHECK(stack.inexact() == 0);
  stack.load(2, 2);
  CHECK(stack.inexact() == 0);
  stack.load(2, 1);
  CHECK(stack.inexact() == 1);
}

}  // namespace
