// Memory on large pages is memory: aligned as asked for, all of it usable, given back whole.
#include "base/large_pages.hpp"

#include <cstdint>
#include <vector>

#include "tests/catch.hpp"

using namespace warpmem;

TEST_CASE("tables of any size lie where they were asked for and keep what is written") {
  struct alignas(64) Line {
    std::uint64_t number[8];
  };
  for (const std::size_t lines : {std::size_t{1}, std::size_t{8191}, std::size_t{8192},
                                  std::size_t{32768}, std::size_t{32769}}) {
    std::pmr::vector<Line> first(lines, large_pages()), second(lines, large_pages());
    CHECK(reinterpret_cast<std::uintptr_t>(first.data()) % 64 == 0);
    for (std::size_t i = 0; i < lines; ++i) first[i].number[7] = i, second[i].number[7] = ~i;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < lines; ++i)
      wrong += first[i].number[7] != i || second[i].number[7] != ~i;
    CHECK(wrong == 0);
  }
}

TEST_CASE("a table of half a megabyte begins on a page of its own") {
  std::pmr::vector<std::uint8_t> table(512 << 10, large_pages());
  CHECK(reinterpret_cast<std::uintptr_t>(table.data()) % (2 << 20) == 0);
}
