// The general memory system and the fast one count the same, and take the same time, on traces of
// real kernels and on cards that both can take.
#include "sim/metric_rows.hpp"
#include "sim/replay.hpp"
#include "tests/catch.hpp"
#include "tests/sim/reference_traces.hpp"

namespace warpmem::sim {
namespace {

// At least so many traces.
void compare(bool time, std::uint64_t most_records, std::size_t least,
             const std::vector<model::CardSetting>& settings = {}) {
  auto card = model::load_card("h200");
  REQUIRE(card);
  if (!settings.empty()) REQUIRE(card->set(settings));
  std::size_t compared = 0;
  for (const std::string& path : reference_traces(most_records)) {
    INFO(path);
    const auto reader = trace::TraceReader::open(path);
    REQUIRE(reader);
    ReplayOptions options;
    options.time = time;
    const auto fast = replay(*reader, *card, options);
    options.general_memory = true;
    const auto general = replay(*reader, *card, options);
    REQUIRE(fast);
    REQUIRE(general);
    for (std::size_t i = 0; i < fast->details.size(); ++i) {
      const ReplayedLaunch &a = fast->details[i], &b = general->details[i];
      for (const MetricRow& row : metric_rows()) {
        INFO(a.metrics.kernel << " " << row.name);
        CHECK(row.value(b.counters) == row.value(a.counters));
      }
      if (time) CHECK(b.time->cycles == a.time->cycles);
    }
    ++compared;
  }
  CHECK(compared >= least);
}

}  // namespace

TEST_CASE("the general memory system counts what the fast one counts") {
  compare(false, 40000, 21);
}
TEST_CASE("the general memory system takes the cycles that the fast one takes") {
  compare(true, 20000, 21);
}
TEST_CASE("lines and sectors of other sizes count and take the same in both memory systems") {
  for (const std::vector<model::CardSetting>& settings :
       std::vector<std::vector<model::CardSetting>>{
           {{"l1.line", "64"}, {"l2.index", "low_bits"}},
           {{"l1.line", "64"}, {"l1.sector", "64"}, {"l2.index", "low_bits"}},
           {{"l1.sector", "64"}},
           {{"l1.sector", "128"}}}) {
    compare(false, 10000, 7, settings);
    compare(true, 4000, 7, settings);
  }
}

}  // namespace warpmem::sim
