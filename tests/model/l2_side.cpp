// One side of the L2 against the slow twin: all short strings of operations on one set, and long
// random ones on two.
#include "model/l2/l2_side.hpp"

#include <algorithm>
#include <random>

#include "tests/catch.hpp"
#include "tests/model/example_specs.hpp"
#include "tests/model/reference/lru_side.hpp"

using namespace warpmem;
using model::L2Side;
using model::Stay;

namespace {

constexpr std::uint32_t kWhole[4] = {~0u, ~0u, ~0u, ~0u};

// Lines of one set, found by asking a cache of one way: in the same set, one line evicts the other.
// XOR with a number below 32 moves all of them to another set together. They lie at least `apart`
// lines from one another.
std::vector<std::uint64_t> lines_of_one_set(std::size_t count, std::uint64_t apart = 32) {
  L2Side one_way({128 * 1024, 1, 1, 1, model::SetRule::kMixedRows});
  std::vector<std::uint64_t> found = {0};
  for (std::uint64_t line = apart; found.size() < count; line += 32) {
    one_way.fill(0, 1);
    one_way.fill(line, 1);
    if (one_way.lookup(0) != 0) continue;
    found.push_back(line);
    line += apart - 32;
  }
  return found;
}

L2Side::Spec small(std::uint32_t ways, std::uint32_t dirty, std::uint32_t partial) {
  return {std::uint64_t{128} * 1024 * ways, ways, dirty, partial, model::SetRule::kMixedRows};
}

}  // namespace

TEST_CASE("one set equals the slow twin's for all strings of five operations on three lines") {
  const auto lines = lines_of_one_set(3);
  constexpr std::uint32_t kHalf[4] = {0xffff, 0xffff, 0xffff, 0xffff};
  constexpr unsigned kOps = 12, kLength = 5;  // four operations on each line
  unsigned strings = 1;
  for (unsigned i = 0; i < kLength; ++i) strings *= kOps;
  for (const auto& spec : {small(2, 1, 1), small(2, 2, 1)}) {
    L2Side fast(spec);
    for (unsigned code = 0; code < strings; ++code) {
      const std::uint64_t other_set = code % 32;  // 32 strings before the cache is cleared
      if (other_set == 0) fast.clear();
      reference::LruSide slow(spec, [](std::uint64_t) { return 0; });
      unsigned rest = code;
      for (unsigned i = 0; i < kLength; ++i, rest /= kOps) {
        const std::uint64_t line = lines[rest % kOps / 4] ^ other_set;
        L2Side::Traffic a, b;
        switch (rest % 4) {
          case 0: {
            const std::uint8_t x = fast.lookup(line), y = slow.lookup(line);
            if (x != y)
              FAIL("string " << code << ", operation " << i << ": reads " << int{x}
                             << " instead of " << int{y});
            break;
          }
          case 1: a = fast.fill(line, 3), b = slow.fill(line, 3); break;
          case 2: a = fast.write(line, 5, 0, kHalf), b = slow.write(line, 5, 0, kHalf); break;
          default: a = fast.write(line, 9, 9, kWhole), b = slow.write(line, 9, 9, kWhole); break;
        }
        if (a.fills != b.fills || a.writes != b.writes)
          FAIL("string " << code << ", operation " << i << ": " << a.fills << " fills, " << a.writes
                         << " writes instead of " << b.fills << ", " << b.writes);
      }
    }
  }
  SUCCEED();
}

