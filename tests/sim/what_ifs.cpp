// Structural what-ifs on any card: for each key a counter that moves as the rule says, worked out
// by hand; what cannot be built is refused, with the nearest that can.
#include "model/card/memory_system_of.hpp"
#include "sim/replay.hpp"
#include "tests/catch.hpp"
#include "tests/sim/reference_traces.hpp"

namespace warpmem::sim {
namespace {

using model::Action;
using model::LaunchCounters;
using Settings = std::vector<model::CardSetting>;

model::Card h200(const Settings& settings) {
  auto card = model::load_card("h200");
  REQUIRE(card);
  if (!settings.empty())
    if (const auto ok = card->set(settings); !ok) FAIL(ok.error().text());
  return *card;
}

std::string refused(const Settings& settings) {
  auto card = model::load_card("h200");
  REQUIRE(card);
  const auto ok = card->set(settings);
  REQUIRE_FALSE(ok);
  CHECK(ok.error().kind == ErrorKind::kUsage);
  CHECK_FALSE(ok.error().fix.empty());
  return ok.error().text();
}

bool says(const std::string& text, const std::string& piece) {
  UNSCOPED_INFO(text);
  return text.find(piece) != std::string::npos;
}

// One SM of an H200 with some numbers changed, with all of the L1 for data but 8 KiB.
struct Gpu {
  explicit Gpu(const Settings& settings, bool general = false) : card(h200(settings)) {
    memory = model::memory_system_of(card, false, general);
    model::LaunchMemory launch;
    launch.shared_config = card.numbers().shared_configs.front();
    memory->begin_launch(launch);
  }
  // A load of one word, or what else.
  Gpu& access(std::uint64_t address, Action action = Action::kGlobalLoad, std::int32_t stride = 0,
              std::uint32_t bytes = 4, std::uint32_t mask = 1) {
    model::AccessPlan plan;
    plan.action = action;
    plan.bytes = bytes;
    model::AccessTiming t;
    t.sm = sm;
    t.now = t.tags = clock;
    memory->run({mask, stride, address, nullptr}, plan, t);
    clock = std::max(t.done, t.stored) + 10000;  // nothing is under way any more
    return *this;
  }
  LaunchCounters counted() const { return memory->counted(); }

