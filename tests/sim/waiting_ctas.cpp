// Which CTA of a launch starts next, and where.
#include "sim/engine/waiting_ctas.hpp"

#include "sim/engine/occupancy.hpp"
#include "tests/catch.hpp"
#include "tests/sim/support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

// Of so many CTAs of one warp, in clusters of so many.
trace::TraceReader launch(const TemporaryFolder& folder, std::uint32_t ctas,
                          std::uint32_t cluster) {
  Kernel k = kernel(ctas, 32);
  k.launch.cluster = {cluster, 1, 1};
  const auto load = k.site(Op::kLoad, Space::kGlobal, 4);
  k.fill = [=](Warp& w) { w.records = {regular(load, 0x1000, 4)}; };
  write_trace(folder.file("t.wmt"), {k});
  return open(folder.file("t.wmt"));
}

}  // namespace

TEST_CASE("CTAs that come alone start by number, on as many SMs as there is room") {
  const TemporaryFolder folder;
  const auto reader = launch(folder, 300, 1);
  const model::Card card = h200();
  sim::Occupancy room;
  room.ctas = 2;
  room.warps_per_cta = 1;
  sim::WaitingCtas waiting(reader, 0, card, room);
  REQUIRE(waiting.read(nullptr));
  CHECK_FALSE(waiting.in_clusters());
  CHECK(waiting.all().size() == 300);
  const auto first = waiting.first();
  CHECK(first.sms.size() == 2 * card.numbers().sm_count);
  CHECK(first.starts.cycle.size() == first.sms.size());
  for (std::uint64_t cta = 0; cta < 300; ++cta) CHECK(waiting.take() == cta);
  CHECK(waiting.empty());
}

TEST_CASE("a cluster starts when a GPC has room for all of it, and waits until then") {
  const TemporaryFolder folder;
  const auto reader = launch(folder, 800, 8);
  const model::Card card = h200();
  sim::Occupancy room;
  room.ctas = 1;
  room.warps_per_cta = 1;
  sim::WaitingCtas waiting(reader, 0, card, room);
  REQUIRE(waiting.read(nullptr));
  CHECK(waiting.in_clusters());
  std::vector<int> last;
  std::uint64_t started = 0;
  while (true) {
    const std::vector<int>& sms = waiting.next_cluster();
    if (sms.empty()) break;
    REQUIRE(sms.size() == 8);
    for (int k = 0; k < 8; ++k) CHECK(waiting.take() == started++);
    last = sms;
  }
  CHECK(started > 0);
  CHECK_FALSE(waiting.empty());
  CHECK(waiting.next_cluster().empty());
  for (const int sm : last) waiting.free(sm);
  CHECK(waiting.next_cluster().size() == 8);
}
