// The counts engine counts what its slow, obvious twin counts, on random launches.
//
// A failure names the seed: launch k of a file is that of seed first + k (random_launch.hpp).
#include <unistd.h>

#include <filesystem>

#include "tests/catch.hpp"
#include "tests/twin/compare.hpp"
#include "tests/twin/random_traces.hpp"

namespace warpmem::twin {
namespace {

constexpr std::uint64_t kInFile = 100;

// An H200 with an L2 so small that random lines meet, and with other settings.
Result<model::Card> card_with(const std::vector<model::CardSetting>& settings) {
  auto card = model::load_card("h200");
  if (!card) return card;
  std::vector<model::CardSetting> all = {{"l2.size", "4MiB"}, {"launch.dirty_sectors", "512"}};
  all.insert(all.end(), settings.begin(), settings.end());
  if (auto ok = card->set(all); !ok) return ok.error();
  return card;
}

// What differs on launches of these seeds; `options`: of the engine.
std::string differences_of(std::uint64_t first, std::uint64_t launches, const model::Card& card,
                           const sim::ReplayOptions& options = {}) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("warpmem-twin-" + std::to_string(::getpid()) + ".wmt")).string();
  if (auto ok = write_random_trace(path, first, launches); !ok) return ok.error().text();
  const auto reader = trace::TraceReader::open(path);
  const std::string out = reader ? differences(*reader, card, options) : reader.error().text();
  std::filesystem::remove(path);
  return out;
}

void compare(std::uint64_t first, std::uint64_t launches, const std::vector<model::CardSetting>& settings,
             const sim::ReplayOptions& options = {}) {
  const auto card = card_with(settings);
  REQUIRE(card);
  for (std::uint64_t done = 0; done < launches; done += kInFile) {
    INFO("seeds from " << first + done << "; launch k is that of seed " << first + done << " + k");
    CHECK(differences_of(first + done, kInFile, *card, options) == "");
  }
}

TEST_CASE("On random launches the engine counts what its twin counts") { compare(1, 6000, {}); }

TEST_CASE("On random launches that keep the L2 the engine counts what its twin counts") {
  sim::ReplayOptions keep;
  keep.keep_caches = true;
  compare(10001, 1000, {}, keep);
}

TEST_CASE("On other caches the engine counts what its twin counts") {
  compare(20001, 1000, {{"l1.size", "512KiB"}});
  compare(30001, 1000, {{"l2.ways", "8"}, {"l2.dirty_ways", "3"}, {"l2.partial_ways", "1"}});
  compare(40001, 1000, {{"lrc.merge", "1"}, {"l1.read_cycles", "0"}});
}

}  // namespace
}  // namespace warpmem::twin
