// The three forms of a set's row of ways mean the same.
#include "model/cache/way_row.hpp"

#include <random>

#include "tests/catch.hpp"

using namespace warpmem::model;

namespace {

using Eight = OrderedWays<OrderOfEight>;
using Many = OrderedWays<OrderOfMany>;

// Does the same with both rows, of so many ways, and sees that they answer alike. `young`: as
// L1Ways gives it.
template <class A, class B>
void compare(std::uint32_t ways, std::uint32_t young, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  A a;
  B b;
  for (int i = 0; i < 2000; ++i) {
    INFO("operation " << i << ", " << ways << " ways");
    // A way that holds a line, if one does.
    std::uint32_t held = 0;
    for (std::uint32_t way = 0; way < ways; ++way)
      if (a.find(1u << way) == way) held |= 1u << way;
    std::uint32_t way = static_cast<std::uint32_t>(random()) % ways;
    while (held && !(held >> way & 1)) way = (way + 1) % ways;
    switch (random() % 8) {
      case 0: {
        const std::uint32_t lines = a.held() > 0 ? 1 : 0;
        a.drop(lines), b.drop(lines);
        break;
      }
      case 1:
        if (held) a.retire(way), b.retire(way);
        break;
      case 2:
        if (random() % 16 == 0) {
          const auto stay = static_cast<std::uint32_t>(random());
          a.keep(stay), b.keep(stay);
        }
        break;
      case 3:
      case 4: {
        const std::uint32_t more = a.free_way(ways);
        REQUIRE(b.free_way(ways) == more);
        REQUIRE(a.insert(more, ways) == b.insert(more, ways));
        break;
      }
      default:
        if (held) a.use(way, young), b.use(way, young);
    }
    REQUIRE(a.held() == b.held());
    const std::uint32_t all = ways == 32 ? ~0u : (1u << ways) - 1;
    const std::uint32_t first = a.find(all);
    REQUIRE((first < ways ? first : 99) == (b.find(all) < ways ? b.find(all) : 99));
  }
}

}  // namespace

TEST_CASE("rows of ways in bytes and in words mean the same") {
  for (const std::uint32_t young : {0u, 3u})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      compare<FourWays, Eight>(4, young, seed);
      compare<FourWays, Many>(4, young, seed);
      for (const std::uint32_t ways : {1u, 2u, 3u, 5u, 6u, 7u, 8u})
        compare<Eight, Many>(ways, young, seed);
    }
}

TEST_CASE("a row of ways gives up its lines in the order in which they were used") {
  Many row;
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(row.insert(row.free_way(32), 32) == 31 - i);
  CHECK(row.free_way(32) == 0);
  row.use(31, 0);  // the first that came
  CHECK(row.insert(0, 32) == 30);
  CHECK(row.insert(0, 32) == 29);
}
