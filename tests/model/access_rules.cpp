// The programming guides' and the textbooks' cases of each access rule: exact transactions.
#include "model/access/rule/access_rule.hpp"

#include <algorithm>
#include <functional>

#include "tests/catch.hpp"

using namespace warpmem::model;

namespace {

constexpr std::uint64_t kBase = 0x10000;

WarpAccess warp(std::uint32_t bytes, const std::function<std::uint64_t(std::uint64_t)>& address,
                std::uint32_t mask = ~0u) {
  WarpAccess a;
  a.mask = mask;
  a.bytes = bytes;
  for (std::uint64_t l = 0; l < kWarpLanes; ++l) a.address[l] = kBase + address(l);
  return a;
}

std::vector<Transaction> moves(AccessRule rule, const WarpAccess& a, bool whole_lines = false) {
  std::vector<Transaction> out;
  list_transactions({rule, 128, whole_lines}, a, out);
  return out;
}

// Bytes of each transaction, in order.
std::vector<std::uint32_t> sizes(const std::vector<Transaction>& moves) {
  std::vector<std::uint32_t> out;
  for (const Transaction& t : moves) out.push_back(t.bytes);
  return out;
}

using Sizes = std::vector<std::uint32_t>;
constexpr auto kStrict = AccessRule::kHalfWarpStrict;
constexpr auto kSegments = AccessRule::kHalfWarpSegments;
constexpr auto kLines = AccessRule::kLinesOrSegments;
constexpr auto kSub = AccessRule::kSubRequests;

}  // namespace

TEST_CASE(
    "1.0: words of 4, 8 and 16 bytes in order are one, one and two transactions a half-warp") {
  CHECK(sizes(moves(kStrict, warp(4, [](auto l) { return 4 * l; }))) == Sizes{64, 64});
  CHECK(sizes(moves(kStrict, warp(8, [](auto l) { return 8 * l; }))) == Sizes{128, 128});
  CHECK(sizes(moves(kStrict, warp(16, [](auto l) { return 16 * l; }))) ==
        Sizes{128, 128, 128, 128});
  for (const Transaction& t : moves(kStrict, warp(4, [](auto l) { return 4 * l; })))
    CHECK(t.in_order);
}

TEST_CASE("1.0: lanes that do not take part leave holes, and the segment moves whole") {
  const auto a = warp(
      4, [](auto l) { return 4 * l; }, 0x0000fffe & ~0x10u);
  const auto t = moves(kStrict, a);
  REQUIRE(sizes(t) == Sizes{64});
  CHECK(t[0].address == kBase);
  CHECK(t[0].lanes == (0xfffeu & ~0x10u));
}

TEST_CASE("1.0: a permutation, an offset of a word and words of a byte are a transaction a lane") {
  const auto swapped = warp(4, [](auto l) { return 4 * (l ^ 1); });
  const auto shifted = warp(4, [](auto l) { return 4 * (l + 1); });
  const auto narrow = warp(1, [](auto l) { return l; });
  for (const WarpAccess& a : {swapped, shifted, narrow}) {
    const auto t = moves(kStrict, a);
    CHECK(sizes(t) == Sizes(32, 32));
    CHECK_FALSE(t[0].in_order);
  }
  CHECK(moves(kStrict, warp(
                           4, [](auto l) { return 4 * (l ^ 1); }, 0xff))
            .size() == 8);
}

TEST_CASE("1.0: one half-warp can be coalesced and the other not") {
  const auto a = warp(4, [](auto l) { return l < 16 ? 4 * l : 4 * (l ^ 3); });
  const auto t = moves(kStrict, a);
  CHECK(t.size() == 17);
  CHECK(std::count_if(t.begin(), t.end(), [](const Transaction& m) { return m.in_order; }) == 1);
}

TEST_CASE("1.2: segments shrink to the half that is used") {
  CHECK(sizes(moves(kSegments, warp(4, [](auto l) { return 4 * l; }))) == Sizes{64, 64});
  // The order of lanes is free.
  CHECK(sizes(moves(kSegments, warp(4, [](auto l) { return 4 * (l ^ 7); }))) == Sizes{64, 64});
  // One lane: 32 bytes of 128.
  const auto one = moves(kSegments, warp(
                                        4, [](auto) { return 100; }, 1));
  REQUIRE(sizes(one) == Sizes{32});
  CHECK(one[0].address == kBase + 96);
  // All lanes one word: 32 bytes a half-warp.
  CHECK(sizes(moves(kSegments, warp(4, [](auto) { return 4; }))) == Sizes{32, 32});
}

TEST_CASE("1.2: a misaligned half-warp takes 128 bytes, or 32 and 64 over two segments") {
  // Half-warp 0 from byte 4 on: both halves of one segment of 128. Half-warp 1: bytes 68 to 132 are
  // 64 bytes of the first and 32 of the next.
  const auto t = moves(kSegments, warp(4, [](auto l) { return 4 + 4 * l; }));
  REQUIRE(sizes(t) == Sizes{128, 64, 32});
  CHECK(t[1].address == kBase + 64);
  CHECK(t[2].address == kBase + 128);
  CHECK(t[2].lanes == 1u << 31);
}

TEST_CASE("1.2: a stride of two words is one segment of 128 bytes a half-warp") {
  CHECK(sizes(moves(kSegments, warp(4, [](auto l) { return 8 * l; }))) == Sizes{128, 128});
}

