// The caches of textures of a GTX 280, which Wong et al. (ISPASS 2010) measured: one of 5 KiB for
// the SMs of a TPC, one of 256 KiB in the partitions of memory; a fetch takes 261, 371 and 499
// cycles, from memory the last.
#include "model/card/memory_system_of.hpp"
#include "sim/engine/sites.hpp"
#include "tests/catch.hpp"

namespace warpmem::sim {
namespace {

constexpr std::uint64_t kA = 0x100000;

struct Textures {
  explicit Textures(bool timed, std::vector<model::CardSetting> settings = {})
      : card(model::load_card("gtx280").value()) {
    if (!settings.empty()) REQUIRE(card.set(settings).ok());
    memory = model::memory_system_of(card, timed);
    model::LaunchMemory launch;
    launch.shared_config = card.numbers().shared_configs.back();
    memory->begin_launch(launch);
  }
  // Cycles that one lane's word takes, by its number, when all that came before is done.
  std::uint64_t fetch(int sm, std::uint64_t at) {
    model::TextureAccess access;
    access.mask = access.has[0] = 1;
    access.texels = 1;
    access.address[0][0] = at;
    access.linear = true;
    model::AccessPlan plan;
    plan.action = model::Action::kTexture;
    plan.bytes = 4;
    model::AccessTiming t;
    t.now = t.tags = clock;
    t.sm = sm;
    memory->texture(access, plan, t);
    const std::uint64_t taken = t.done - clock;
    clock = t.done + 100;
    return taken;
  }
  std::uint64_t from_dram() const { return memory->counted().l2.dram_read; }

  model::Card card;
  std::unique_ptr<model::MemorySystem> memory;
  std::uint64_t clock = 0;
};

}  // namespace

TEST_CASE("a GTX 280's fetch takes 261 cycles in its TPC, 371 in the partition, 499 in memory") {
  for (const bool timed : {false, true}) {
    INFO("timed: " << timed);
    Textures g(timed);
    CHECK(g.fetch(0, kA) == Approx(499).epsilon(0.02));
    CHECK(g.fetch(0, kA) == Approx(261).epsilon(0.01));
    CHECK(g.fetch(2, kA) == Approx(261).epsilon(0.01));  // the same TPC
    CHECK(g.fetch(3, kA) == Approx(371).epsilon(0.02));  // the next one
    CHECK(g.fetch(3, kA) == Approx(261).epsilon(0.01));
    CHECK(g.from_dram() == 1);
  }
}

TEST_CASE("a GTX 280 keeps 256 KiB of textures in its partitions, and no more") {
  const auto twice = [](std::uint64_t bytes, std::vector<model::CardSetting> settings = {}) {
    Textures g(false, std::move(settings));
    for (int round = 0; round < 2; ++round)
      for (std::uint64_t at = 0; at < bytes; at += 32) g.fetch(3 * round, kA + at);
    return g.from_dram();
  };
  constexpr std::uint64_t kKept = 256 << 10;
  CHECK(twice(kKept) == kKept / 32);
  CHECK(twice(2 * kKept) == 2 * 2 * kKept / 32);
  // A GPU without it reads all from memory again.
  CHECK(twice(kKept, {{"texture.second_size", "0"}}) == 2 * kKept / 32);
}

TEST_CASE("SMs that share no cache of textures find each other's fetches in the partition") {
  Textures g(false, {{"texture.sms", "1"}});
  g.fetch(0, kA);
  CHECK(g.fetch(2, kA) == Approx(371).epsilon(0.02));
}

}  // namespace warpmem::sim
