// One process that replays for an hour: no memory is lost on the way. Nightly (./check --nightly
// soak).
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "sim/replay.hpp"
#include "tests/sim/reference_traces.hpp"
#include "tests/sim/support.hpp"
#include "traces/format/reader.hpp"

using namespace warpmem;

namespace {

// What this process has in memory, in KiB.
std::uint64_t resident() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0, pages = 0;
  REQUIRE((statm >> size >> pages));
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

// Each trace on a card of each kind of memory system, by both engines; how many of these a card can
// run.
std::size_t replay_all(const std::vector<std::string>& traces,
                       const std::vector<model::Card>& cards) {
  std::size_t ran = 0;
  for (const std::string& path : traces) {
    const auto reader = trace::TraceReader::open(path);
    REQUIRE(reader.ok());
    for (const model::Card& card : cards)
      for (const bool time : {false, true}) {
        sim::ReplayOptions how;
        how.time = time;
        ran += sim::replay(*reader, card, how).ok();
      }
  }
  return ran;
}

}  // namespace

TEST_CASE("an hour of replays does not grow", "[.soak]") {
  const char* const said = std::getenv("WARPMEM_SOAK_SECONDS");
  const std::chrono::seconds length(said ? std::atoi(said) : 3600);
  const auto traces = sim::reference_traces(40'000);
  REQUIRE(traces.size() > 10);
  std::vector<model::Card> cards;
  for (const char* name : {"h200", "v100", "k40", "gtx280"})
    cards.push_back(model::load_card(name).value());
  const auto start = std::chrono::steady_clock::now();
  const std::size_t ran = replay_all(traces, cards);
  const std::uint64_t first = resident();
  std::uint64_t rounds = 1, most = first;
  while (std::chrono::steady_clock::now() - start < length) {
    REQUIRE(replay_all(traces, cards) == ran);
    most = std::max(most, resident());
    ++rounds;
  }
  REQUIRE(rounds > 1);
  WARN(rounds << " rounds of " << ran << " replays, " << first << " KiB after the first, " << most
              << " KiB at most");
  CHECK(most < first + first / 20);
}
