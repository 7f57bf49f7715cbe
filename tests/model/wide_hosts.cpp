// What is worked out for a warp's lines side by side is the same on every host: with wide vectors,
// without, and for one line after the other.
#include "base/wide_hosts.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "model/access/line_words.hpp"
#include "model/cache/l1_cache.hpp"
#include "model/cache/tag_banks.hpp"
#include "model/fast/word_banks.hpp"
#include "model/l2/l2_cache.hpp"
#include "tests/catch.hpp"
#include "tests/model/example_specs.hpp"

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
  const model::L1CacheSpec spec = model::example_l1();
  model::L1Cache l1(spec), plain(spec), alone(spec);
  for (int round = 0; round < 3000; ++round) {
    LineList lines;
    fill(lines, random, 1 + static_cast<int>(random() % LineList::kMost));
    model::L1Cache::SetTags set_tags, others;
    l1.set_tags(lines, set_tags);
    const PlainHost host;
    plain.set_tags(lines, others);
    for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i) {
      const model::L1Cache::SetTag one = alone.set_tag(lines.line[i]);
      REQUIRE((set_tags.set[i] == one.set && set_tags.tag[i] == one.tag));
      REQUIRE((others.set[i] == one.set && others.tag[i] == one.tag));
    }
  }
}

TEST_CASE("the L2 says of lines side by side what it says of each") {
  std::mt19937_64 random(6);
  model::L2Cache::Spec spec = model::example_l2();
  spec.side.index = GENERATE(model::SetRule::kMixedRows, model::SetRule::kLowBits);
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
    REQUIRE(lines.set_tag.known == others.set_tag.known);
    for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i) {
      const model::L2Cache::Route one = alone.route(lines.line[i]);
      const std::uint32_t draw = model::Latencies::draw_of(lines.line[i]);
      for (const model::L2Cache::Routed* list : {&lines, &others}) {
        REQUIRE(list->set_tag.set[i] == one.set_tag.set);
        REQUIRE(list->set_tag.tag[i] == one.set_tag.tag);
        REQUIRE(list->set_tag.short_tag[i] == one.set_tag.short_tag);
        REQUIRE(list->home[i] == one.home);
        REQUIRE(list->entry[i] == one.entry);
        REQUIRE(list->near[i] == latencies.near(draw));
        REQUIRE(list->dram[i] == latencies.dram(draw));
      }
    }
  }
}

TEST_CASE("a fully divergent warp is listed alike on every host") {
  std::mt19937_64 random(7);
  const model::LineSize size(GENERATE(32u, 64u, 128u));
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
    model::touch_addresses(address.data(), 32, 4, false, lines, size);
    const PlainHost host;
    model::touch_addresses(address.data(), 32, 4, false, others, size);
    std::set<std::uint64_t> sectors;
    for (const std::uint64_t a : address) sectors.insert(a / 32);
    REQUIRE(lines.count == others.count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i) {
      REQUIRE(lines.line[i] == others.line[i]);
      REQUIRE(lines.sectors[i] == others.sectors[i]);
      for (unsigned s = 0; s < size.sectors(); ++s) {
        const bool touched = lines.sectors[i] >> s & 1;
        const std::uint64_t sector = lines.line[i] * size.sectors() + s;
        REQUIRE(touched == (sectors.count(sector) == 1));
        if (touched) sectors.erase(sector);
      }
    }
    REQUIRE(sectors.empty());
  }
}

TEST_CASE("the words that a warp wants of a bank are counted alike on every host") {
  std::mt19937_64 random(10);
  for (int round = 0; round < 4000; ++round) {
    // Up to all lanes in one bank, of either half of the banks.
    const std::uint64_t span = std::array<std::uint64_t, 4>{1, 3, 40, 1u << 26}[random() % 4];
    const std::uint64_t step = std::array<std::uint64_t, 3>{4, 128, 64}[random() % 3];
    const std::uint64_t base = 0x7f2000000000 + random() % 64 * 4;
    std::array<std::uint64_t, 32> address;
    std::array<std::uint32_t, 32> wanted{};
    for (std::uint64_t& a : address) {
      a = base + random() % span * step + random() % 4;
      ++wanted[a / 4 % 32];
    }
    const std::uint32_t most = *std::max_element(wanted.begin(), wanted.end());
    REQUIRE(model::wanted_of_a_bank(address.data()) == most);
    const PlainHost host;
    REQUIRE(model::wanted_of_a_bank(address.data()) == most);
  }
}

namespace {

// Different lines, near one another, and sectors of each.
void fill_apart(model::LineList& lines, std::mt19937_64& random, std::uint64_t span) {
  std::set<std::uint64_t> seen;
  const auto count = static_cast<int>(random() % 4 == 0 ? 1 + random() % LineList::kMost : 32);
  for (lines.count = 0; lines.count < count;) {
    const std::uint64_t line = 0xfe400000 + random() % span;
    if (!seen.insert(line).second) continue;
    const auto at = static_cast<std::size_t>(lines.count++);
    lines.line[at] = line;
    lines.sectors[at] = static_cast<std::uint8_t>(1 + random() % 15);
  }
}

// Most of a list, or all of it.
model::LineParts parts_of(const LineList& lines, std::mt19937_64& random) {
  model::LineParts parts;
  const bool all = random() % 3 != 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i) {
    if (!all && random() % 4 == 0) continue;
    parts.index[parts.count] = static_cast<std::uint8_t>(i);
    parts.sectors[parts.count++] = lines.sectors[i];
  }
  return parts;
}

}  // namespace

