// The L1 data cache against what an H200 keeps and loses: scripts of a few accesses, sequential
// fills beyond capacity, capacity at each carve-out, cyclic re-reading.
#include "model/cache/l1_cache.hpp"

#include <bit>
#include <random>
#include <set>

#include "model/cache/spec.hpp"
#include "model/card/card.hpp"
#include "model/card/spec_of.hpp"
#include "tests/catch.hpp"
#include "tests/model/example_specs.hpp"
#include "tests/model/hardware_rows.hpp"
#include "tests/model/reference/aged_l1.hpp"

using namespace warpmem;
using model::L1Cache;

namespace {

constexpr std::uint64_t kBase = 0x7f4a20000000 / 128;     // an address as cudaMalloc gives them
constexpr std::uint64_t kLocal = std::uint64_t{1} << 41;  // as local memory's
constexpr std::uint8_t kAll = 15;
constexpr std::uint32_t kBytes[4] = {~0u, ~0u, ~0u, ~0u};
constexpr std::uint32_t kHalf[4] = {0xffff, 0xffff, 0xffff, 0xffff};

// The line's four sectors as a warp of the script kernel touches them, step by step.
struct Script {
  L1Cache l1{model::example_l1()};
  std::uint64_t load_hits = 0, store_hits = 0, fills = 0;

  void step(const std::string& what) {
    if (what == "load" || what == "nc") load(kAll, true);
    else if (what == "loadother") load(1, true);
    else if (what == "noalloc") load(kAll, false);
    else if (what == "cg" || what == "cv" || what == "volatile" || what == "relaxed")
      fills += 4;  // past the L1
    else if (what == "store" || what == "storewt") store(kAll, kAll, kBytes);
    else if (what == "storehalf") store(kAll, 0, kHalf);
    else if (what == "storeother") store(1, 1, kBytes);
    else if (what == "atomic") fills += 4, l1.drop(kBase, kAll);
    else if (what == "red") l1.drop(kBase, kAll);
    else if (what == "fence") l1.invalidate();
    else REQUIRE((what == "wait" || what == "prefetchL1" || what == "prefetchL2"));
  }
  void load(std::uint8_t sectors, bool allocate) {
    const auto missing = static_cast<unsigned>(std::popcount(l1.load(kBase, sectors, allocate)));
    fills += missing;
    load_hits += static_cast<unsigned>(std::popcount(sectors)) - missing;
  }
  void store(std::uint8_t sectors, std::uint8_t full, const std::uint32_t* bytes) {
    if (l1.store(kBase, sectors, full, bytes))
      store_hits += static_cast<unsigned>(std::popcount(sectors));
  }
};

bool holds(L1Cache& l1, std::uint64_t line) { return l1.load(line, 1, false) == 0; }

struct Survivors {
  std::uint64_t alive = 0;
  std::int64_t youngest_lost = -1;
};

// Loads lines 0 … n-1 in order, `repeat` times, then asks which are there.
Survivors fill_and_probe(std::uint64_t n, std::uint64_t repeat) {
  L1Cache l1{model::example_l1()};
  for (std::uint64_t r = 0; r < repeat; ++r)
    for (std::uint64_t i = 0; i < n; ++i) l1.load(kBase + i, 1);
  Survivors s;
  for (std::uint64_t i = 0; i < n; ++i) {
    if (holds(l1, kBase + i)) ++s.alive;
    else s.youngest_lost = static_cast<std::int64_t>(i);
  }
  return s;
}

std::uint64_t cyclic_hits(std::uint32_t capacity, std::uint64_t lines) {
  L1Cache l1{model::example_l1(capacity)};
  std::uint64_t hits = 0;
  for (int pass = 0; pass < 3; ++pass) {
    hits = 0;
    for (std::uint64_t i = 0; i < lines; ++i) hits += l1.load(kBase + i, 1) == 0;
  }
  return hits;
}

// The configuration that the driver picked for each preferred carve-out, as the capacities show.
std::uint64_t config_of(std::uint64_t percent) {
  const std::uint64_t kib = percent <= 14   ? 32
                            : percent <= 28 ? 64
                            : percent <= 44 ? 132
                            : percent <= 70 ? 164
                                            : 228;
  return kib * 1024;
}

}  // namespace

