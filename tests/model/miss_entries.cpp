// Entries for misses, by sequences worked out by hand: a line takes 100 cycles.
#include "model/cache/miss_entries.hpp"

#include "tests/catch.hpp"

using warpmem::model::MissEntries;

namespace {

std::uint64_t miss(MissEntries& entries, std::uint64_t line, std::uint64_t at) {
  return entries.miss(line, at, [](std::uint64_t from) { return from + 100; });
}

}  // namespace

TEST_CASE("a miss that finds no entry leaves when the first is free") {
  MissEntries two(2);
  CHECK(miss(two, 1, 0) == 100);
  CHECK(miss(two, 2, 10) == 110);
  CHECK(miss(two, 3, 20) == 200);
  CHECK(miss(two, 4, 20) == 210);
  CHECK(miss(two, 5, 300) == 400);
}

TEST_CASE(
    "a further miss on a line that is under way takes no entry, and keeps the line's longer") {
  MissEntries one(1);
  CHECK(miss(one, 1, 0) == 100);
  CHECK(miss(one, 1, 50) == 150);
  CHECK(miss(one, 2, 60) == 250);
  CHECK(miss(one, 1, 250) == 350);
}

TEST_CASE("no number of entries is no limit") {
  MissEntries any;
  for (std::uint64_t line = 0; line < 1000; ++line) CHECK(miss(any, line, 0) == 100);
}
