// Where the CTAs are: runs against the plain list of segments.
#include "traces/format/cta_index.hpp"

#include <map>

#include "tests/catch.hpp"
#include "tests/traces/support.hpp"

using namespace warpmem::trace;

namespace {

void check_against_list(const std::vector<std::vector<Segment>>& blocks) {
  std::vector<CtaRun> runs;
  std::map<std::uint64_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> expected;
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    append_runs(blocks[b], b, runs);
    for (std::uint32_t s = 0; s < blocks[b].size(); ++s) {
      expected[blocks[b][s].cta].emplace_back(b, s);
    }
  }
  const auto parsed = parse_runs(put_runs(runs), false);
  REQUIRE(parsed);
  CHECK(*parsed == runs);
  CtaIndex index;
  index.add(*parsed);
  index.finish();
  std::vector<std::uint64_t> ctas;
  std::size_t wrong = 0;
  for (const auto& [cta, places] : expected) {
    ctas.push_back(cta);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> got;
    for (const auto& ref : index.segments(cta)) got.emplace_back(ref.block, ref.segment);
    wrong += got != places;
  }
  CHECK(wrong == 0);
  CHECK(index.ctas() == ctas);
  for (const std::uint64_t cta : {std::uint64_t{1} << 40, ~std::uint64_t{0} - 1}) {
    if (!expected.contains(cta)) CHECK(index.segments(cta).empty());
  }
}

}  // namespace

TEST_CASE("a trace in CTA order needs one run a block") {
  std::vector<Segment> segments;
  for (std::uint64_t cta = 100; cta < 200; ++cta) {
    for (std::uint32_t warp = 0; warp < 8; ++warp) segments.push_back({cta, warp, 0, 1});
  }
  std::vector<CtaRun> runs;
  append_runs(segments, 3, runs);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0] == CtaRun{100, 100, 1, 3, 0, 8});
  check_against_list({segments, segments});
}

TEST_CASE("sampled CTAs, at even distances, need one run too") {
  std::vector<Segment> segments;
  for (std::uint64_t cta = 0; cta < 1000; cta += 10) segments.push_back({cta, 0, 0, 1});
  std::vector<CtaRun> runs;
  append_runs(segments, 0, runs);
  CHECK(runs.size() == 1);
  check_against_list({segments});
}

TEST_CASE("CTAs in any order are all found, in the order they were recorded") {
  std::mt19937_64 random(5);
  std::vector<std::vector<Segment>> blocks(20);
  for (auto& block : blocks) {
    for (int i = 0; i < 200; ++i) {
      block.push_back(
          {random() % 64 * (random() % 3 + 1), static_cast<std::uint32_t>(random() % 4), 0, 1});
    }
  }
  check_against_list(blocks);
  check_against_list({{{~std::uint64_t{0}, 0, 0, 1}, {0, 0, 0, 1}, {~std::uint64_t{0}, 1, 0, 1}}});
}