TEST_CASE("scripts of loads, stores, atomics and fences hit and fill as on an H200") {
  int scripts = 0;
  for (const auto& row : testing::hardware_rows("l1_policy.csv")) {
    if (!row.starts("script,")) continue;
    ++scripts;
    Script s;
    for (const std::string& step : testing::split(row.label.substr(7), ' ')) s.step(step);
    INFO(row.label);
    CHECK(s.load_hits == row.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"));
    CHECK(s.store_hits == row.at("l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum"));
    CHECK(s.fills == row.at("l1tex__m_xbar2l1tex_read_sectors.sum"));
  }
  CHECK(scripts == 36);
}

TEST_CASE("sequential fills leave as many lines as in an H200, and lose only old ones") {
  int cases = 0;
  for (const std::string& text : testing::hardware_lines("l1_sets.csv")) {
    const auto part = testing::split(text, ',');
    if (part[0] != "survivors") continue;
    ++cases;
    const std::uint64_t n = std::stoull(part[1]), repeat = std::stoull(part[2]);
    std::uint64_t alive = 0;
    std::int64_t youngest_lost = -1;
    for (std::uint64_t i = 0; i < n; ++i) {
      const bool there = std::stoi(part[3].substr(i / 4, 1), nullptr, 16) >> i % 4 & 1;
      if (there) ++alive;
      else youngest_lost = static_cast<std::int64_t>(i);
    }
    const Survivors s = fill_and_probe(n, repeat);
    INFO(n << " lines, " << repeat << " times: " << s.alive << " alive, measured " << alive
           << "; youngest lost " << s.youngest_lost << ", measured " << youngest_lost);
    // The hardware takes a load of more than 150 cycles as a miss, and its count falls by up to 90
    // lines in long runs where the model keeps every place in use.
    CHECK(s.alive <= 1736);
    CHECK(s.alive == Approx(static_cast<double>(alive)).epsilon(0.06));
    // The oldest of a set's three or four lines goes, of which 512 came between one and the next.
    // After several passes a line's number no longer says its age.
    if (repeat > 1 || youngest_lost < 0) continue;
    CHECK(static_cast<std::int64_t>(n) - youngest_lost > 1040);
    CHECK(static_cast<std::int64_t>(n) - s.youngest_lost > 1024);
  }
  CHECK(cases == 33);
}

TEST_CASE("the four lines that push one out are of its set") {
  std::size_t seen = 0;
  for (const std::string& text : testing::hardware_lines("l1_hash.csv")) {
    const auto part = testing::split(text, ',');
    if (part[0] != "evict") continue;
    ++seen;
    INFO(text);
    for (std::size_t i = 3; i < part.size(); ++i)
      CHECK(model::l1_set(std::stoull(part[i])) == model::l1_set(std::stoull(part[2])));
  }
  CHECK(seen == 719);
  // Lines in a row take all sets by turns.
  std::set<std::uint32_t> sets;
  for (std::uint64_t line = 0; line < model::kL1Sets; ++line)
    sets.insert(model::l1_set(kBase + line));
  CHECK(sets.size() == model::kL1Sets);
}

// Hits of the fourth pass over the lines.
static std::uint64_t fourth_pass(const std::vector<std::uint64_t>& lines) {
  L1Cache l1{model::example_l1()};
  std::uint64_t hits = 0;
  for (int pass = 0; pass < 4; ++pass) {
    hits = 0;
    for (const std::uint64_t line : lines) hits += l1.load(line, 1) == 0;
  }
  return hits;
}

TEST_CASE("random lines hit as often as on an H200 when they are read cyclically") {
  std::size_t equal = 0, seen = 0;
  for (const std::string& text : testing::hardware_lines("l1_hash.csv")) {
    const auto part = testing::split(text, ',');
    if (part[0] != "random") continue;
    ++seen;
    std::uint64_t state =
        88172645463325252ull + std::stoull(part[1]);  // as kernels/micro/l1_hash.cu draws them
    std::vector<std::uint64_t> lines(std::stoull(part[3]));
    for (std::uint64_t& line : lines) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      line = static_cast<std::uint32_t>(state >> 20) & std::stoull(part[2]);
    }
    const std::uint64_t measured = std::stoull(part[4]), hits = fourth_pass(lines);
    equal += hits == measured;
    INFO(text << ": " << hits << " hits");
    // The program's own line takes a way too; beyond 1,024 lines room is short now and then.
    CHECK(static_cast<double>(hits) == Approx(static_cast<double>(measured)).epsilon(0.02));
  }
  CHECK(seen == 48);
  CHECK(equal >= 28);
}