TEST_CASE("1.2: words of one and two bytes begin with segments of 32 and 64") {
  CHECK(sizes(moves(kSegments, warp(1, [](auto l) { return l; }))) == Sizes{32, 32});
  CHECK(sizes(moves(kSegments, warp(2, [](auto l) { return 2 * l; }))) == Sizes{32, 32});
  CHECK(sizes(moves(kSegments, warp(2, [](auto l) { return 4 * l; }))) == Sizes{64, 64});
  CHECK(sizes(moves(kSegments, warp(16, [](auto l) { return 16 * l; }))) ==
        Sizes{128, 128, 128, 128});
}

TEST_CASE("2.x through the L1: the textbook's use cases are 1, 1, 1, 2 and N lines") {
  const auto lines = [](const WarpAccess& a) { return moves(kLines, a, true); };
  CHECK(sizes(lines(warp(4, [](auto) { return 0; }))) == Sizes{128});
  CHECK(sizes(lines(warp(4, [](auto l) { return 4 * l; }))) == Sizes{128});
  CHECK(sizes(lines(warp(4, [](auto l) { return 4 * (31 - l); }))) == Sizes{128});
  CHECK(sizes(lines(warp(4, [](auto l) { return 4 * (l + 1); }))) == Sizes{128, 128});
  CHECK(lines(warp(4, [](auto l) { return 128 * l; })).size() == 32);
  CHECK(lines(warp(4, [](auto l) { return 128 * (l % 7); })).size() == 7);
}

TEST_CASE("2.x past the L1: aligned 128 bytes, misaligned 160, scattered 32 a lane") {
  CHECK(sizes(moves(kLines, warp(4, [](auto l) { return 4 * l; }))) == Sizes{128});
  CHECK(sizes(moves(kLines, warp(4, [](auto l) { return 4 * (l + 1); }))) == Sizes{128, 32});
  CHECK(sizes(moves(kLines, warp(4, [](auto l) { return 4 * (l + 8); }))) == Sizes{96, 32});
  CHECK(sizes(moves(kLines, warp(4, [](auto l) { return 128 * l; }))) == Sizes(32, 32));
  // Segments that are not side by side stay apart.
  CHECK(sizes(moves(kLines, warp(4, [](auto l) { return 64 * (l % 2); }))) == Sizes{32, 32});
}

TEST_CASE("2.x: words of 8 and 16 bytes are two and four requests") {
  CHECK(sizes(moves(kLines, warp(8, [](auto l) { return 8 * l; }), true)) == Sizes{128, 128});
  CHECK(sizes(moves(kLines, warp(16, [](auto l) { return 16 * l; }), true)) == Sizes(4, 128));
  // A warp on one word of 16 bytes: once for each of them.
  CHECK(sizes(moves(kLines, warp(16, [](auto) { return 0; }), true)) == Sizes(4, 128));
  CHECK(lanes_of_group(kLines, 1) == 32);
}

TEST_CASE("5.x and 6.x: requests of 8, 4 and 2 lanes, a sector each where words are side by side") {
  const auto groups = [](const std::vector<Transaction>& t) { return t.back().group + 1; };
  for (const auto& [bytes, requests] : {std::pair{4u, 4u}, {8u, 8u}, {16u, 16u}}) {
    const auto t = moves(kSub, warp(bytes, [b = bytes](auto l) { return b * l; }));
    CHECK(groups(t) == requests);
    CHECK(sizes(t) == Sizes(requests, 32));
  }
  // All lanes one word: four requests have the same sector.
  CHECK(moves(kSub, warp(4, [](auto) { return 0; })).size() == 4);
  CHECK(moves(kSub, warp(4, [](auto l) { return 4 * (l + 1); })).size() == 8);
}

TEST_CASE(
    "7.0 and later: distinct sectors of the warp: 1, 2, 4, 8 and 16 side by side, 32 at most") {
  for (const auto& [bytes, sectors] : {std::pair{1u, 1u}, {2u, 2u}, {4u, 4u}, {8u, 8u}, {16u, 16u}})
    CHECK(moves(AccessRule::kSectors, warp(bytes, [b = bytes](auto l) { return b * l; })).size() ==
          sectors);
  CHECK(moves(AccessRule::kSectors, warp(4, [](auto l) { return 4096 * l; })).size() == 32);
}

TEST_CASE("every rule moves every byte that a lane wants, and nothing without a lane") {
  std::uint64_t state = 1;
  const auto draw = [&state](std::uint64_t below) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 33) % below;
  };
  for (int n = 0; n < 2000; ++n) {
    const std::uint32_t bytes = 1u << draw(5);
    const std::uint64_t room = 1 + draw(400), stride = draw(20);
    const auto a = warp(
        bytes, [&](auto l) { return (draw(2) ? stride * l : draw(room)) * bytes; },
        static_cast<std::uint32_t>(draw(1ull << 32)) | 1);
    for (const auto rule : {kStrict, kSegments, kLines, kSub, AccessRule::kSectors})
      for (const bool whole : {false, true}) {
        const auto t = moves(rule, a, whole);
        std::uint32_t served = 0;
        for (const Transaction& m : t) {
          if (m.lanes == 0 && !m.in_order) FAIL("a transaction for nobody");
          CHECK(m.address % 32 == 0);
          served |= m.lanes;
          for (std::uint32_t l = 0; l < kWarpLanes; ++l)
            if (m.lanes >> l & 1) {
              CHECK(a.address[l] < m.address + m.bytes);
              CHECK(a.address[l] + bytes > m.address);
            }
        }
        CHECK(served == a.mask);
      }
  }
}
