// The programming guides' cases of shared memory and constants, by compute capability.
#include "model/shared/rule/shared_rule.hpp"

#include <functional>

#include "model/constant/constant_rule.hpp"
#include "tests/catch.hpp"

using namespace warpmem::model;

namespace {

WarpAccess warp(std::uint32_t bytes, const std::function<std::uint64_t(std::uint64_t)>& address,
                std::uint32_t mask = ~0u) {
  WarpAccess a;
  a.mask = mask;
  a.bytes = bytes;
  for (std::uint64_t l = 0; l < kWarpLanes; ++l) a.address[l] = address(l);
  return a;
}

SharedPasses of(SharedRule rule, const WarpAccess& a, SharedKind kind = SharedKind::kLoad,
                std::uint32_t bank_bytes = 4) {
  return shared_passes(rule, a, kind,
                       Banks{rule == SharedRule::kOneBroadcast ? 16u : 32u, bank_bytes});
}

constexpr auto k1x = SharedRule::kOneBroadcast;
constexpr auto k2x = SharedRule::kMulticast2x;
constexpr auto k3x = SharedRule::kWideBanks;

}  // namespace

TEST_CASE("1.x: an odd stride meets no bank twice, an even one does") {
  for (const auto& [stride, ways] :
       {std::pair{1, 1}, {2, 2}, {3, 1}, {4, 4}, {8, 8}, {15, 1}, {16, 16}, {17, 1}, {32, 16}}) {
    INFO(stride);
    const auto p = of(k1x, warp(4, [s = stride](auto l) { return 4u * s * l; }));
    CHECK(p.taken == 2 * ways);  // two half-warps
    CHECK(p.groups == 2);
  }
}

TEST_CASE("1.x: all lanes on one word are a broadcast; two words of one bank are not") {
  CHECK(of(k1x, warp(4, [](auto) { return 4; })).taken == 2);
  // Half of the lanes on each of two words in different banks: one is broadcast, the other serves a
  // lane a pass: in the second pass it is the broadcast word.
  CHECK(of(k1x, warp(
                    4, [](auto l) { return l % 2 * 4; }, 0xffff))
            .taken == 2);
  // Three words: broadcast, then broadcast, then the last one.
  CHECK(of(k1x, warp(
                    4, [](auto l) { return l % 3 * 4; }, 0xffff))
            .taken == 3);
}

TEST_CASE("1.x: a stride of one double is a 2-way conflict, of four words a 4-way one") {
  // Split in accesses of 4 bytes, each with a stride of two (or four) words.
  const auto doubles = of(k1x, warp(
                                   8, [](auto l) { return 8 * l; }, 0xffff));
  CHECK(doubles.groups == 2);
  CHECK(doubles.taken == 2 * 2);
  const auto quads = of(k1x, warp(
                                 16, [](auto l) { return 16 * l; }, 0xffff));
  CHECK(quads.groups == 4);
  CHECK(quads.taken == 4 * 4);
}

TEST_CASE("1.x: bytes side by side conflict, every fourth one does not") {
  CHECK(of(k1x, warp(
                    1, [](auto l) { return l; }, 0xffff))
            .taken == 4);
  CHECK(of(k1x, warp(
                    1, [](auto l) { return 4 * l; }, 0xffff))
            .taken == 1);
}

TEST_CASE("1.x: of lanes that store to one word one does, without a conflict") {
  CHECK(of(k1x,
           warp(
               4, [](auto l) { return l % 3 * 4; }, 0xffff),
           SharedKind::kStore)
            .taken == 1);
  CHECK(of(k1x,
           warp(
               4, [](auto l) { return l % 2 * 64; }, 0xffff),
           SharedKind::kStore)
            .taken == 2);
}

TEST_CASE("2.x: words go to all lanes that want them; strides conflict by their even part") {
  CHECK(of(k2x, warp(4, [](auto l) { return l % 7 * 4; })).taken == 1);
  for (const auto& [stride, ways] :
       {std::pair{1, 1}, {2, 2}, {3, 1}, {16, 16}, {32, 32}, {33, 1}}) {
    INFO(stride);
    CHECK(of(k2x, warp(4, [s = stride](auto l) { return 4u * s * l; })).taken == ways);
  }
  CHECK(of(k2x, warp(1, [](auto l) { return l; })).taken == 1);
}