TEST_CASE("pieces a power of two apart hit as often as on an H200 when they are read cyclically") {
  for (const std::string& text : testing::hardware_lines("l1_hash.csv")) {
    const auto part = testing::split(text, ',');
    if (part[0] != "grid") continue;
    const std::uint64_t outer = std::stoull(part[1]), step = std::stoull(part[2]) / 128,
                        inner = std::stoull(part[3]);
    std::vector<std::uint64_t> lines;
    for (std::uint64_t o = 0; o < outer; ++o)
      for (std::uint64_t i = 0; i < inner; ++i) lines.push_back(o * step + i);
    const std::uint64_t hits = fourth_pass(lines);
    INFO(text << ": " << hits << " hits");
    // One set's four lines go when the program's own line is in it. With nearly all ways of a set
    // taken everywhere (1,536 lines), an H200 loses up to a fifth more.
    CHECK(hits >= std::stoull(part[4]));
    CHECK(hits - std::stoull(part[4]) <= (lines.size() > 1024 ? lines.size() / 5 : 4));
  }
}

TEST_CASE("a line that is read again and again is never lost") {
  for (std::uint64_t touch : {0u, 5u, 100u}) {
    L1Cache l1{model::example_l1()};
    for (std::uint64_t i = 0; i < 4096; ++i) {
      l1.load(kBase + i, 1);
      if (i > touch) l1.load(kBase + touch, 1);
    }
    CHECK(holds(l1, kBase + touch));
  }
}

TEST_CASE("one line more than fits takes the place of one old line") {
  L1Cache l1{model::example_l1()};
  for (std::uint64_t i = 0; i < 1736; ++i) l1.load(kBase + i, 1);
  for (std::uint64_t i = 0; i < 1736; ++i) CHECK(holds(l1, kBase + i));
  l1.load(kBase + 1736, 1);
  std::vector<std::uint64_t> lost;
  for (std::uint64_t i = 0; i <= 1736; ++i)
    if (!holds(l1, kBase + i)) lost.push_back(i);
  REQUIRE(lost.size() == 1);
  CHECK(lost[0] < 1736 - 2 * 434);
}

TEST_CASE("the capacity of every carve-out is what the card says") {
  const auto card = model::load_card("h200");
  REQUIRE(card);
  std::map<std::uint64_t, std::uint64_t> full;  // by percent: most KiB without a loss
  for (const std::string& text : testing::hardware_lines("l1_sets.csv")) {
    const auto part = testing::split(text, ',');
    if (part[0] != "capacity") continue;
    const std::uint64_t kib = std::stoull(part[2]), hits = std::stoull(part[3]);
    // At 28 KiB and less a few loads are slow for other reasons: 127 of 128, 153 of 160 hit.
    if (hits >= kib * 8 - kib * 8 / 20) full[std::stoull(part[1])] = kib;
  }
  REQUIRE(full.size() == 10);
  for (const auto& [percent, kib] : full) {
    INFO("carve-out " << percent << " %");
    // Read in steps of 4 KiB or more; to the line in l1_room.cpp.
    CHECK(model::spec_of<model::L1Spec>(*card).lines(config_of(percent)) >= kib * 8);
    CHECK(model::spec_of<model::L1Spec>(*card).lines(config_of(percent)) < (kib + 4) * 8);
  }
}

