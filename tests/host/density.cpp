// Which pages move with those that faulted.
#include "host/pages/density.hpp"

#include <random>
#include <vector>

#include "tests/catch.hpp"

using namespace warpmem::host;

namespace {

constexpr unsigned kDriver = 51;

// Single touches, one fault each: what each one moves.
std::vector<std::size_t> moves(const std::vector<std::size_t>& touches,
                               std::size_t pages = kBlockPages) {
  Pages there;
  std::vector<std::size_t> out;
  for (const std::size_t page : touches) {
    if (there[page]) continue;
    const Pages moved = pages_to_move(there, Pages{}.set(page), pages, kDriver);
    out.push_back(moved.count());
    there |= moved;
  }
  return out;
}

}  // namespace

TEST_CASE("a lone fault moves its big page") {
  const Pages moved = pages_to_move({}, Pages{}.set(37), kBlockPages, kDriver);
  CHECK(moved.count() == kBigPages);
  CHECK((moved[32] && moved[47]));
}

TEST_CASE("touched in order, a block moves in pieces that double from 64 KiB") {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < kBlockPages; ++i) all.push_back(i);
  // 16 pages, 16; then half of 64 is there and the third makes it more: 32; and so on.
  CHECK(moves(all) == std::vector<std::size_t>{16, 16, 32, 64, 128, 256});
}

TEST_CASE("a short block is dense by the pages that it has") {
  CHECK(moves({0}, 8) == std::vector<std::size_t>{8});
  CHECK(moves({0, 16, 32}, 48) == std::vector<std::size_t>{16, 32});
}

TEST_CASE("with 100 per cent a page moves alone") {
  Pages there;
  for (std::size_t page = 0; page < kBlockPages; ++page) {
    const Pages moved = pages_to_move(there, Pages{}.set(page), kBlockPages, 100);
    REQUIRE(moved == Pages{}.set(page));
    there |= moved;
  }
}

TEST_CASE("what moves holds the faulted pages and nothing that is there, whatever the order") {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t pages = 1 + random() % kBlockPages;
    Pages there, faulted;
    for (std::size_t k = random() % 40; k > 0; --k) {
      const std::size_t page = random() % pages;
      (random() % 2 ? there : faulted).set(page);
    }
    faulted &= ~there;
    const Pages moved = pages_to_move(there, faulted, pages, kDriver);
    REQUIRE((moved & faulted) == faulted);
    REQUIRE((moved & there).none());
    for (std::size_t page = pages; page < kBlockPages; ++page) REQUIRE_FALSE(moved[page]);
    if (faulted.none()) REQUIRE(moved.none());
  }
}