TEST_CASE("two sets equal the slow twin's for long random strings") {
  // Neighbours; lines from all over memory, more regions than have short tags.
  const auto lines = lines_of_one_set(48, GENERATE(std::uint64_t{32}, std::uint64_t{1} << 36));
  std::mt19937_64 random(17);
  for (int round = 0; round < 100; ++round) {
    const auto up_to = [&](std::uint32_t most) {
      return static_cast<std::uint32_t>(1 + random() % most);
    };
    const std::uint32_t ways = up_to(round % 2 ? 16 : 32), dirty = up_to(ways),
                        partial = up_to(dirty);
    const auto spec = small(ways, dirty, partial);
    L2Side fast(spec);
    reference::LruSide slow(spec, [](std::uint64_t line) { return line % 2; });
    for (int i = 0; i < 4000; ++i) {
      const std::uint64_t line =
          lines[random() % std::min<std::size_t>(lines.size(), 2 * ways + 1)] ^ random() % 2;
      const auto sectors = static_cast<std::uint8_t>(1 + random() % 15);
      L2Side::Traffic a, b;
      INFO("round " << round << ", operation " << i << ", " << ways << " ways");
      switch (random() % 4) {
        case 0: REQUIRE(fast.lookup(line) == slow.lookup(line)); break;
        case 1: a = fast.fill(line, sectors), b = slow.fill(line, sectors); break;
        default: {
          const auto full = static_cast<std::uint8_t>(sectors & random());
          std::uint32_t bytes[4];
          for (unsigned s = 0; s < 4; ++s)
            bytes[s] = full >> s & 1  ? ~0u
                       : random() % 2 ? 0xffffu << 16 * (random() % 2)
                                      : static_cast<std::uint32_t>(random()) & 0x7fffffff;
          a = fast.write(line, sectors, full, bytes), b = slow.write(line, sectors, full, bytes);
        }
      }
      REQUIRE(a.fills == b.fills);
      REQUIRE(a.writes == b.writes);
    }
    CHECK(fast.dirty_sectors() == slow.dirty_sectors());
  }
}

TEST_CASE("dropping takes a copy's sectors away and nothing else") {
  L2Side side(model::example_l2_side());
  side.fill(77, 15);
  side.drop(77, 5);
  CHECK(side.lookup(77) == 10);
  side.drop(78, 15);  // not there
  CHECK(side.lookup(77) == 10);
  side.clear();
  CHECK(side.lookup(77) == 0);
}

TEST_CASE("a side holds its capacity of neighbouring lines and no more") {
  L2Side side(model::example_l2_side());
  const std::uint64_t lines = 31457280 / 128;
  for (std::uint64_t i = 0; i < lines; ++i) side.fill(i, 15);
  std::uint64_t held = 0;
  for (std::uint64_t i = 0; i < lines; ++i) held += side.lookup(i) == 15;
  CHECK(held == lines);
  for (std::uint64_t i = lines; i < lines + lines / 2; ++i) side.fill(i, 15);
  held = 0;
  for (std::uint64_t i = 0; i < lines + lines / 2; ++i) held += side.lookup(i) == 15;
  CHECK(held == lines);
}

TEST_CASE("lines read to persist outlive a stream of reads, and a cleared side forgets them") {
  L2Side side(model::example_l2_side()), plain(model::example_l2_side());
  const std::uint64_t share = 31457280 / 4, lines = share / 128;
  const auto read = [](L2Side& s, std::uint64_t line, Stay stay) {
    return s.read(s.set_tag(line), 15, 2, stay).missing == 0;
  };
  side.set_aside(share);
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t i = 0; i < lines; ++i) read(side, i, Stay::kPersist);
    for (std::uint64_t i = 1 << 20; i < (1 << 20) + (1 << 19); ++i) read(side, i, Stay::kUnsaid);
    std::uint64_t held = 0;
    for (std::uint64_t i = 0; i < lines; ++i) held += read(side, i, Stay::kUnsaid);
    CHECK(held == lines);
    side.clear();
  }
  // As if nothing had ever persisted: dirty lines are spared once (spare_dirty()) on both.
  constexpr std::uint32_t kAll[4] = {~0u, ~0u, ~0u, ~0u};
  for (L2Side* s : {&side, &plain}) {
    for (std::uint64_t i = 0; i < 3 * lines; ++i) s->write(i, 15, 15, kAll);
    for (std::uint64_t i = 1 << 20; i < (1 << 20) + 5 * lines; ++i) s->fill(i, 15);
  }
  std::uint64_t differ = 0;
  for (std::uint64_t i = 0; i < 3 * lines; ++i) differ += side.lookup(i) != plain.lookup(i);
  CHECK(differ == 0);
}

TEST_CASE("lines filled to persist outlive a stream of others within their share") {
  L2Side side(model::example_l2_side());
  const std::uint64_t share = 31457280 / 4, lines = share / 128;
  side.set_aside(share);
  for (std::uint64_t i = 0; i < lines; ++i) side.fill(i, 15, Stay::kPersist);
  for (std::uint64_t i = 1 << 20; i < (1 << 20) + (1 << 19); ++i) side.fill(i, 15);
  std::uint64_t held = 0;
  for (std::uint64_t i = 0; i < lines; ++i) held += side.lookup(i) == 15;
  CHECK(held == lines);
}