// The worst difference in the last pass's hits, as a share of the lines, where between `from` and
// `to` lines more are read than fit, in L1s of at least `capacity_from` lines.
static double worst_cyclic(std::int64_t from, std::int64_t to, std::uint32_t capacity_from) {
  const auto card = model::load_card("h200");
  REQUIRE(card);
  double worst = 0;
  for (const std::string& text : testing::hardware_lines("l1_sets.csv")) {
    const auto part = testing::split(text, ',');
    if (part[0] != "capacity") continue;
    const std::uint64_t percent = std::stoull(part[1]), lines = std::stoull(part[2]) * 8;
    const std::uint32_t capacity = model::spec_of<model::L1Spec>(*card).lines(config_of(percent));
    const std::int64_t more = static_cast<std::int64_t>(lines) - capacity;
    if (capacity < capacity_from || more < from || more > to) continue;
    const std::uint64_t hits = cyclic_hits(capacity, lines), measured = std::stoull(part[3]);
    const double off =
        (static_cast<double>(hits) - static_cast<double>(measured)) / static_cast<double>(lines);
    UNSCOPED_INFO("carve-out " << percent << " %, " << lines << " lines: " << hits
                               << " hits, measured " << measured);
    worst = std::max(worst, std::abs(off));
  }
  return worst;
}

TEST_CASE("cyclic re-reading of what fits always hits") {
  // One line in forty or fewer misses in the smallest L1 of the hardware, for reasons not known.
  CHECK(worst_cyclic(-2000, 0, 1) < 0.05);
  CHECK(worst_cyclic(-2000, 0, 600) == 0);
}

TEST_CASE("cyclic re-reading of more than fits hits about as often as on an H200") {
  // Where the hand stands when a launch begins is not known; the fewer the lines, the more it says.
  CHECK(worst_cyclic(1, 2000, 1000) < 0.06);
  CHECK(worst_cyclic(1, 2000, 1) < 0.11);
}

TEST_CASE(
    "whatever is done to it, an L1 never holds more than its lines nor what was never there") {
  std::mt19937_64 random(5);
  for (std::uint32_t lines : {4u, 20u, 160u, 1736u}) {
    L1Cache l1{model::example_l1(lines, std::bit_ceil(lines))};
    std::set<std::uint64_t> seen;
    const std::uint64_t range = lines * 3;
    for (int i = 0; i < 40000; ++i) {
      const std::uint64_t line = kBase + random() % range;
      const auto sectors = static_cast<std::uint8_t>(1 + random() % 15);
      switch (random() % 8) {
        case 0: l1.store(line, sectors, sectors, kBytes), seen.insert(line); break;
        case 1: l1.store(line, sectors, 0, kHalf), seen.insert(line); break;
        case 2: l1.drop(line, sectors); break;
        case 3: {
          const std::uint8_t missing = l1.load(line, sectors, false);
          CHECK((missing & ~sectors) == 0);
          if (!seen.count(line)) CHECK(missing == sectors);
          break;
        }
        default:
          CHECK((l1.load(line, sectors) & ~sectors) == 0);
          CHECK(l1.load(line, sectors) == 0);  // what was just brought is there
          seen.insert(line);
      }
    }
    std::uint32_t held = 0;
    for (std::uint64_t i = 0; i < range; ++i) held += l1.load(kBase + i, 15, false) != 15;
    CHECK(held <= lines);
    l1.invalidate();
    for (std::uint64_t i = 0; i < range; ++i) CHECK(l1.load(kBase + i, 15, false) == 15);
  }
}