TEST_CASE("2.x: doubles side by side are two half-warps without a conflict; 16 bytes are 2-way") {
  const auto doubles = of(k2x, warp(8, [](auto l) { return 8 * l; }));
  CHECK(doubles.taken == 2);
  CHECK(doubles.groups == 2);
  // An N-way conflict of doubles adds N - 1 for each half-warp.
  const auto apart = of(k2x, warp(8, [](auto l) { return 16 * l; }));
  CHECK(apart.taken - apart.groups == 2 * (2 - 1));
  const auto quads = of(k2x, warp(16, [](auto l) { return 16 * l; }));
  CHECK(quads.taken == 4);
  CHECK(quads.groups == 2);
}

TEST_CASE("3.x, 4-byte mode: words 32 apart in an aligned segment of 64 share a pass") {
  CHECK(of(k3x, warp(4, [](auto l) { return 4 * l; })).taken == 1);
  CHECK(of(k3x, warp(4, [](auto l) { return 8 * l; })).taken == 1);   // stride 2
  CHECK(of(k3x, warp(4, [](auto l) { return 16 * l; })).taken == 2);  // stride 4
  CHECK(of(k3x, warp(4, [](auto l) { return 12 * l; })).taken == 1);  // stride 3
  // Words 0 and 32 are of one segment, words 32 and 64 are not.
  CHECK(of(k3x, warp(
                    4, [](auto l) { return l * 128; }, 3))
            .taken == 1);
  CHECK(of(k3x, warp(
                    4, [](auto l) { return 128 + l * 128; }, 3))
            .taken == 2);
}

TEST_CASE("3.x, 8-byte mode: words of 8 bytes in a row lie in banks in a row") {
  const auto mode8 = [](const WarpAccess& a) { return of(k3x, a, SharedKind::kLoad, 8).taken; };
  CHECK(mode8(warp(8, [](auto l) { return 8 * l; })) == 1);
  CHECK(mode8(warp(4, [](auto l) { return 4 * l; })) == 1);
  CHECK(mode8(warp(4, [](auto l) { return 8 * l; })) == 1);
  CHECK(mode8(warp(8, [](auto l) { return 16 * l; })) == 2);
  CHECK(mode8(warp(
            4, [](auto l) { return 128 * l; }, 0xf)) == 2);  // 0, 16, 0, 16 of 32 banks
  // 16 bytes: two halves of the warp.
  CHECK(mode8(warp(16, [](auto l) { return 16 * l; })) == 2);
}

TEST_CASE("3.x: a column of a tile of 32 doubles is 32-way without padding, free with it") {
  const auto column = [](std::uint64_t row) {
    return of(k3x, warp(8, [row](auto l) { return 8 * row * l; }), SharedKind::kLoad, 8).taken;
  };
  CHECK(column(32) == 32);
  CHECK(column(33) == 1);
}

TEST_CASE("atomics of shared memory take a pass for each lane that meets another") {
  for (const SharedRule rule : {k1x, k2x, k3x}) {
    CHECK(of(rule, warp(4, [](auto) { return 0; }), SharedKind::kAtomic).taken == 32);
    CHECK(of(rule, warp(4, [](auto l) { return 4 * l; }), SharedKind::kAtomic).taken ==
          (rule == k1x ? 2 : 1));
  }
}

TEST_CASE("constants: one address at a time, of a warp or of each half-warp") {
  const auto more = [](ConstantRule rule, auto address) {
    return constant_serialized(rule, warp(4, address));
  };
  CHECK(more(ConstantRule::kWarp, [](auto) { return 8; }) == 0);
  CHECK(more(ConstantRule::kWarp, [](auto l) { return 4 * l; }) == 31);
  CHECK(more(ConstantRule::kHalfWarp, [](auto l) { return 4 * l; }) == 30);
  // An address for each half-warp.
  CHECK(more(ConstantRule::kWarp, [](auto l) { return l / 16 * 4; }) == 1);
  CHECK(more(ConstantRule::kHalfWarp, [](auto l) { return l / 16 * 4; }) == 0);
}
