// Replacement policies, and shapes of the caches of GPUs before 7.0, by sequences worked out by
// hand.
#include "model/cache/replacement/replacement.hpp"

#include "model/cache/replacement/tree_plru.hpp"
#include "model/general/l2_partition.hpp"
#include "model/general/sector_cache.hpp"
#include "tests/catch.hpp"

using namespace warpmem::model;

namespace {

SectorCache cache(Replacement policy, std::uint32_t sets = 1, std::uint32_t ways = 4,
                  std::uint32_t sector = 128) {
  L1Spec s;
  s.early = true;
  s.line_bytes = 128;
  s.sectors = 4;
  s.fill_sectors = sector / 32;
  s.index = {SetRule::kLowBits, sets};
  s.ways = ways;
  s.tag_banks = 1;
  s.replacement = policy;
  return {s, std::uint64_t{sets} * ways};
}

LineTouch touch(std::uint64_t line, std::uint8_t sectors) { return {line, sectors, sectors}; }

bool hit(SectorCache& c, std::uint64_t line, std::uint8_t sectors = 1) {
  return c.load(touch(line, sectors)) == 0;
}

// An L2 of one set of four ways.
struct SmallL2 {
  explicit SmallL2(Replacement policy) : spec(spec_of(policy)), l2(spec, 128) {}
  static MemorySpec::L2 spec_of(Replacement policy) {
    MemorySpec::L2 spec;
    spec.index = {SetRule::kLowBits, 1};
    spec.ways = 4;
    spec.replacement = policy;
    return spec;
  }
  bool hit(std::uint64_t line) { return l2.read(line, 0b1111, 1, Stay::kUnsaid).missing == 0; }

  MemorySpec::L2 spec;
  L2Partition l2;
};

// Which of some loads hit: "mmmmh".
std::string hits(SectorCache& c, std::initializer_list<std::uint64_t> lines) {
  std::string out;
  for (const std::uint64_t line : lines) out += hit(c, line) ? 'h' : 'm';
  return out;
}

}  // namespace

TEST_CASE("LRU: the line that was used longest ago goes") {
  auto c = cache(Replacement::kLru);
  CHECK(hits(c, {0, 1, 2, 3, 0, 4, 0, 1}) == "mmmmhmhm");
}

TEST_CASE("FIFO: the line that came longest ago goes, used or not") {
  auto c = cache(Replacement::kFifo);
  CHECK(hits(c, {0, 1, 2, 3, 0, 4, 0, 2}) == "mmmmhmmh");
}

TEST_CASE("tree PLRU: the bits point away from what was used last") {
  // Ways 0 to 3 hold lines 0 to 3. After 0 is used again the root points right, and there to way 2:
  // line 2 goes, though line 1 was used longer ago.
  auto c = cache(Replacement::kTreePlru);
  CHECK(hits(c, {0, 1, 2, 3, 0, 4, 1, 3, 0, 2}) == "mmmmhmhhhm");
}

TEST_CASE("tree PLRU of three ways stays within them") {
  std::uint64_t tree = 0;
  for (std::uint32_t n = 0; n < 100; ++n) {
    const std::uint32_t way = tree_victim(tree, 3);
    REQUIRE(way < 3);
    tree = tree_after(tree, way, 3);
  }
}

TEST_CASE("not most recent: what was used last never goes") {
  auto c = cache(Replacement::kNotMostRecent);
  hits(c, {0, 1, 2, 3});
  std::uint64_t last = 3;
  for (std::uint64_t line = 4; line < 500; ++line) {
    CHECK_FALSE(hit(c, line));
    if (line > 4) CHECK(hit(c, last));  // it was used last when `line` came
    hit(c, line);
    last = line;
  }
}

TEST_CASE("random and uneven: by their odds, and the same in every run") {
  for (const auto policy : {Replacement::kRandom, Replacement::kUneven}) {
    std::vector<int> gone(4);
    std::uint64_t draws = 0;
    SetView::Kept kept;
    constexpr std::uint32_t kWays[] = {0, 1, 2, 3};
    for (int n = 0; n < 12000; ++n) ++gone[policy_of(policy).victim({4, 4, kWays, draws, kept})];
    const bool uneven = policy == Replacement::kUneven;
    for (std::size_t way = 0; way < 4; ++way) {
      const int expected = !uneven ? 3000 : way == 1 ? 6000 : 2000;  // 1/4; 1/6, 1/2, 1/6, 1/6
      CHECK(std::abs(gone[way] - expected) < 250);
    }
    auto a = cache(policy), b = cache(policy);
    for (std::uint64_t n = 0; n < 300; ++n) CHECK(hit(a, n * 7 % 11) == hit(b, n * 7 % 11));
  }
}

TEST_CASE(
    "bimodal: of lines in a circle that do not fit a part stays, of which LRU keeps nothing") {
  auto lru = cache(Replacement::kLru), bimodal = cache(Replacement::kBimodal);
  int of_lru = 0, of_bimodal = 0;
  for (int round = 0; round < 200; ++round)
    for (std::uint64_t line = 0; line < 5; ++line) {
      of_lru += hit(lru, line);
      of_bimodal += hit(bimodal, line);
    }
  CHECK(of_lru == 0);
  // Three of five stay as long as no line comes as the youngest, which one of 32 does.
  CHECK(of_bimodal > 400);
  CHECK(of_bimodal < 600);
}