TEST_CASE("a sector can be read once all of its words were stored") {
  L1Cache l1{model::example_l1()};
  constexpr std::uint32_t kOtherHalf[4] = {0xffff0000, 0xffff0000, 0xffff0000, 0xffff0000};
  constexpr std::uint32_t kNoWord[4] = {0x77777777, 0, 0, 0}, kTheirRest[4] = {0x88888888, 0, 0, 0};
  l1.store(kBase, 1, 0, kNoWord);
  l1.store(kBase, 1, 0, kTheirRest);
  CHECK(l1.load(kBase, 1, false) == 1);
  l1.drop(kBase, 1);
  l1.invalidate();
  CHECK_FALSE(l1.store(kBase, 1, 0, kHalf));
  CHECK(l1.load(kBase, 1, false) == 1);
  CHECK(l1.store(kBase, 1, 0, kOtherHalf));
  CHECK(l1.load(kBase, 1, false) == 0);
  l1.drop(kBase, 1);
  CHECK(l1.load(kBase, 1, false) == 1);
  CHECK(l1.store(kBase, 1, 0, kOtherHalf));  // the half from before the drop counts no more
  CHECK(l1.load(kBase, 1, false) == 1);
}

TEST_CASE("an L1 says when a line arrives, however many cycles have passed") {
  constexpr std::uint64_t kLater = std::uint64_t{1} << 33;
  L1Cache l1{model::example_l1()};
  const L1Cache::SetTag first = l1.set_tag(kBase), second = l1.set_tag(kBase + 1);
  l1.arrives(l1.load(kBase, first, 1, {}, true).entry, 100);
  CHECK(l1.load(kBase, first, 1, {}, true).arrival == 100);
  const L1Cache::Loaded late = l1.load(kBase + 1, second, 1, {}, true);
  l1.arrives(late.entry, kLater);
  l1.arrives(late.entry, kLater - 5);  // the later of the two counts
  CHECK(l1.load(kBase + 1, second, 1, {}, true).arrival == kLater);
  const L1Cache::Loaded early = l1.load(kBase, first, 1, {}, true);
  CHECK(early.missing == 0);
  CHECK(early.arrival < kLater - (std::uint64_t{1} << 30));  // long ago
  l1.arrives(early.entry, 200);
  CHECK(l1.load(kBase, first, 1, {}, true).arrival == early.arrival);
  l1.arrives(early.entry, kLater + 7);
  CHECK(l1.load(kBase, first, 1, {}, true).arrival == kLater + 7);
}

// All bytes of these sectors, and some of each.
static model::LineTouch whole(std::uint64_t line, std::uint8_t sectors) {
  model::LineTouch t{line, sectors, sectors, {}};
  for (unsigned s = 0; s < 4; ++s) t.bytes[s] = sectors >> s & 1 ? ~0u : 0;
  return t;
}
static model::LineTouch part(std::uint64_t line, std::uint8_t sectors, std::mt19937_64& random) {
  model::LineTouch t{line, sectors, 0, {}};
  for (unsigned s = 0; s < 4; ++s) {
    if (!(sectors >> s & 1)) continue;
    // Words, and now and then a byte of one.
    for (unsigned w = 0; w < 8; ++w)
      if (random() % 3 == 0) t.bytes[s] |= (random() % 8 == 0 ? 1u : 15u) << 4 * w;
    if (t.bytes[s] == 0) t.bytes[s] = 15;
    if (t.bytes[s] == ~0u) t.full = static_cast<std::uint8_t>(t.full | 1u << s);
  }
  return t;
}

