// On a made-up GPU (cards/made_up.toml) the counts engine counts what its twin counts, and the time
// engine ends, with counters that hang on addresses alone equal.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/metric_rows.hpp"
#include "tests/catch.hpp"
#include "tests/twin/compare.hpp"

namespace warpmem::twin {
namespace {

model::Card made_up() {
  std::ifstream file(WARPMEM_MADE_UP);
  std::stringstream text;
  text << file.rdbuf();
  auto card = model::Card::parse(text.str(), "made_up");
  REQUIRE(card);
  return *card;
}

// Traces of real kernels, of at most so many records, or of more.
std::vector<std::string> traces(std::uint64_t most, bool longer) {
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(WARPMEM_REFERENCE) + "/h200")) {
    if (entry.path().extension() != ".wmt") continue;
    const auto reader = trace::TraceReader::open(entry.path().string());
    if (reader && (reader->quality().records > most) == longer)
      out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void compare_counts(bool longer) {
  const model::Card card = made_up();
  const std::vector<std::string> all = traces(60000, longer);
  REQUIRE(!all.empty());
  for (const std::string& path : all) {
    INFO(path);
    const auto reader = trace::TraceReader::open(path);
    REQUIRE(reader);
    CHECK(differences(*reader, card) == "");
  }
}

void compare_times(bool longer) {
  const model::Card card = made_up();
  for (const std::string& path : traces(15000, longer)) {
    INFO(path);
    const auto reader = trace::TraceReader::open(path);
    REQUIRE(reader);
    const auto counts = sim::replay(*reader, card, {});
    sim::ReplayOptions options;
    options.time = true;
    const auto time = sim::replay(*reader, card, options);
    REQUIRE(counts);
    REQUIRE(time);
    for (std::size_t i = 0; i < counts->details.size(); ++i) {
      const model::LaunchCounters &a = counts->details[i].counters, &b = time->details[i].counters;
      CHECK(time->details[i].time->cycles > 0);
      CHECK(b.records == a.records);
      CHECK(b.global_ld.requests == a.global_ld.requests);
      CHECK(b.global_ld.sectors == a.global_ld.sectors);
      CHECK(b.global_st.sectors == a.global_st.sectors);
      CHECK(b.global_atom.sectors == a.global_atom.sectors);
      CHECK(b.global_red.sectors == a.global_red.sectors);
      CHECK(b.local_ld.sectors == a.local_ld.sectors);
      CHECK(b.local_st.sectors == a.local_st.sectors);
      CHECK(b.tag_requests == a.tag_requests);
      CHECK(b.theoretical_global == a.theoretical_global);
      CHECK(b.shared_wavefronts == a.shared_wavefronts);
      CHECK(b.texture.sectors == a.texture.sectors);
    }
  }
}

}  // namespace

TEST_CASE("On a made-up GPU the engine counts what its twin counts") { compare_counts(false); }
TEST_CASE("On a made-up GPU the engine counts what its twin counts: long traces", "[.slow]") {
  compare_counts(true);
}
TEST_CASE("On a made-up GPU the time engine ends, and counts what addresses say") {
  compare_times(false);
}
TEST_CASE("On a made-up GPU the time engine ends: long traces", "[.slow]") { compare_times(true); }

}  // namespace warpmem::twin
