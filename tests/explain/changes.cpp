// Launches with other addresses: what is predicted for a change is what the kernel that has it
// takes.
#include <cmath>
#include <set>

#include "sim/engine/rewrite.hpp"
#include "sim/explain/address_changes.hpp"
#include "sim/explain/explain.hpp"
#include "tests/catch.hpp"

namespace warpmem::sim {
namespace {

Result<LaunchExplanation> explained(const std::string& name, bool gains) {
  static const auto card = model::load_card("h200");
  REQUIRE(card);
  const auto reader =
      trace::TraceReader::open(std::string(WARPMEM_REFERENCE) + "/" + name + ".wmt");
  REQUIRE(reader);
  ExplainOptions options;
  options.gains = gains;
  options.findings = 4;
  return explain(*reader, 0, *card, options);
}

const Change* change_of(const LaunchExplanation& launch, const std::string& name) {
  for (const Finding& f : launch.findings)
    for (const Change& c : f.changes)
      if (c.name == name && c.after) return &c;
  return nullptr;
}

}  // namespace

TEST_CASE("a change that is predicted comes within a tenth of the kernel that has it") {
  struct Pair {
    const char *before, *change, *after;
  };
  for (const Pair& p : {Pair{"transpose_shared_unpadded", "pad", "transpose_shared_padded"},
                        {"aos_soa_aos_load_one", "unit stride", "aos_soa_soa_load_one"},
                        {"aos_soa_aos_load_all", "split", "aos_soa_soa_load_all"},
                        {"aos_soa_aos_load_all", "wide", "aos_soa_aos_wide_load_all"},
                        {"aos_soa_aos_store_all", "split", "aos_soa_soa_store_all"},
                        {"aat_shared_unpadded", "pad", "aat_shared_padded"},
                        {"transpose_naive_row", "transpose", "transpose_row_copy"},
                        {"transpose_naive_column", "transpose", "transpose_row_copy"},
                        {"strided_load_32", "unit stride", "offset_load_0"}}) {
    INFO(p.before);
    const auto before = explained(p.before, true), after = explained(p.after, false);
    REQUIRE(before);
    REQUIRE(after);
    const Change* change = change_of(*before, p.change);
    REQUIRE(change);
    // Sectors and wavefronts are worked out from addresses: they are equal.
    CHECK(change->after->sectors == after->cost.sectors);
    CHECK(change->after->wavefronts == after->cost.wavefronts);
    const double error =
        static_cast<double>(change->after->cycles) / static_cast<double>(after->cost.cycles) - 1;
    CHECK(std::abs(error) < 0.1);
  }
}

TEST_CASE(
    "a table in shared memory and rows that a warp takes together come near the kernels with "
    "them") {
  const auto before = explained("histogram_global", true),
             after = explained("histogram_shared", false);
  REQUIRE(before);
  REQUIRE(after);
  const Change* table = change_of(*before, "shared table");
  REQUIRE(table);
  CHECK(table->estimate);
  CHECK(
      std::abs(static_cast<double>(table->after->cycles) / static_cast<double>(after->cost.cycles) -
               1) < 0.1);

  const auto scalar = explained("spmv_scalar", true), vector = explained("spmv_vector", false);
  REQUIRE(scalar);
  REQUIRE(vector);
  REQUIRE(scalar->findings.front().pattern == AddressPattern::kRuns);
  const Change* rows = change_of(*scalar, "row by row");
  REQUIRE(rows);
  // spmv_vector stores and reads where rows begin once more for each lane: what is left are the
  // matrix's arrays.
  const auto of_matrix = [](const LaunchExplanation& l) {
    std::uint64_t sectors = 0;
    for (const SiteTraffic& t : l.sites)
      if (t.op == "load" && t.requests > 0 && t.sectors > t.requests) sectors += t.sectors;
    return static_cast<double>(sectors);
  };
  CHECK(static_cast<double>(rows->after->sectors) <
        0.5 * static_cast<double>(scalar->cost.sectors));
  CHECK(std::abs(static_cast<double>(rows->after->sectors) / of_matrix(*vector) - 1) < 0.1);
}

TEST_CASE("smaller blocks use more SMs") {
  const auto few = explained("local_memory_array_per_lane", true);
  REQUIRE(few);
  REQUIRE(few->changes.size() == 1);
  CHECK(few->changes.front().name == "smaller block");
  // Four CTAs of 256 threads become 32 of a warp each; nothing else changes.
  CHECK(few->changes.front().what.find("blocks of 32 threads: 32 CTAs instead of 4") == 0);
  CHECK(few->changes.front().after->sectors == few->cost.sectors);
  CHECK(few->changes.front().after->cycles < few->cost.cycles / 2);
}

TEST_CASE("sums over instructions and lines are the launch's") {
  const auto launch = explained("matmul_tiled32", false);
  REQUIRE(launch);
  std::uint64_t sectors = 0, wavefronts = 0;
  for (const SiteTraffic& t : launch->sites) sectors += t.sectors, wavefronts += t.wavefronts;
  CHECK(sectors == launch->cost.sectors);
  CHECK(wavefronts == launch->cost.wavefronts);
}

TEST_CASE("a rewriting that changes nothing changes nothing") {
  trace::DecodedBlock block;
  block.segments.push_back({0, 0, 0, 2});
  trace::Record regular;
  regular.base = 4096, regular.stride = 8, regular.mask = 0xf0f0;
  trace::Record listed;
  listed.mask = 7, listed.lanes = 0;
  block.lanes = {100, 5000, 108};
  block.records = {regular, listed};
  const std::vector<trace::Site> sites{{0, trace::Op::kLoad, trace::Space::kGlobal, 4}};
  Rewrite rewrite;
  rewrite.of.push_back(std::make_shared<AccessChange>());
  rewrite.apply(block, sites);
  REQUIRE(block.records.size() == 2);
  CHECK(block.records[0].regular());
  CHECK(block.records[0].base == 4096);
  CHECK(block.records[0].stride == 8);
  CHECK(block.records[1].mask == 7);
  const std::uint64_t* lanes = block.lanes.data() + block.records[1].lanes;
  CHECK(std::vector<std::uint64_t>(lanes, lanes + 3) == std::vector<std::uint64_t>{100, 5000, 108});
}

TEST_CASE("records that a change drops are gone, and their segments shorter") {
  trace::DecodedBlock block;
  trace::Record a, b;
  a.mask = b.mask = 1;
  b.site = 1;
  block.records = {a, b, a, b, b};
  block.segments = {{0, 0, 0, 3}, {0, 1, 3, 2}};
  const std::vector<trace::Site> sites(2, {0, trace::Op::kLoad, trace::Space::kGlobal, 4});
  Rewrite rewrite;
  rewrite.of = {nullptr, std::make_shared<Drop>()};
  rewrite.apply(block, sites);
  CHECK(block.records.size() == 2);
  CHECK(block.segments[0].count == 2);
  CHECK(block.segments[1].count == 0);
}

TEST_CASE("words that are dealt out anew are the same words, side by side") {
  trace::DecodedBlock block;
  // Three lanes along rows of 3, 1 and 2 words.
  block.lanes = {100, 200, 300, 104, 304, 108};
  trace::Record a, b, c;
  a.mask = 7, a.lanes = 0, b.mask = 5, b.lanes = 3, c.mask = 1, c.lanes = 5;
  block.records = {a, b, c};
  block.segments = {{0, 0, 0, 3}};
  const std::vector<trace::Site> sites(1, {0, trace::Op::kLoad, trace::Space::kGlobal, 4});
  Rewrite rewrite;
  rewrite.dealt = {1};
  rewrite.apply(block, sites);
  // All six fit one access.
  REQUIRE(block.records.size() == 1);
  CHECK(block.segments[0].count == 1);
  CHECK(block.records[0].mask == 0x3f);
  const std::uint64_t* lanes = block.lanes.data() + block.records[0].lanes;
  CHECK(std::vector<std::uint64_t>(lanes, lanes + 6) ==
        std::vector<std::uint64_t>{100, 104, 108, 200, 300, 304});
}

TEST_CASE("layouts put every element at a place of its own") {
  const Split split(0x1000, 24 * 100, 24, 8);
  const Transpose transpose(0x1000, 64 * 50, 64, 4);
  const PadRows pad(0, 128, 4);
  const Xor swizzle = row_swizzle(0, 128, 4), two(0, {{5, 0x7c}, {8, 0x70}});
  std::set<std::uint64_t> split_to, turned_to, padded_to, swizzled_to, twice_to;
  for (std::uint64_t i = 0; i < 300; ++i) split_to.insert(split.address(0x1000 + 8 * i));
  for (std::uint64_t i = 0; i < 800; ++i) turned_to.insert(transpose.address(0x1000 + 4 * i));
  for (std::uint64_t i = 0; i < 1024; ++i)
    padded_to.insert(pad.address(4 * i)), swizzled_to.insert(swizzle.address(4 * i)),
        twice_to.insert(two.address(4 * i));
  CHECK(split_to.size() == 300);
  CHECK(turned_to.size() == 800);
  CHECK(padded_to.size() == 1024);
  CHECK(swizzled_to.size() == 1024);
  CHECK(twice_to.size() == 1024);
  CHECK(*swizzled_to.rbegin() == 4 * 1023);         // within the same bytes
  CHECK(split.address(0x1000 + 24) == 0x1000 + 8);  // neighbours' first fields
}

}  // namespace warpmem::sim
