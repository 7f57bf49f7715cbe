// The search for paddings and swizzles, on layouts whose best one is known.
#include "sim/explain/layouts.hpp"

#include "tests/catch.hpp"

namespace warpmem::sim {
namespace {

template <class Address>
BankAccess access_of(std::uint32_t bytes, Address&& address) {
  BankAccess out;
  out.access.mask = ~std::uint32_t{0}, out.access.bytes = bytes;
  for (std::uint64_t lane = 0; lane < 32; ++lane) out.access.address[lane] = address(lane);
  return out;
}

}  // namespace

// CUTLASS lays 8 rows of 32 halves out with Swizzle<2, 4, 3>: eight lanes go down a column of 16
// bytes, two rows share the 128 bytes of all banks.
TEST_CASE("a column of 16 bytes in rows of 64 bytes has the swizzle that is known for it") {
  BankPiece piece;
  piece.high = 64 * 64, piece.unit = 16, piece.rows = {64}, piece.ideal = 4;
  piece.accesses.push_back(access_of(16, [](std::uint64_t l) { return l % 8 * 64 + l / 8 * 512; }));
  const Layouts found = search_layouts(piece);
  CHECK(found.own > 4);
  REQUIRE(found.swizzle);
  CHECK(found.swizzle->passes == 4);
  CHECK(found.swizzle->what == "swizzle: byte offset o becomes o ^ (o >> 3 & 0x30)");
}

TEST_CASE("two directions of a block take two terms") {
  BankPiece piece;
  piece.high = 8 * 4096, piece.rows = {128}, piece.ideal = 3;
  // Down a column of 32 rows, along one, and over the eight planes.
  piece.accesses.push_back(access_of(4, [](std::uint64_t l) { return l * 128; }));
  piece.accesses.push_back(access_of(4, [](std::uint64_t l) { return l * 4; }));
  piece.accesses.push_back(access_of(4, [](std::uint64_t l) { return l / 4 * 4096 + l % 4 * 4; }));
  const Layouts found = search_layouts(piece);
  CHECK(found.own == 32 + 1 + 8);
  REQUIRE(found.swizzle);
  CHECK(found.swizzle->passes == 3);
}

TEST_CASE("where nothing helps nothing is proposed") {
  BankPiece piece;
  piece.high = 4096, piece.rows = {128}, piece.ideal = 1;
  piece.accesses.push_back(access_of(4, [](std::uint64_t l) { return l * 4; }));
  const Layouts found = search_layouts(piece);
  CHECK(found.own == 1);
  CHECK_FALSE(found.pad);
  CHECK_FALSE(found.swizzle);
}

}  // namespace warpmem::sim
