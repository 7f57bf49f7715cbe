// What a listener hears of a memory system adds up to what that counts.
#include <map>

#include "model/card/memory_system_of.hpp"
#include "model/system/observed_memory.hpp"
#include "sim/replay.hpp"
#include "tests/catch.hpp"
#include "tests/sim/reference_traces.hpp"

namespace warpmem::sim {
namespace {

using model::Event;
using model::EventKind;
using model::Level;

// Events by kind and level.
class Sums final : public model::EventListener {
 public:
  void begin(const model::AccessContext&) override { ++begun; }
  void event(const Event& e) override { of[{e.kind, e.level}] += e.n; }
  void end(const model::AccessContext&, const model::LaunchCounters& counted,
           const model::AccessTiming&) override {
    all = all + counted;
    --begun;
  }
  std::uint64_t get(EventKind kind, Level level) const {
    const auto at = of.find({kind, level});
    return at == of.end() ? 0 : at->second;
  }
  std::map<std::pair<EventKind, Level>, std::uint64_t> of;
  model::LaunchCounters all;
  int begun = 0;
};

}  // namespace

TEST_CASE("what static instructions count adds up to what the launch counts") {
  const auto card = model::load_card("h200");
  REQUIRE(card);
  for (const bool time : {false, true})
    for (const std::string& path : reference_traces(time ? 20000 : 100000)) {
      INFO(path);
      const auto reader = trace::TraceReader::open(path);
      REQUIRE(reader);
      ReplayOptions options;
      options.time = time;
      const auto plain = replay(*reader, *card, options);
      options.by_site = true;
      const auto observed = replay(*reader, *card, options);
      REQUIRE(plain);
      REQUIRE(observed);
      for (std::size_t i = 0; i < plain->details.size(); ++i) {
        const ReplayedLaunch& launch = observed->details[i];
        CHECK(launch.counters == plain->details[i].counters);
        model::LaunchCounters sum = launch.beside;
        for (const auto& site : launch.by_site) sum = sum + site;
        CHECK(sum == launch.counters);
        // What no instruction did is the launch's own, and records that are no accesses.
        CHECK(launch.beside.global_ld.sectors == 0);
        CHECK(launch.beside.shared_wavefronts == 0);
        CHECK(launch.beside.l1_fill_sectors == 0);
        CHECK(launch.beside.l2.read == 0);
        CHECK(launch.beside.l2.write == 0);
      }
    }
}

TEST_CASE("events of the general memory system add up to its counters") {
  const bool timed = GENERATE(false, true);
  auto card = model::load_card("h200");
  REQUIRE(card);
  // So small that lines have to make room.
  const model::CardSetting small[] = {{"l2.size", "4MiB"}, {"launch.dirty_sectors", "512"}};
  REQUIRE(card->set(small));
  const auto memory = model::memory_system_of(*card, timed, true);
  Sums sums;
  model::ObservedMemory observed(*memory, sums);
  model::LaunchMemory launch;
  launch.flush_l2 = true;
  observed.begin_launch(launch);
  const model::LaunchCounters before = observed.counted();
  model::AccessPlan load, store, atomic, shared;
  load.action = model::Action::kGlobalLoad;
  store.action = model::Action::kGlobalStore;
  atomic.action = model::Action::kGlobalAtomic;
  shared.action = model::Action::kShared;
  load.bytes = store.bytes = atomic.bytes = shared.bytes = 4;
  std::uint64_t cycle = 0;
  for (std::uint64_t i = 0; i < 3000; ++i)
    for (const model::AccessPlan* plan : {&load, &store, &atomic, &shared}) {
      const std::uint64_t base =
          plan == &shared ? 0 : 0x7f0000000000 + i * 4096 * (plan == &store ? 3 : 1);
      model::AccessTiming timing;
      timing.sm = static_cast<int>(i % 5);
      timing.now = timing.tags = cycle += 3;
      observed.run({~0u, static_cast<std::int32_t>(4 * (i % 9)), base, nullptr}, *plan, timing);
    }
  CHECK(sums.begun == 0);
  const model::LaunchCounters c = observed.counted() - before;
  CHECK(sums.all == c);
  CHECK(sums.get(EventKind::kLookup, Level::kL1) == c.global_ld.sectors);
  CHECK(sums.get(EventKind::kHit, Level::kL1) == c.global_ld.hits);
  CHECK(sums.get(EventKind::kMiss, Level::kL1) == c.global_ld.sectors - c.global_ld.hits);
  CHECK(sums.get(EventKind::kRequest, Level::kL1) == c.tag_requests);
  CHECK(sums.get(EventKind::kWrite, Level::kL1) == c.global_st.sectors);
  CHECK(sums.get(EventKind::kLookup, Level::kL2) == c.l2.read);
  CHECK(sums.get(EventKind::kHit, Level::kL2) == c.l2.read_hit);
  CHECK(sums.get(EventKind::kWrite, Level::kL2) == c.l2.write);
  CHECK(sums.get(EventKind::kAtomic, Level::kL2) == c.l2.atomic + c.l2.reduction);
  CHECK(sums.get(EventKind::kMerge, Level::kL2) == c.l2.merged);
  CHECK(sums.get(EventKind::kRequest, Level::kL2) == c.l2.read_requests + c.l2.write_requests);
  CHECK(sums.get(EventKind::kFill, Level::kL2) == c.l2.dram_read);
  CHECK(sums.get(EventKind::kWriteBack, Level::kL2) == c.l2.dram_write);
  CHECK(sums.get(EventKind::kCross, Level::kL2) ==
        c.l2.fabric_read + c.l2.fabric_write + c.l2.fabric_atomic);
  CHECK(sums.get(EventKind::kBankPass, Level::kShared) > 0);
  CHECK(c.l2.dram_write > 0);
  // A row holds several sectors: there are fewer rows than sectors, and none where no time is kept.
  const std::uint64_t rows = sums.get(EventKind::kRow, Level::kDram);
  CHECK(rows == (timed ? memory->path()->rows_opened() : 0));
  CHECK((rows > 0) == timed);
  CHECK(rows <= c.l2.dram_read + c.l2.dram_write);
}

}  // namespace warpmem::sim