  model::Card card;
  std::unique_ptr<model::MemorySystem> memory;
  std::uint64_t clock = 0;
  int sm = 0;
};

// How many of the loads hit.
std::uint64_t hits(const Settings& settings, std::initializer_list<std::uint64_t> addresses) {
  Gpu g(settings);
  for (const std::uint64_t a : addresses) g.access(a);
  return g.counted().global_ld.hits;
}

constexpr std::uint64_t kLine = 128;

}  // namespace

TEST_CASE("l1.line: half a line further is another tag of 64 bytes") {
  const auto tags = [](const Settings& s) {
    Gpu g(s);
    g.access(0, Action::kGlobalLoad, 4, 4, ~0u);
    return g.counted().tag_requests;
  };
  CHECK(tags({}) == 1);
  CHECK(tags({{"l1.line", "64"}, {"l2.index", "low_bits"}}) == 2);
  CHECK(says(refused({{"l1.line", "96"}, {"l2.index", "low_bits"}}), "give 64 or 128"));
}

TEST_CASE("l1.sector: a miss brings 32, 64 or 128 bytes, which later loads find") {
  const auto fill = [](const char* bytes) {
    Gpu g(Settings{{"l1.sector", bytes}});
    g.access(0).access(32).access(96);
    return std::pair{g.counted().l1_fill_sectors, g.counted().global_ld.hits};
  };
  CHECK(fill("32") == std::pair<std::uint64_t, std::uint64_t>{3, 0});
  CHECK(fill("64") == std::pair<std::uint64_t, std::uint64_t>{4, 1});
  CHECK(fill("128") == std::pair<std::uint64_t, std::uint64_t>{4, 2});
  CHECK(says(refused({{"l1.sector", "48"}}), "give 32, 64 or 128"));
}

TEST_CASE("l1.ways, l1.sets and l1.index: lines a set apart push each other out") {
  // 256 KiB of lines of 128 bytes: 2,048; 4 ways: 512 sets, 2 ways: 1,024.
  const std::uint64_t apart = 512 * kLine;
  const Settings four = {{"l1.index", "low_bits"}};
  CHECK(hits(four, {0, apart, 2 * apart, 3 * apart, 0}) == 1);
  CHECK(hits({{"l1.index", "low_bits"}, {"l1.replacement", "lru"}},
             {0, apart, 2 * apart, 3 * apart, 4 * apart, 0}) == 0);
  const Settings two = {{"l1.index", "low_bits"}, {"l1.ways", "2"}, {"l1.replacement", "lru"}};
  CHECK(hits(two, {0, 2 * apart, 4 * apart, 0}) == 0);
  CHECK(hits(two, {0, apart, 3 * apart, 0}) == 1);
  // As many sets as 2 ways make, said the other way round.
  const Settings sets = {{"l1.index", "low_bits"}, {"l1.sets", "1024"}, {"l1.replacement", "lru"}};
  CHECK(hits(sets, {0, 2 * apart, 4 * apart, 0}) == 0);
  CHECK(h200(sets).numbers().l1_ways == 2);
  CHECK(says(refused({{"l1.sets", "1024"}, {"l1.ways", "2"}}), "two keys for one thing"));
  CHECK(says(refused({{"l1.sets", "1000"}}), "give 512 or 1,024"));
  CHECK(says(refused({{"l1.ways", "3"}}), "power of two"));
}

TEST_CASE("l1.index: with low_bits a line's bank of tags is its number modulo four") {
  for (const bool general : {false, true}) {
    INFO((general ? "as the card says" : "fast"));
    const auto passes = [general](const Settings& s, std::int32_t lines_apart) {
      Gpu g(s, general);
      g.access(0, Action::kGlobalLoad, lines_apart * static_cast<std::int32_t>(kLine), 4, ~0u);
      return g.counted().tag_wavefronts_ld;
    };
    const Settings low = {{"l1.index", "low_bits"}};
    CHECK(passes(low, 1) == 8);
    CHECK(passes(low, 2) == 16);
    CHECK(passes(low, 3) == 8);
    CHECK(passes(low, 4) == 32);
    // The measured index spreads them.
    CHECK(passes({}, 1) == 8);
    CHECK(passes({}, 4) < 16);
  }
}

TEST_CASE("l1.replacement: after a hit on the first of four lines, who goes for a fifth") {
  const std::uint64_t a = 512 * kLine;
  const auto kept = [a](const char* policy, std::uint64_t line) {
    Gpu g({{"l1.index", "low_bits"}, {"l1.replacement", policy}});
    for (const std::uint64_t n : {0, 1, 2, 3, 0, 4}) g.access(n * a);
    const std::uint64_t before = g.counted().global_ld.hits;
    g.access(line * a);
    return g.counted().global_ld.hits - before;
  };
  CHECK(kept("lru", 0) == 1);
  CHECK(kept("lru", 1) == 0);
  CHECK(kept("fifo", 0) == 0);
  CHECK(kept("fifo", 1) == 1);
  CHECK(kept("tree_plru", 1) == 1);
  CHECK(kept("tree_plru", 2) == 0);
  CHECK(kept("not_most_recent", 4) == 1);
  CHECK(kept("not_most_recent", 0) == 1);
  CHECK(says(refused({{"l1.replacement", "mru"}}), "choose one of"));
}

TEST_CASE("l1.misses: fewer entries for misses make the time of one miss a line longer") {
  const auto cycles = [](const char* gpu, const char* misses) {
    auto card = model::load_card(gpu);
    REQUIRE(card);
    if (const auto ok = card->set(Settings{{"l1.misses", misses}}); !ok) FAIL(ok.error().text());
    const auto reader =
        trace::TraceReader::open(std::string(WARPMEM_REFERENCE) + "/offset_load_0.wmt");
    REQUIRE(reader);
    ReplayOptions options;
    options.time = true;
    const auto result = replay(*reader, *card, options);
    if (!result) FAIL(result.error().text());
    return result->details.at(0).time->cycles;
  };
  for (const char* gpu : {"h200", "v100", "p100", "c2050"}) {
    INFO(gpu);
    const std::uint64_t any = cycles(gpu, "0");
    std::uint64_t before = any;
    CHECK(cycles(gpu, "1024") == any);
    for (const char* misses : {"64", "16", "4", "1"}) {
      INFO(misses);
      const std::uint64_t now = cycles(gpu, misses);
      CHECK(now >= before);
      before = now;
    }
    CHECK(before > any * 2);
  }
}

TEST_CASE("l1.write and l1.allocate: what a store leaves for a load") {
  const auto after_store = [](const Settings& s, bool loaded_before) {
    Gpu g(s);
    if (loaded_before) g.access(0, Action::kGlobalLoad, 4, 4, 0xff);
    const std::uint64_t before = g.counted().global_ld.hits;
    g.access(0, Action::kGlobalStore, 4, 4, 0xff);
    g.access(0, Action::kGlobalLoad, 4, 4, 0xff);
    return g.counted().global_ld.hits - before;
  };
  CHECK(after_store({}, false) == 1);
  CHECK(after_store({{"l1.allocate", "loads"}}, false) == 0);
  CHECK(after_store({{"l1.allocate", "loads"}}, true) == 1);
  CHECK(after_store({{"l1.write", "evict"}}, true) == 0);
}

TEST_CASE("l1.cache: loads, local memory, both or nothing") {
  const auto count = [](const char* what) {
    Gpu g(Settings{{"l1.cache", what}});
    g.access(0).access(0);
    g.access(0, Action::kLocalLoad).access(0, Action::kLocalLoad);
    const LaunchCounters c = g.counted();
    return std::pair{c.global_ld.hits, c.local_ld.hits};
  };
  using Two = std::pair<std::uint64_t, std::uint64_t>;
  CHECK(count("on") == Two{1, 1});
  CHECK(count("loads") == Two{1, 0});
  CHECK(count("local") == Two{0, 1});
  CHECK(count("off") == Two{0, 0});
}

TEST_CASE("shared.banks, shared.bank_bytes and shared.rule: passes of a stride") {
  const auto passes = [](const Settings& s, std::int32_t stride, std::uint32_t bytes) {
    Gpu g(s);
    g.access(0, Action::kShared, stride, bytes, ~0u);
    return g.counted().shared_wavefronts;
  };
  CHECK(passes({}, 8, 4) == 2);
  CHECK(passes({{"shared.banks", "16"}}, 4, 4) == 2);
  CHECK(passes({{"shared.bank_bytes", "8"}}, 8, 8) == 1);
  CHECK(passes({{"shared.rule", "wide_banks"}}, 8, 4) == 1);
  CHECK(passes({{"shared.rule", "one_broadcast"}, {"shared.banks", "16"}}, 8, 4) == 4);
  CHECK(says(refused({{"shared.banks", "24"}}), "give 8, 16, 32 or 64"));
  CHECK(says(refused({{"shared.bank_bytes", "6"}}), "give 4 or 8"));
}

TEST_CASE("l2.partitions: of what is read from four of them three quarters cross, of one nothing") {
  const auto crossing = [](const char* partitions) {
    Gpu g({{"l2.partitions", partitions}, {"l2.index", "low_bits"}, {"l2.size", "64MiB"}});
    for (std::uint64_t n = 0; n < 4096; ++n) g.access(n * 4096 * 3);
    const LaunchCounters c = g.counted();
    CHECK(c.l2.read == 4096);
    return static_cast<double>(c.l2.fabric_read) / static_cast<double>(c.l2.dram_read);
  };
  CHECK(crossing("1") == 0);
  CHECK(crossing("2") == Approx(0.5).margin(0.05));
  CHECK(crossing("4") == Approx(0.75).margin(0.05));
  CHECK(says(refused({{"l2.partitions", "3"}}), "give 2 or 4"));
  CHECK(says(refused({{"l2.partitions", "2"}, {"l2.sides", "2"}}), "two keys for one thing"));
}

TEST_CASE("l2.ways, l2.replacement and l2.index: lines of one set") {
  // One side of 1 MiB, 16 ways: 512 sets.
  const auto l2_hits = [](Settings more, std::uint64_t lines, std::uint64_t again) {
    Settings s = {{"l2.sides", "1"},
                  {"l2.size", "1MiB"},
                  {"l2.index", "low_bits"},
                  {"launch.dirty_sectors", "0"},
                  {"l1.cache", "off"}};
    s.insert(s.end(), more.begin(), more.end());
    Gpu g(s);
    for (std::uint64_t n = 0; n < lines; ++n) g.access(n * 512 * kLine);
    const std::uint64_t before = g.counted().l2.read_hit;
    g.access(again * 512 * kLine);
    return g.counted().l2.read_hit - before;
  };
  CHECK(l2_hits({}, 16, 0) == 1);
  CHECK(l2_hits({}, 17, 0) == 0);
  // Half the ways make twice the sets: every other line is in the same one.
  const Settings eight = {{"l2.ways", "8"}, {"l2.dirty_ways", "8"}};
  CHECK(l2_hits(eight, 16, 0) == 1);
  CHECK(l2_hits(eight, 17, 0) == 0);
  CHECK(l2_hits({{"l2.ways", "32"}, {"l2.dirty_ways", "7"}}, 32, 0) == 1);
  // FIFO and LRU differ where the first line is used again.
  const auto first = [](const char* policy) {
    Gpu g({{"l2.sides", "1"},
           {"l2.size", "1MiB"},
           {"l2.index", "low_bits"},
           {"launch.dirty_sectors", "0"},
           {"l1.cache", "off"},
           {"l2.replacement", policy}});
    for (std::uint64_t n = 0; n < 16; ++n) g.access(n * 512 * kLine);
    g.access(0).access(16 * 512 * kLine);
    const std::uint64_t before = g.counted().l2.read_hit;
    g.access(0);
    return g.counted().l2.read_hit - before;
  };
  CHECK(first("lru") == 1);
  CHECK(first("fifo") == 0);
  CHECK(says(refused({{"l2.ways", "65"}}), "give a whole number from 1 to 64"));
}

TEST_CASE("sm.count: one key, from 1 SM to more than the card has; lists of SMs follow") {
  for (const char* count : {"1", "2", "30", "66", "131", "144", "264"}) {
    INFO(count);
    const model::Card card = h200({{"sm.count", count}});
    const auto n = static_cast<std::size_t>(std::stoul(count));
    CHECK(card.numbers().sm_gpc.size() == n);
    CHECK(card.numbers().cta_order.size() == n);
    std::uint64_t turns = 0;
    for (const std::uint64_t t : card.numbers().cta_turns) turns += t;
    CHECK(turns == n);
    // Half of a copy's CTAs on as many SMs take as many accesses.
    const auto paths = reference_traces(9000);
    const auto reader = trace::TraceReader::open(paths.front());
    REQUIRE(reader);
    const auto few = replay(*reader, card, {});
    const auto all = replay(*reader, h200({}), {});
    REQUIRE(few);
    REQUIRE(all);
    CHECK(few->details[0].counters.global_ld.sectors == all->details[0].counters.global_ld.sectors);
  }
  CHECK(says(refused({{"sm.count", "0"}}), "sm.count"));
}

TEST_CASE("access.rule: an H200 that cuts its accesses as a GPU before it did") {
  // A load from byte 4 on: five sectors; 32 transactions; three segments; two lines; four requests
  // of two sectors.
  const auto load = [](const char* rule, Settings s = {}) {
    s.push_back({"access.rule", rule});
    Gpu g(s);
    g.access(4, Action::kGlobalLoad, 4, 4, ~0u);
    return g.counted();
  };
  CHECK(load("sectors").global_ld.sectors == 5);
  CHECK(load("half_warp_strict", {{"l1.cache", "off"}}).early.gld_incoherent == 32);
  CHECK(load("half_warp_segments", {{"l1.cache", "off"}}).early.gld_moved_bytes == 224);
  CHECK(load("lines_or_segments", {{"l1.sector", "128"}}).early.l1_gld_miss == 2);
  CHECK(load("sub_requests", {{"l1.cache", "off"}}).early.gld_moved_bytes == 160);
  CHECK(says(refused({{"access.rule", "segments"}}), "choose one of"));
}

TEST_CASE("a number that the card's rules do not use is refused") {
  CHECK(says(refused({{"l1.local_write", "back"}}), "the card does not use 'l1.local_write'"));
}

}  // namespace warpmem::sim
