// Packed records unpack to what they were, for the well-known patterns and for nonsense.
#include "sim/engine/packed_records.hpp"

#include "tests/catch.hpp"
#include "tests/sim/support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

// Every third is the read of an asynchronous copy.
const std::vector<Site> kSites = [] {
  std::vector<Site> sites;
  for (std::uint32_t i = 0; i < 64; ++i)
    sites.push_back({16 * i, i % 3 == 2 ? Op::kAsyncCopyRead : Op::kLoad, Space::kGlobal, 4});
  return sites;
}();

// Field by field, lanes by address: the lane tables differ.
void check_round_trip(const std::vector<Record>& records, const std::vector<std::uint64_t>& lanes) {
  sim::PackedRecords packed(records.data(), static_cast<std::uint32_t>(records.size()),
                            lanes.data(), kSites);
  std::vector<Record> some;
  std::vector<std::uint64_t> their_lanes;
  std::size_t at = 0;
  while (!packed.at_end()) {
    packed.next(some, their_lanes);
    REQUIRE_FALSE(some.empty());
    if (!packed.at_end()) REQUIRE(kSites[some.back().site].op != Op::kAsyncCopyRead);
    for (const Record& got : some) {
      REQUIRE(at < records.size());
      const Record& want = records[at++];
      REQUIRE(got.site == want.site);
      REQUIRE(got.mask == want.mask);
      REQUIRE(got.stride == want.stride);
      REQUIRE(got.base == want.base);
      REQUIRE(got.regular() == want.regular());
      for (int i = 0; !want.regular() && i < want.active(); ++i)
        REQUIRE(their_lanes[got.lanes + static_cast<std::uint32_t>(i)] ==
                lanes[want.lanes + static_cast<std::uint32_t>(i)]);
    }
  }
  REQUIRE(at == records.size());
}

}  // namespace

TEST_CASE("packed records of well-known patterns unpack to what they were") {
  std::mt19937_64 random(3);
  for (const auto& pattern : trace::patterns::all()) {
    Warp w{77, 1, {}, {}};
    pattern.fill(w, random);
    INFO(pattern.name);
    check_round_trip(w.records, w.lanes);
  }
}

TEST_CASE("packed records unpack to what they were, whatever they were") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    Warp w{};
    const std::uint64_t sites = 1 + random() % 9;
    for (std::uint64_t i = 0; i < random() % 300; ++i) {
      const auto site = static_cast<std::uint32_t>(random() % sites);
      const auto mask = static_cast<std::uint32_t>(random() % 4   ? random()
                                                   : random() % 2 ? 0
                                                                  : ~0u);
      if (random() % 2)
        w.records.push_back(
            regular(site, random() >> random() % 64, static_cast<std::int32_t>(random()), mask));
      else
        w.records.push_back(
            listed(w, site, mask, [&](unsigned) { return random() >> random() % 64; }));
    }
    check_round_trip(w.records, w.lanes);
  }
}

TEST_CASE("a loop's packed records take a byte or two each") {
  std::vector<Record> records;
  for (std::uint64_t i = 0; i < 1000; ++i)
    for (std::uint32_t site = 0; site < 3; ++site)
      records.push_back(regular(site, kA + site * 4096 + i * 128, 4));
  CHECK(sim::PackedRecords(records.data(), 3000, nullptr, kSites).bytes() < 3100);
}