TEST_CASE("an L1 equals its slow twin's for long random strings") {
  std::mt19937_64 random(23);
  for (int round = 0; round < 80; ++round) {
    const auto up_to = [&](std::uint64_t most) {
      return static_cast<std::uint32_t>(1 + random() % most);
    };
    L1Cache::Spec spec = model::example_l1(up_to(400), 4u << random() % 6);
    if (round % 2) spec.ways = up_to(32);
    if (random() % 2) spec.replacement = model::Replacement::kLru;
    if (random() % 4 == 0) spec.index = model::SetRule::kLowBits;
    L1Cache fast(spec);
    reference::AgedL1 slow(spec);
    // Lines of a dense range, of a column of a matrix, or of anywhere.
    const std::uint64_t range = up_to(4 * spec.lines), step = std::uint64_t{1} << random() % 24;
    for (int i = 0; i < 6000; ++i) {
      const std::uint64_t line = (random() % 4 ? kBase : kLocal) + random() % range * step;
      const auto sectors = static_cast<std::uint8_t>(random() % 15 + 1);
      switch (random() % 8) {
        case 0: fast.drop(line, sectors), slow.drop(line, sectors); break;
        case 1:
        case 2: {
          const model::LineTouch t =
              random() % 2 ? whole(line, sectors) : part(line, sectors, random);
          REQUIRE(fast.store(line, sectors, t.full, t.bytes.data()) ==
                  slow.store(line, sectors, t.bytes.data()));
          break;
        }
        default: {
          const model::LineTouch t =
              random() % 2 ? whole(line, sectors) : part(line, sectors, random);
          const auto words = [&t](std::uint64_t) { return model::touched_words(t); };
          const bool allocate = random() % 4 != 0;
          REQUIRE(fast.load(line, sectors, allocate, model::AskedWords(words)) ==
                  slow.load(line, sectors, t.bytes, allocate));
        }
      }
      if (random() % 1500 == 0) {
        const std::uint64_t kept = random() % 2 ? kLocal : ~std::uint64_t{0};
        fast.invalidate(kept), slow.invalidate(kept);
      }
    }
  }
}

TEST_CASE("lines loaded together come to the same as one after the other") {
  std::mt19937_64 random(31);
  const auto lru = [](std::uint32_t lines, std::uint32_t sets, std::uint32_t ways) {
    return L1Cache::Spec{lines, sets, ways, model::SetRule::kXorMatrix, model::Replacement::kLru};
  };
  for (const L1Cache::Spec& spec :
       {model::example_l1(), model::example_l1(100, 32), model::example_l1(3000, 1024),
        lru(900, 128, 8), lru(1000, 512, 5), lru(1000, 32, 32)}) {
    L1Cache together(spec), alone(spec);
    for (int round = 0; round < 4000; ++round) {
      const bool allocate = random() % 8 != 0;
      model::LineList lines;
      // Near one another, or so far apart that upper bits of the address differ too.
      const unsigned up = random() % 4 == 0 ? 36 : 11;
      for (; lines.count < 32; ++lines.count) {
        const auto at = static_cast<std::size_t>(lines.count);
        lines.line[at] = kBase + (random() % 32 << up) + random() % 64 * 32 + at;
        lines.sectors[at] = static_cast<std::uint8_t>(1 + random() % 15);
      }
      L1Cache::SetTags set_tags;
      together.set_tags(lines, set_tags);
      for (std::size_t i = 0; i < 32 && round % 3 == 0; ++i) {
        const model::LineTouch t = part(lines.line[i], lines.sectors[i], random);
        REQUIRE(together.store(t.line, t.sectors, t.full, t.bytes.data()) ==
                alone.store(t.line, t.sectors, t.full, t.bytes.data()));
      }
      const std::uint64_t draw = random();
      const auto some = [draw](std::uint64_t line) {
        return static_cast<std::uint32_t>((draw ^ line) * 0x9e3779b97f4a7c15 >> 32) | 0x01010101u;
      };
      const model::AskedWords words(some);
      L1Cache::Misses missed;
      together.load(lines, set_tags, words, allocate, missed);
      std::size_t k = 0;
      std::uint64_t hit = 0;
      for (std::size_t i = 0; i < 32; ++i) {
        REQUIRE(set_tags[i].set == alone.set_tag(lines.line[i]).set);
        const L1Cache::Loaded one =
            alone.load(lines.line[i], set_tags[i], lines.sectors[i], words, allocate);
        if (!one.missing) {
          hit = std::max(hit, one.arrival);
          continue;
        }
        REQUIRE(k < missed.count);
        REQUIRE(missed.index[k] == i);
        REQUIRE(missed.sectors[k] == one.missing);
        REQUIRE(missed.before[k] == hit);
        alone.arrives(one.entry, static_cast<std::uint64_t>(round));
        ++k;
      }
      REQUIRE(k == missed.count);
      REQUIRE(missed.hit == hit);
      for (; k > 0; --k) together.arrives(missed.entry[k - 1], static_cast<std::uint64_t>(round));
    }
  }
}
