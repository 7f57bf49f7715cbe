// What is worked out for a warp's lines side by side is the same on every host: with wide vectors,
// without, and for one line after the other.
#include "base/wide_hosts.hpp"

#include <random>
#include <set>

#include "model/l1_cache.hpp"
#include "model/l2_cache.hpp"
#include "model/line_words.hpp"
#include "tests/catch.hpp"

using namespace warpmem;
using model::LineList;

namespace {

// Without wide vectors while it lives.
struct PlainHost {
  const bool before = wide_host();
  PlainHost() { wide_host() = false; }
  PlainHost(const PlainHost&) = delete;
  PlainHost& operator=(const PlainHost&) = delete;
  ~PlainHost() { wide_host() = before; }
};

// Lines near one another, in one piece of 512 GB, or anywhere.
void fill(LineList& lines, std::mt19937_64& random, int count) {
  const unsigned bits = std::array{12u, 32u, 41u}[random() % 3];
  const std::uint64_t base = random() % 2 == 0 ? 0xfe400000 : std::uint64_t{0x1ff} << 32;
  for (lines.count = 0; lines.count < count; ++lines.count)
    lines.line[static_cast<std::size_t>(lines.count)] =
        base ^ random() % (std::uint64_t{1} << bits);
}

}  // namespace

TEST_CASE("the L1 says of lines side by side what it says of each") {
  std::mt19937_64 random(5);
  model::L1Cache l1({1736, 512}), plain({1736, 512}), alone({1736, 512});
  for (int round = 0; round < 3000; ++round) {
    LineList lines;
    fill(lines, random, 1 + static_cast<int>(random() % LineList::kMost));
    model::L1Cache::Seats seats, others;
    l1.seats(lines, seats);
    const PlainHost host;
    plain.seats(lines, others);
    for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i) {
      const model::L1Cache::Seat one = alone.seat(lines.line[i]);
      REQUIRE((seats.set[i] == one.set && seats.tag[i] == one.tag));
      REQUIRE((others.set[i] == one.set && others.tag[i] == one.tag));
    }
  }
}

TEST_CASE("the L2 says of lines side by side what it says of each") {
  std::mt19937_64 random(6);
  model::L2Cache::Spec spec;
  spec.home_mask = 0x3a5b6c7d8e9f000;
  model::L2Cache wide(spec), plain(spec), alone(spec);
  const model::Latencies latencies{spec.near_cycles, spec.near_spread, spec.dram_cycles,
                                   spec.dram_spread, spec.dram_tail};
  for (int round = 0; round < 3000; ++round) {
    model::L2Cache::Routed lines, others;
    fill(lines, random, 1 + static_cast<int>(random() % LineList::kMost));
    static_cast<LineList&>(others) = lines;
    wide.route(lines);
    const PlainHost host;
    plain.route(others);
    REQUIRE(lines.seat.known == others.seat.known);
    for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i) {
      const model::L2Cache::Route one = alone.route(lines.line[i]);
      const std::uint32_t draw = model::Latencies::draw_of(lines.line[i]);
      for (const model::L2Cache::Routed* list : {&lines, &others}) {
        REQUIRE(list->seat.set[i] == one.seat.set);
        REQUIRE(list->seat.tag[i] == one.seat.tag);
        REQUIRE(list->seat.short_tag[i] == one.seat.short_tag);
        REQUIRE(list->home[i] == one.home);
        REQUIRE(list->pending[i] == one.pending);
        REQUIRE(list->near[i] == latencies.near(draw));
        REQUIRE(list->dram[i] == latencies.dram(draw));
      }
    }
  }
}

TEST_CASE("a warp of strangers is listed alike on every host") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 4000; ++round) {
    // Few enough lines that some meet; and lines that only their upper bits tell apart.
    const std::uint64_t span =
        std::array<std::uint64_t, 3>{300, 100000, std::uint64_t{1} << 30}[random() % 3];
    std::array<std::uint64_t, 32> address;
    for (std::size_t i = 0; i < address.size(); ++i) {
      address[i] = 0x7f2000000000 + random() % span * 128 + random() % 32 * 4;
      if (i > 0 && random() % 16 == 0) address[i] = address[i - 1] ^ (std::uint64_t{0x10001} << 7);
    }
    LineList lines, others;
    model::touch_addresses(address.data(), 32, 4, false, lines);
    const PlainHost host;
    model::touch_addresses(address.data(), 32, 4, false, others);
    std::set<std::uint64_t> sectors;
    for (const std::uint64_t a : address) sectors.insert(a / 32);
    REQUIRE(lines.count == others.count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i) {
      REQUIRE(lines.line[i] == others.line[i]);
      REQUIRE(lines.sectors[i] == others.sectors[i]);
      for (unsigned s = 0; s < 4; ++s) {
        const bool touched = lines.sectors[i] >> s & 1;
        REQUIRE(touched == (sectors.count(lines.line[i] * 4 + s) == 1));
        if (touched) sectors.erase(lines.line[i] * 4 + s);
      }
    }
    REQUIRE(sectors.empty());
  }
}