TEST_CASE("an L2's after_hits: what was hit stays however many lines come; LRU gives it up") {
  const auto stays = [](Replacement policy, std::uint64_t more) {
    SmallL2 l2(policy);
    for (std::uint64_t line = 0; line < 4; ++line) CHECK_FALSE(l2.hit(line));
    CHECK(l2.hit(0));
    for (std::uint64_t line = 4; line < 4 + more; ++line) CHECK_FALSE(l2.hit(line));
    return l2.hit(0);
  };
  CHECK(stays(Replacement::kAfterHits, 3));
  CHECK(stays(Replacement::kAfterHits, 100));
  CHECK(stays(Replacement::kLru, 3));
  CHECK_FALSE(stays(Replacement::kLru, 4));
}

TEST_CASE("an L2's after_hits: the line of the hit before stays too, and no third") {
  SmallL2 l2(Replacement::kAfterHits);
  for (const std::uint64_t line : {0, 1, 2, 3}) CHECK_FALSE(l2.hit(line));
  for (const std::uint64_t line : {2, 0, 1}) CHECK(l2.hit(line));
  // 1 and 0 are in front; 3 is the oldest, then 2.
  for (const std::uint64_t line : {4, 5, 6, 7}) CHECK_FALSE(l2.hit(line));
  CHECK(l2.hit(0));
  CHECK(l2.hit(1));
  CHECK_FALSE(l2.hit(2));
}

TEST_CASE("every policy has a name and gives up one of the set's lines") {
  REQUIRE(replacement_names().size() == 9);
  for (std::size_t i = 0; i < replacement_names().size(); ++i) {
    INFO(replacement_names()[i]);
    auto c = cache(static_cast<Replacement>(i));
    hits(c, {0, 1, 2, 3, 4});
    int here = 0;
    for (std::uint64_t line = 0; line < 5; ++line) here += c.leave(touch(line, 1), false, false);
    CHECK(here == 4);
  }
}

TEST_CASE("a cache filled by lines brings four sectors, one filled by sectors what was asked for") {
  auto lines = cache(Replacement::kLru), sectors = cache(Replacement::kLru, 1, 4, 32),
       halves = cache(Replacement::kLru, 1, 4, 64);
  CHECK(lines.load(touch(5, 0b0001)) == 0b1111);
  CHECK(hit(lines, 5, 0b1000));
  CHECK(sectors.load(touch(5, 0b0001)) == 0b0001);
  CHECK(sectors.load(touch(5, 0b0011)) == 0b0010);
  CHECK(halves.load(touch(5, 0b0001)) == 0b0011);
  CHECK(halves.load(touch(5, 0b0110)) == 0b1100);
}

TEST_CASE("what waits to be written back comes out when its line goes") {
  auto c = cache(Replacement::kLru, 1, 2);
  CHECK_FALSE(c.leave(touch(1, 0b1111), true, true));
  hit(c, 2);
  CHECK_FALSE(c.take_pushed());
  hit(c, 3);
  const auto pushed = c.take_pushed();
  REQUIRE(pushed);
  CHECK(pushed->line == 1);
  CHECK(pushed->sectors == 0b1111);
  CHECK_FALSE(c.take_pushed());
}

TEST_CASE("Fermi: 16 KiB are 32 sets of 4 ways, 48 KiB 64 sets of 6; given sets decide the ways") {
  const auto of = [](std::uint32_t lines, std::uint32_t sets, std::uint32_t ways) {
    L1Spec s;
    s.index = {SetRule::kLowBits, sets};
    s.ways = ways;
    return s.of_lines(lines);
  };
  const auto is = [](const L1Spec& s, std::uint32_t sets, std::uint32_t ways) {
    return s.index.sets() == sets && s.ways == ways;
  };
  CHECK(is(of(16 * 1024 / 128, 0, 4), 32, 4));
  CHECK(is(of(48 * 1024 / 128, 0, 4), 64, 6));
  CHECK(is(of(48 * 1024 / 128, 0, 64), 4, 96));  // Pascal: four sets
  CHECK(is(of(128, 16, 4), 16, 8));
  // What does not fill all sets makes some a way wider: no line is lost.
  CHECK(is(of(100, 0, 4), 16, 6));
  CHECK(of(100, 0, 4).wider == 4);
  CHECK(of(0, 0, 4).index.sets() == 0);
}

TEST_CASE("Fermi's index: address bits 7 to 11 with 13, 14, 15, 17 and 19; bit 12 with 64 sets") {
  const SetIndex of_32(SetRule::kXorFermi, 32), of_64(SetRule::kXorFermi, 64);
  const auto line = [](std::uint64_t address) { return address / 128; };
  CHECK(of_32(line(3 << 7)) == 3);
  CHECK(of_32(line(1 << 12)) == 0);
  CHECK(of_64(line(1 << 12)) == 32);
  CHECK(of_32(line(1 << 13)) == 1);
  CHECK(of_32(line(1 << 14)) == 2);
  CHECK(of_32(line(1 << 17)) == 8);
  CHECK(of_32(line(1 << 19 | 1 << 11)) == 0);
  CHECK(of_32(line(1 << 16)) == 0);
}
