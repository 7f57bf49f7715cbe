// Asynchronous copies through the L1 ask for their lines as loads do.
#include <algorithm>
#include <optional>

#include "model/card/card.hpp"
#include "sim/memory_system.hpp"
#include "tests/catch.hpp"

namespace {

using namespace warpmem;

// Runs an access of a warp that starts in cycle 1,000 on a GPU of its own.
sim::Place run(sim::Action action, const trace::Record& record, bool timed) {
  const auto card = model::load_card("h200");
  REQUIRE(card.ok());
  sim::MemorySystem memory(*card);
  std::optional<model::MemoryPath> path;
  if (timed) memory.take(&path.emplace(card->path()));
  memory.begin_launch({}, 0, 8192, 0, true);
  sim::SitePlan plan;
  plan.action = action;
  plan.bytes = 4;
  sim::Place place;
  place.now = place.tags = 1000;
  memory.run(record, plan, nullptr, place);
  return place;
}

}  // namespace

TEST_CASE("an asynchronous copy of one line, or of several, takes as long as a load of them") {
  for (const bool timed : {false, true})
    for (const std::int32_t stride : {4, 64, 512}) {
      const trace::Record record{0x7f2000000000, stride, ~0u, 0, trace::Record::kRegular};
      const sim::Place load = run(sim::Action::kGlobalLoad, record, timed);
      const sim::Place copy = run(sim::Action::kAsyncRead, record, timed);
      CAPTURE(timed);
      CAPTURE(stride);
      CHECK(copy.done == load.done);
      CHECK(copy.missed == load.missed);
      CHECK(copy.async_wavefronts == static_cast<std::uint32_t>(std::min(stride * 32 / 128, 32)));
      CHECK(load.done > 1200);
      CHECK(load.done < 4000);
    }
}