TEST_CASE("the L2 reads lines side by side as one after the other") {
  std::mt19937_64 random(8);
  model::L2Cache::Spec spec = model::example_l2();
  spec.side.bytes = 2 << 20;  // 1,024 sets
  spec.home_mask = 0x3a5b6c7d8e9f000;
  spec.read_cycles = 9;
  spec.read_entries = 20;
  for (int i = 0; i < 8; ++i) {
    spec.sm_side.push_back(static_cast<std::uint8_t>(i % 2));
    spec.sm_group.push_back(static_cast<std::uint8_t>(i / 4));
  }
  model::L2Cache wide(spec), plain(spec);
  std::uint64_t now = 0;
  for (int round = 0; round < 20000; ++round) {
    // All sets a few times over, a few of them, or lines of which most are there.
    const std::uint64_t span = std::array<std::uint64_t, 3>{100000, 600, 20000}[random() % 3];
    const auto sm = static_cast<int>(random() % 8);
    now += random() % 300;
    model::L2Cache::Routed lines;
    fill_apart(lines, random, span);
    if (random() % 4 == 0) {  // some is dirty, some in part
      for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i) {
        const auto full = static_cast<std::uint8_t>(lines.sectors[i] & random());
        const std::uint32_t bytes[4] = {15, 240, 15, 0xf0000};
        wide.write(sm, lines.line[i], lines.sectors[i], full, bytes);
        plain.write(sm, lines.line[i], lines.sectors[i], full, bytes);
      }
      continue;
    }
    const model::LineParts parts = parts_of(lines, random);
    if (parts.count == 0) continue;
    const auto fetch = std::array{0u, 2u, 4u}[random() % 3];
    std::array<std::uint64_t, LineList::kMost> done{}, others{};
    wide.route(lines);
    wide.read(sm, lines, nullptr, parts, now, fetch, done.data());
    const PlainHost host;
    plain.route(lines);
    plain.read(sm, lines, nullptr, parts, now, fetch, others.data());
    for (std::size_t k = 0; k < parts.count; ++k)
      REQUIRE(done[parts.index[k]] == others[parts.index[k]]);
    const model::L2Counters &a = wide.counters(), &b = plain.counters();
    REQUIRE((a.read == b.read && a.read_hit == b.read_hit && a.merged == b.merged));
    REQUIRE((a.read_requests == b.read_requests && a.refill_writes == b.refill_writes));
    REQUIRE((a.fabric_read == b.fabric_read && a.fabric_read_hit == b.fabric_read_hit));
    REQUIRE((a.dram_read == b.dram_read && a.dram_write == b.dram_write));
  }
  REQUIRE(wide.counters().read_hit > 0);
  REQUIRE(wide.counters().dram_write > 0);
  REQUIRE(wide.dirty_sectors() == plain.dirty_sectors());
}

TEST_CASE("an L1 loads lines side by side as one after the other") {
  std::mt19937_64 random(9);
  model::L1Cache wide(model::example_l1()), plain(model::example_l1());
  std::uint64_t now = 0, strangers = 0;
  for (int round = 0; round < 20000; ++round) {
    LineList lines;
    fill_apart(lines, random, random() % 4 == 0 ? 3000 : 1000000);
    model::L1Cache::SetTags set_tags, other_set_tags;
    model::L1Cache::Misses missed, others;
    std::array<std::uint64_t, LineList::kMost> done;
    for (std::uint64_t& d : done) d = now + random() % 1000;
    // Far enough that arrivals do not fit into 32 bits for long.
    now += random() % 500 == 0 ? std::uint64_t{1} << 31 : random() % 300;
    const bool allocate = random() % 8 != 0;
    wide.set_tags(lines, set_tags);
    wide.load(lines, set_tags, {}, allocate, missed);
    const std::uint64_t all = wide.arrive(missed, done.data(), now);
    strangers += missed.count == static_cast<std::size_t>(lines.count);
    const PlainHost host;
    plain.set_tags(lines, other_set_tags);
    plain.load(lines, other_set_tags, {}, allocate, others);
    // Each by itself, as arrive() says.
    std::uint64_t each = now;
    for (std::size_t k = 0; k < others.count; ++k) {
      each = std::max({each, others.before[k], done[others.index[k]]});
      plain.arrives(others.entry[k], each);
    }
    REQUIRE((missed.count == others.count && missed.hit == others.hit && all == each));
    for (std::size_t k = 0; k < missed.count; ++k) {
      REQUIRE((missed.index[k] == others.index[k] && missed.sectors[k] == others.sectors[k]));
      REQUIRE(missed.before[k] == others.before[k]);
      REQUIRE(*missed.entry[k] == *others.entry[k]);
    }
  }
  REQUIRE(strangers > 5000);
  REQUIRE(strangers < 19000);
}

TEST_CASE("lines in the fullest bank are counted alike on every host") {
  std::mt19937_64 random(10);
  for (int round = 0; round < 2000; ++round) {
    LineList lines;
    fill_apart(lines, random, 1000000);
    std::array<std::uint32_t, LineList::kMost> set;
    for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i)
      set[i] = model::l1_set(lines.line[i]);
    REQUIRE(model::tag_passes_of_sets(set.data(), static_cast<std::size_t>(lines.count)) ==
            model::tag_passes(lines));
  }
}
