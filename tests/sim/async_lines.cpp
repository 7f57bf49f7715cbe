// Asynchronous copies through the L1 ask for their lines as loads do.
#include <algorithm>

#include "model/card/card.hpp"
#include "model/card/memory_system_of.hpp"
#include "tests/catch.hpp"

namespace {

using namespace warpmem;

// Runs an access of a warp that starts in cycle 1,000 on a GPU of its own.
model::AccessTiming run(model::Action action, const model::WarpLanes& lanes, bool timed) {
  const auto card = model::load_card("h200");
  REQUIRE(card.ok());
  const auto memory = model::memory_system_of(*card, timed);
  model::LaunchMemory launch;
  launch.shared_config = 8192;
  memory->begin_launch(launch);
  model::AccessPlan plan;
  plan.action = action;
  plan.bytes = 4;
  model::AccessTiming timing;
  timing.now = timing.tags = 1000;
  memory->run(lanes, plan, timing);
  return timing;
}

}  // namespace

TEST_CASE("an asynchronous copy of one line, or of several, takes as long as a load of them") {
  for (const bool timed : {false, true})
    for (const std::int32_t stride : {4, 64, 512}) {
      const model::WarpLanes record{~0u, stride, 0x7f2000000000, nullptr};
      const model::AccessTiming load = run(model::Action::kGlobalLoad, record, timed);
      const model::AccessTiming copy = run(model::Action::kAsyncRead, record, timed);
      CAPTURE(timed);
      CAPTURE(stride);
      CHECK(copy.done == load.done);
      CHECK(copy.missed == load.missed);
      CHECK(copy.async_wavefronts == static_cast<std::uint32_t>(std::min(stride * 32 / 128, 32)));
      CHECK(load.done > 1200);
      CHECK(load.done < 4000);
    }
}
