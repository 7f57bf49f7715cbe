// Everything that a launch moves is charged to a line and to an array: the sums are the launch's
// counters.
#include <numeric>

#include "model/card/card.hpp"
#include "sim/explain/explain.hpp"
#include "sim/replay.hpp"
#include "tests/catch.hpp"
#include "tests/sim/reference_traces.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {
namespace {

template <class Of>
std::uint64_t sum(const std::vector<SiteTraffic>& sites, Of&& of) {
  std::uint64_t all = 0;
  for (const SiteTraffic& t : sites) all += of(t);
  return all;
}

void check_sums(const LaunchExplanation& e, const model::LaunchCounters& c) {
  const auto in = [&](const char* space, std::uint64_t SiteTraffic::*what) {
    return sum(e.sites, [&](const SiteTraffic& t) { return t.space == space ? t.*what : 0; });
  };
  const bool copies =
      std::ranges::any_of(e.sites, [](const SiteTraffic& t) { return t.op.starts_with("bulk"); });
  const std::uint64_t global =
      c.global_ld.sectors + c.global_st.sectors + c.global_atom.sectors + c.global_red.sectors;
  // The copy engine's sectors pass by the L1, whose counters do not have them.
  if (copies) CHECK(in("global", &SiteTraffic::sectors) >= global);
  else CHECK(in("global", &SiteTraffic::sectors) == global);
  CHECK(in("local", &SiteTraffic::sectors) == c.local_ld.sectors + c.local_st.sectors);
  CHECK(in("texture", &SiteTraffic::sectors) == c.texture.sectors);
  CHECK(in("surface", &SiteTraffic::sectors) == c.surface_ld.sectors + c.surface_st.sectors);
  const auto all = [&](auto of) { return sum(e.sites, of); };
  CHECK(all([](const SiteTraffic& t) { return t.wavefronts; }) == c.shared_wavefronts);
  CHECK(all([](const SiteTraffic& t) { return t.l1_hits; }) ==
        c.global_ld.hits + c.global_st.hits + c.local_ld.hits + c.local_st.hits + c.texture.hits +
            c.surface_ld.hits);
  const std::uint64_t arrays =
      std::accumulate(e.arrays.begin(), e.arrays.end(), std::uint64_t{0},
                      [](std::uint64_t n, const ArrayTraffic& a) { return n + a.sectors; });
  CHECK(arrays == all([](const SiteTraffic& t) { return t.sectors; }));
  for (const SiteTraffic& t : e.sites) {
    CHECK(t.ideal_sectors <= t.sectors);
    CHECK(t.ideal_wavefronts <= t.wavefronts);
  }
}

}  // namespace

TEST_CASE("lines and arrays of a launch add up to its counters") {
  for (const char* gpu : {"h200", "k40", "gtx280"}) {
    const auto card = model::load_card(gpu);
    REQUIRE(card);
    for (const std::string& path : reference_traces(20000)) {
      INFO(gpu << " " << path);
      const auto reader = trace::TraceReader::open(path);
      REQUIRE(reader);
      const auto replayed = replay(*reader, *card);
      if (!replayed) continue;  // the GPU cannot run it
      for (std::uint32_t i = 0; i < reader->launches().size(); ++i) {
        ExplainOptions options;
        options.time = options.gains = false;
        const auto explained = explain(*reader, i, *card, options);
        REQUIRE(explained);
        check_sums(*explained, replayed->details[i].counters);
      }
    }
  }
}

}  // namespace warpmem::sim
