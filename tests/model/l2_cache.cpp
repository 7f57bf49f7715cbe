// The two-sided L2 against an H200: sweeps of reads, store and reduction footprints, fetch size.
#include "model/l2/l2_cache.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "base/wide_hosts.hpp"
#include "model/access/access.hpp"
#include "model/card/card.hpp"
#include "model/card/spec_of.hpp"
#include "tests/catch.hpp"
#include "tests/model/hardware_rows.hpp"

using namespace warpmem;
using model::L2Cache;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;
// Aligned as a large allocation is, so that the home bits see what they saw on the GPU.
constexpr std::uint64_t kBase = 0x7f4a00000000;
constexpr std::uint32_t kWhole[4] = {~0u, ~0u, ~0u, ~0u};

const model::Card& card() {
  static const model::Card c = model::load_card("h200").value();
  return c;
}

double ratio(std::uint64_t model, std::uint64_t measured) {
  return static_cast<double>(model) / static_cast<double>(std::max<std::uint64_t>(1, measured));
}

// The sweep kernel: CTAs of 1,024 threads, one an SM, read N bytes cyclically past the L1.
model::L2Counters sweep(const std::vector<int>& sms, std::uint64_t mib, int passes) {
  L2Cache l2(model::spec_of<model::L2Spec>(card()));
  std::uint64_t epoch = 1;
  for (int pass = 0; pass < passes; ++pass)
    for (std::uint64_t line = 0; line < mib * kMiB / 128; ++line)
      l2.read(sms[line / 32 % sms.size()], kBase / 128 + line, 15, epoch += 5000);
  return l2.counters();
}

std::vector<int> all_sms() {
  std::vector<int> v;
  for (int i = 0; i < 132; ++i) v.push_back(i);
  return v;
}

// The write and reduction kernels: thread i takes its bytes at i * step, 1,056 CTAs of 256 threads.
struct Footprint {
  std::uint64_t bytes;  // of the range
  std::uint64_t step;
  std::uint32_t width;  // bytes a thread
  bool reduction = false;
};

Footprint footprint(const testing::HardwareRow& row) {
  const std::uint64_t bytes = row.number("MiB") * kMiB;
  if (row.starts("write_full")) return {bytes, 16, 16};
  if (row.starts("write_partial16of32")) return {bytes, 32, 16};
  if (row.starts("write_one_sector_of_line")) return {bytes, 128, 4};
  return {bytes, 32, 4, row.starts("red")};
}

model::L2Counters run(const Footprint& f) {
  L2Cache l2(model::spec_of<model::L2Spec>(card()));
  const auto& order = card().numbers().cta_order;
  const std::uint64_t count = f.bytes / f.step;
  for (std::uint64_t i = 0; i < count; i += 32) {
    const int sm = static_cast<int>(order[i / 256 % 1056 % order.size()]);
    model::WarpAccess a;
    a.mask = ~0u;
    a.bytes = f.width;
    for (std::size_t l = 0; l < 32; ++l) a.address[l] = kBase + (i + l) * f.step;
    model::LineList lines;
    model::touch_lines(a, true, lines);
    for (int k = 0; k < lines.count; ++k) {
      const model::LineTouch t = lines[k];
      if (!f.reduction) {
        l2.write(sm, t.line, t.sectors, t.full, t.bytes.data());
        continue;
      }
      for (unsigned s = 0; s < 4; ++s)
        if (t.sectors >> s & 1) l2.atomic(sm, t.line * 4 + s, 1, false);
    }
  }
  return l2.counters();
}

}  // namespace

TEST_CASE("sweeps of reads hit as on an H200") {
  // From sweeps on an H200 (driver 580.159.04, CUDA 13.0, 2026-11-21), Nsight Compute: MiB, passes,
  // lts__t_sectors_srcunit_tex_op_read_lookup_hit, dram__sectors_read,
  // lts__t_sectors_srcunit_ltcfabric.
  struct Measured {
    bool all;
    std::uint64_t mib;
    int passes;
    std::uint64_t hits, dram, fabric;
  };
  constexpr Measured kCases[] = {
      {false, 8, 3, 524321, 262368, 132712},   {false, 24, 3, 1572896, 787072, 394904},
      {false, 28, 3, 1834181, 925040, 467212}, {false, 40, 3, 32, 2622488, 1968018},
      {false, 48, 3, 32, 3146384, 2361304},    {false, 64, 3, 32, 6283936, 3148332},
      {true, 8, 3, 524321, 262368, 150198},    {true, 24, 3, 1572897, 786664, 414237},
      {true, 32, 3, 2090713, 1052264, 550559}, {true, 56, 3, 4589, 5496544, 2772637},
      {true, 64, 3, 36, 6292872, 3167366},     {true, 24, 8, 5505056, 786744, 414252}};
  for (const Measured& m : kCases) {
    const auto c = sweep(m.all ? all_sms() : std::vector<int>{0}, m.mib, m.passes);
    const double total =
        static_cast<double>(m.mib * kMiB / 32 * static_cast<std::uint64_t>(m.passes));
    INFO((m.all ? "all SMs, " : "one SM, ")
         << m.mib << " MiB: hits " << c.read_hit << " (" << m.hits << "), DRAM " << c.dram_read
         << " (" << m.dram << "), fabric " << c.fabric_read << " (" << m.fabric << ")");
    // Sectors off by at most 1 % of all that were read; the fabric by 2 % and what the kernel's own
    // stores of a word a thread bring (up to 16,896 sectors, and as many lookups of the far side).
    CHECK(std::abs(static_cast<double>(c.read_hit) - static_cast<double>(m.hits)) < 0.01 * total);
    CHECK(std::abs(static_cast<double>(c.dram_read) - static_cast<double>(m.dram)) < 0.01 * total);
    CHECK(std::abs(static_cast<double>(c.fabric_read) - static_cast<double>(m.fabric)) <
          0.02 * total + 16896);
  }
}

TEST_CASE("sweeps that end between hitting and missing fall between as on an H200") {
  // The same, where a set's luck decides. The model's sets are spread more evenly than the
  // hardware's, and its LRU is exact, so that its edge is sharper: the share of hits may be off by
  // a third of the reads of a pass.
  struct Measured {
    bool all;
    std::uint64_t mib, hits;
  };
  constexpr Measured kCases[] = {{false, 32, 590616},
                                 {true, 36, 2290192},
                                 {true, 40, 2241532},
                                 {true, 44, 1530988},
                                 {true, 48, 279345}};
  for (const Measured& m : kCases) {
    const auto c = sweep(m.all ? all_sms() : std::vector<int>{0}, m.mib, 3);
    const double pass = static_cast<double>(m.mib * kMiB / 32);
    INFO((m.all ? "all SMs, " : "one SM, ")
         << m.mib << " MiB: hits " << c.read_hit << " (" << m.hits << ")");
    CHECK(std::abs(static_cast<double>(c.read_hit) - static_cast<double>(m.hits)) < 0.34 * pass);
  }
}

TEST_CASE("a sweep of exactly one side's size hits as on an H200", "[!shouldfail]") {
  // Known gap: 1,375,964 sectors hit where the model, whose sets fill evenly, keeps all 1,966,080.
  const auto c = sweep({0}, 30, 3);
  CHECK(ratio(c.read_hit, 1375964) < 1.2);
}

// How far the model's DRAM reads and writes are off at the worst, as a share of the sectors stored.
struct Off {
  double reads = 0, writes = 0;
};
static Off worst_footprint(const std::vector<std::string>& kinds) {
  Off worst;
  for (const auto& row : testing::hardware_rows("l2_policy.csv")) {
    const std::string kind = row.label.substr(0, row.label.find(','));
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) continue;
    const auto c = run(footprint(row));
    const std::uint64_t reads = row.at("dram__sectors_read.sum"),
                        writes = row.at("dram__sectors_write.sum");
    const double total = static_cast<double>(c.write + c.reduction);
    UNSCOPED_INFO(row.label << ": DRAM reads " << c.dram_read << " (" << reads << "), writes "
                            << c.dram_write << " (" << writes << ")");
    worst.reads =
        std::max(worst.reads,
                 std::abs(static_cast<double>(c.dram_read) - static_cast<double>(reads)) / total);
    worst.writes =
        std::max(worst.writes,
                 std::abs(static_cast<double>(c.dram_write) - static_cast<double>(writes)) / total);
    CHECK(c.write == row.at("lts__t_sectors_srcunit_tex_op_write.sum"));
    CHECK(c.reduction == row.at("lts__t_sectors_srcunit_tex_op_red.sum"));
    if (kind == "red_one_word_of_sector")
      CHECK(c.reduction_hit == row.at("lts__t_sectors_srcunit_tex_op_red_lookup_hit.sum"));
  }
  return worst;
}

TEST_CASE("footprints of whole stores and of reductions read and write back as on an H200") {
  // Reads: to the unit, but for the launch's own hundred. Writes: the cap on dirty ways is a whole
  // number, and which of them go first depends on the order of arrival.
  const Off off = worst_footprint({"write_full", "red_one_word_of_sector"});
  CHECK(off.reads < 0.002);
  CHECK(off.writes < 0.04);
}

TEST_CASE("footprints of partial stores are filled from DRAM as on an H200") {
  // From 8 to 16 MiB the hardware fills a little less, then a little more: its sets do not fill as
  // evenly as the model's.
  const Off off =
      worst_footprint({"write_partial4of32", "write_partial16of32", "write_one_sector_of_line"});
  CHECK(off.reads < 0.11);
}

TEST_CASE("footprints of partial stores write back as an H200 does", "[!shouldfail]") {
  // Known gap: from 16 MiB on the hardware writes 7 to 9 MiB less than it has filled (filled lines
  // stay dirty); the model writes back what it fills, at once.
  const Off off =
      worst_footprint({"write_partial4of32", "write_partial16of32", "write_one_sector_of_line"});
  CHECK(off.writes < 0.11);
}

// kernels/micro/l2_writeback.cu: 264 CTAs of 512 threads, 16 bytes a thread, round after round.
template <class Access>
static void walk(std::uint64_t mib, Access access) {
  constexpr std::uint64_t kCtaLines = 64;
  for (std::uint64_t line = 0; line < mib * kMiB / 128; ++line)
    access(static_cast<int>(line / kCtaLines % 264 % 132), line);
}

TEST_CASE("stores that reads push out leave, and stay to be read, as on an H200") {
  // All in shares of what was stored. The hardware's write-backs lag behind reads at full rate, and
  // its sets do not fill as evenly as the model's.
  const std::uint64_t theirs = kBase / 128, mine = theirs + (std::uint64_t{1} << 24);
  std::size_t seen = 0;
  for (const auto& row : testing::hardware_rows("l2_writeback.csv")) {
    const bool survive = row.starts("survive");
    if (!survive &&
        (!row.starts("in_turn,before=0") || row.number("rounds") > 1 || row.number("wait") > 0))
      continue;
    const std::uint64_t mib = row.number(survive ? "mine" : "writes"),
                        others = row.number(survive ? "others" : "after");
    if (mib == 0) continue;
    const bool stored = !survive || row.number("stored") > 0;
    L2Cache l2(model::spec_of<model::L2Spec>(card()));
    std::uint64_t now = 1;
    const auto read_mine = [&](int sm, std::uint64_t line) {
      l2.read(sm, mine + line, 15, now += 5000);
    };
    if (stored)
      walk(mib, [&](int sm, std::uint64_t line) { l2.write(sm, mine + line, 15, 15, kWhole); });
    else walk(mib, read_mine);
    walk(others, [&](int sm, std::uint64_t line) { l2.read(sm, theirs + line, 15, now += 5000); });
    if (survive) walk(mib, read_mine);
    const double total = static_cast<double>(mib * kMiB / 32);
    const auto off = [&](std::uint64_t model, const char* counter) {
      return std::abs(static_cast<double>(model) - static_cast<double>(row.at(counter))) / total;
    };
    const model::L2Counters& c = l2.counters();
    INFO(row.label << ": DRAM reads " << c.dram_read << " (" << row.at("dram__sectors_read.sum")
                   << "), writes " << c.dram_write << " (" << row.at("dram__sectors_write.sum")
                   << "), dirty " << l2.dirty_sectors() << " (" << row.at("left_dirty") << ")");
    CHECK(off(c.dram_read, "dram__sectors_read.sum") < 0.20);
    CHECK(off(c.dram_write, "dram__sectors_write.sum") < 0.26);
    if (mib >= 8) CHECK(off(l2.dirty_sectors(), "left_dirty") < 0.26);
    ++seen;
  }
  CHECK(seen == 92);
}

TEST_CASE("copies leave as much dirty as on an H200") {
  const std::uint64_t theirs = kBase / 128, mine = theirs + (std::uint64_t{1} << 24);
  std::size_t seen = 0;
  for (const auto& row : testing::hardware_rows("l2_writeback.csv")) {
    if (!row.starts("mixed")) continue;
    const std::uint64_t mib = row.number("mib"), step = mib * kMiB / 128;
    L2Cache l2(model::spec_of<model::L2Spec>(card()));
    std::uint64_t now = 1;
    walk(mib, [&](int sm, std::uint64_t line) {
      for (std::uint64_t k = 0; k < row.number("reads"); ++k)
        l2.read(sm, theirs + k * step + line, 15, now += 5000);
      for (std::uint64_t k = 0; k < row.number("stores"); ++k)
        l2.write(sm, mine + k * step + line, 15, 15, kWhole);
    });
    INFO(row.label << ": DRAM writes " << l2.counters().dram_write << " ("
                   << row.at("dram__sectors_write.sum") << "), dirty " << l2.dirty_sectors() << " ("
                   << row.at("left_dirty") << ")");
    // Of the dirty sectors that an H200 can hold.
    const auto off = [&](std::uint64_t model, const char* counter) {
      return std::abs(static_cast<double>(model) - static_cast<double>(row.at(counter))) / 885000;
    };
    CHECK(off(l2.counters().dram_write, "dram__sectors_write.sum") < 0.12);
    CHECK(off(l2.dirty_sectors(), "left_dirty") < 0.12);
    ++seen;
  }
  CHECK(seen == 46);
}

TEST_CASE("reads move from DRAM what an H200 moves, hints included") {
  for (const auto& row : testing::hardware_rows("l2_policy.csv")) {
    if (!row.starts("read_hint,")) continue;
    const std::uint64_t step = row.number("step"), hint = row.number("hint");
    if (hint == 256 && step == 256) continue;  // the next test
    L2Cache l2(model::spec_of<model::L2Spec>(card()));
    std::uint64_t epoch = 1;
    for (std::uint64_t i = 0; i < 65536; ++i) {
      const std::uint64_t address = kBase + i * step;
      l2.read(static_cast<int>(i / 32 % 132), address / 128,
              static_cast<std::uint8_t>(1u << address % 128 / 32), epoch += 5000,
              hint >= 128 ? static_cast<std::uint32_t>(hint / 32) : 0);
    }
    INFO(row.label);
    // 96 and a few sectors are the launch's own.
    CHECK(row.at("dram__sectors_read.sum") - l2.counters().dram_read < 200);
  }
}

TEST_CASE("a hint of 256 bytes brings the next line as well", "[!shouldfail]") {
  // Known gap: measured 510,528 sectors for 65,536 reads at steps of 256 bytes; the model brings
  // the line only. It fails on the day that the gap closes.
  L2Cache l2(model::spec_of<model::L2Spec>(card()));
  std::uint64_t epoch = 1;
  for (std::uint64_t i = 0; i < 65536; ++i) l2.read(0, kBase / 128 + 2 * i, 1, epoch += 5000, 8);
  CHECK(ratio(l2.counters().dram_read, 510528) > 0.95);
}

TEST_CASE("a line read from afar is kept on both sides, and a write there takes the copy away") {
  auto spec = model::spec_of<model::L2Spec>(card());
  const int near = 0;
  int far = 0;
  while (spec.sm_side[static_cast<std::size_t>(far)] == spec.sm_side[near]) ++far;
  L2Cache l2(spec);
  std::uint64_t epoch = 1;
  const auto read_hits = [&](int sm, std::uint64_t line) {
    const std::uint64_t before = l2.counters().read_hit;
    l2.read(sm, line, 15, epoch += 5000);
    return l2.counters().read_hit - before;
  };
  int crossed = 0;
  for (std::uint64_t line = kBase / 128; line < kBase / 128 + 4096; line += 32) {
    CHECK(read_hits(near, line) == 0);
    const std::uint64_t fabric = l2.counters().fabric_read;
    CHECK(read_hits(near, line) == 4);
    CHECK(l2.counters().fabric_read == fabric);
    const std::uint64_t hits = read_hits(far, line);  // a copy there, or a crossing that hits
    CHECK((hits == 0 || hits == 4));
    crossed += hits == 0;
    CHECK(read_hits(far, line) == 4);
    l2.write(near, line, 15, 15, kWhole);
    l2.write(far, line, 15, 15, kWhole);
    CHECK(l2.counters().dram_read ==
          static_cast<std::uint64_t>(4 * ((line - kBase / 128) / 32 + 1)));
  }
  CHECK(crossed == 64);  // half of the chunks live on either side
}

TEST_CASE("sectors are conserved through the L2 whatever comes") {
  for (int sides : {1, 2}) {
    auto spec = model::spec_of<model::L2Spec>(card());
    spec.sides = sides;
    L2Cache l2(spec);
    std::uint64_t seed = 12345, reads = 0, writes = 0, atomics = 0;
    const auto random = [&] {
      return (seed = seed * 6364136223846793005ull + 1442695040888963407ull) >> 33;
    };
    for (int i = 0; i < 200000; ++i) {
      const int sm = static_cast<int>(random() % 132);
      const std::uint64_t line = kBase / 128 + random() % 4096;
      const auto sectors = static_cast<std::uint8_t>(1 + random() % 15);
      switch (random() % 3) {
        case 0:
          l2.read(sm, line, sectors, random() % 100 + static_cast<std::uint64_t>(i) / 100),
              reads += static_cast<unsigned>(std::popcount(sectors));
          break;
        case 1:
          l2.write(sm, line, sectors, sectors, kWhole),
              writes += static_cast<unsigned>(std::popcount(sectors));
          break;
        default: l2.atomic(sm, line * 4 + random() % 4, 3, random() % 2), atomics += 3;
      }
    }
    const auto& c = l2.counters();
    CHECK(c.read + c.merged == reads);
    CHECK(c.write == writes);
    CHECK(c.atomic + c.reduction == atomics);
    CHECK(c.read_hit <= c.read);
    CHECK(c.read_requests <= c.read);
    CHECK(c.atomic_hit <= c.atomic);
    CHECK(c.fabric_read_hit <= c.fabric_read);
    CHECK((sides == 2) == (c.fabric_read > 0));
    // Half a megabyte never leaves 60: each sector comes from DRAM once at most, and all writes
    // stay.
    CHECK(c.dram_read <= 4096 * 4);
    CHECK(c.dram_write == 0);
    CHECK(l2.dirty_sectors() <= 4096 * 4);
    l2.flush();
    CHECK(l2.dirty_sectors() == 0);
  }
}

TEST_CASE("SMs of one GPC that read the same sectors together share a request, four at most") {
  auto spec = model::spec_of<model::L2Spec>(card());
  std::vector<int> gpc;  // the SMs of SM 0's GPC
  for (int sm = 0; sm < 132; ++sm)
    if (spec.sm_group[static_cast<std::size_t>(sm)] == spec.sm_group[0]) gpc.push_back(sm);
  REQUIRE(gpc.size() >= 5);
  L2Cache l2(spec);
  const std::uint64_t line = kBase / 128;
  for (int i = 0; i < 4; ++i) l2.read(gpc[static_cast<std::size_t>(i)], line, 15, 9);
  CHECK(l2.counters().read_requests == 1);
  CHECK(l2.counters().merged == 12);
  const std::uint64_t back = l2.read(gpc[4], line, 15, 9);  // a fifth
  CHECK(l2.counters().read_requests == 2);
  // Its answer has not come to the coalescer yet; now it has.
  l2.read(gpc[0], line, 15, back - spec.path_cycles - 1);
  CHECK(l2.counters().read_requests == 2);
  l2.read(gpc[0], line, 15, back - spec.path_cycles);
  CHECK(l2.counters().read_requests == 3);
  const std::uint64_t again = l2.read(gpc[1], line, 15, back + 10000);
  CHECK(l2.counters().read_requests == 4);
  int stranger = 0;
  while (spec.sm_group[static_cast<std::size_t>(stranger)] == spec.sm_group[0]) ++stranger;
  l2.read(stranger, line, 15, back + 10000);
  CHECK(l2.counters().read_requests == 5);
  // Other sectors of the line join an SM's own request only while it waits in the SM: so long after
  // the latest that joined.
  const std::uint64_t other = line + 64;
  l2.read(gpc[0], other, 1, again + 10000);
  l2.read(gpc[0], other, 2, again + 10001);
  l2.read(gpc[0], other, 4, again + 10000 + spec.read_cycles);
  CHECK(l2.counters().read_requests == 6);
  l2.read(gpc[0], other, 8, again + 10001 + 2 * spec.read_cycles);
  CHECK(l2.counters().read_requests == 7);
  // … not those that it asked for already: the answer comes twice, so it was asked for twice,
  l2.read(gpc[0], other + 2, 15, again + 15000);
  l2.read(gpc[0], other + 2, 1, again + 15001);
  CHECK(l2.counters().read_requests == 9);
  // … another SM's never,
  l2.read(gpc[0], other + 1, 1, again + 20000);
  l2.read(gpc[1], other + 1, 2, again + 20000);
  CHECK(l2.counters().read_requests == 11);
  // … and not when as many others have come meanwhile as can wait.
  for (std::uint64_t between : {spec.read_entries - 1, spec.read_entries}) {
    const std::uint64_t now = again + 30000 + 10000 * between, first = other + 1000 * between;
    const std::uint64_t before = l2.counters().read_requests;
    l2.read(gpc[0], first, 1, now);
    for (std::uint64_t k = 1; k <= between; ++k) l2.read(gpc[0], first + k, 1, now);
    l2.read(gpc[0], first, 2, now);
    CHECK(l2.counters().read_requests - before ==
          1 + between + (between == spec.read_entries ? 1 : 0));
  }
}

// A warp loads a sector of each of some lines, other lines' the next time, and then the lines' next
// sectors, four cycles or as long as the tags take from load to load.
TEST_CASE("sectors of a line leave an SM together as on an H200") {
  int same = 0, near = 0, rows = 0;
  for (const auto& row : testing::hardware_rows("read_joins.csv")) {
    if (!row.starts("columns,ctas=1 warps=1 ") || row.number("warm") != 0) continue;
    const std::uint64_t groups = row.number("groups"), lanes = row.number("lanes");
    L2Cache l2(model::spec_of<model::L2Spec>(card()));
    std::uint64_t now = 1000;
    for (int sector = 0; sector < 4; ++sector)
      for (std::uint64_t g = 0; g < groups; ++g) {
        for (std::uint64_t k = 0; k < lanes; ++k)
          l2.read(0, 1000 + g * 32 + k, static_cast<std::uint8_t>(1 << sector), now + k / 4);
        now += std::max<std::uint64_t>(4, (lanes + 3) / 4);
      }
    const std::uint64_t measured = row.at("lts__t_requests_srcunit_tex_op_read.sum");
    const std::uint64_t requests = l2.counters().read_requests;
    UNSCOPED_INFO(row.label << ": " << requests << ", measured " << measured);
    ++rows;
    same += requests == measured;
    near += std::max(requests, measured) - std::min(requests, measured) <= groups * lanes * 4 / 10;
  }
  CHECK(rows == 60);
  CHECK(same >= 51);
  CHECK(near >= 55);
}

TEST_CASE("lines from all over memory are told apart on both sides") {
  L2Cache l2(model::spec_of<model::L2Spec>(card()));
  constexpr std::uint64_t kRegions = 40,
                          kChunks = 8;  // 4 KiB chunks have their homes here and there
  const auto read_all = [&](std::uint64_t cycle) {
    for (std::uint64_t region = 0; region < kRegions; ++region)
      for (std::uint64_t chunk = 0; chunk < kChunks; ++chunk)
        for (const int sm : {0, 2}) l2.read(sm, (region << 35) + chunk * 32, 15, cycle += 5000);
    return l2.counters().read - l2.counters().read_hit;
  };
  const std::uint64_t missed = read_all(0);
  CHECK(l2.counters().dram_read == kRegions * kChunks * 4);
  CHECK(read_all(10000000) == missed);
  CHECK(l2.counters().dram_read == kRegions * kChunks * 4);
}

TEST_CASE("lines read together come to the same as one after the other") {
  struct Host {  // with wide vectors, where it has them, or without
    const bool before = wide_host();
    explicit Host(bool wide) { wide_host() = wide && before; }
    ~Host() { wide_host() = before; }
  };
  const Host host(GENERATE(true, false));
  std::mt19937_64 random(11);
  for (const bool timed : {false, true}) {
    L2Cache together(model::spec_of<model::L2Spec>(card())),
        alone(model::spec_of<model::L2Spec>(card()));
    model::MemoryPath first(model::spec_of<model::MemoryPathSpec>(card())),
        second(model::spec_of<model::MemoryPathSpec>(card()));
    if (timed) together.take(&first), alone.take(&second);
    std::uint64_t now = 0;
    for (int round = 0; round < 40000; ++round) {
      // Few lines in a small part of the rounds, so that reads are under way twice and entries of
      // the coalescer are fought for; otherwise many, and from several regions of memory.
      const std::uint64_t span = round % 3 == 0 ? 200 : 1 << 20;
      L2Cache::Routed lines;
      model::LineParts parts;
      while (lines.count < 32) {
        const std::uint64_t line =
            0xfe400000 + random() % span + (random() % 4 == 0) * (random() % 9 << 27);
        const auto end = lines.line.begin() + lines.count;
        if (std::find(lines.line.begin(), end, line) != end) continue;
        const auto at = static_cast<std::size_t>(lines.count++);
        lines.line[at] = line;
        lines.sectors[at] = static_cast<std::uint8_t>(1 + random() % 15);
        if (round % 4 && random() % 8 == 0) continue;  // a hit in the L1
        parts.index[parts.count] = static_cast<std::uint8_t>(at);
        parts.sectors[parts.count++] = lines.sectors[at];
      }
      const int sm = static_cast<int>(random() % 132);
      now += random() % (round / 1000 % 2 ? 40 : 2);  // DRAM mostly waits, or has a queue
      if (round % 5 == 0) {                           // something to write back
        constexpr std::uint32_t kBytes[4] = {~0u, ~0u, 15, 15};
        for (L2Cache* l2 : {&together, &alone})
          l2->write(sm, lines.line[0], l2->route(lines.line[0]), 15, 3, kBytes, 0, true, now);
      }
      together.route(lines);
      std::array<std::uint64_t, model::LineList::kMost> done;
      model::MemoryPath::Addresses addresses;
      first.addresses_of(lines, addresses);
      together.read(sm, lines, &addresses, parts, now, 0, done.data());
      // The numbers that regions of memory get hang on the order in which they are met.
      for (int i = 0; i < lines.count; ++i) alone.route(lines.line[static_cast<std::size_t>(i)]);
      for (std::size_t k = 0; k < parts.count; ++k) {
        const std::uint64_t line = lines.line[parts.index[k]];
        // Four lines of an access a cycle.
        REQUIRE(alone.read(sm, line, parts.sectors[k], now + parts.index[k] / 4) ==
                done[parts.index[k]]);
      }
      const model::L2Counters &x = together.counters(), &y = alone.counters();
      REQUIRE(std::memcmp(&x, &y, sizeof x) == 0);
    }
    CHECK(together.counters().merged > 0);
    CHECK(together.counters().dram_write > 0);
    CHECK(together.counters().fabric_read_hit > 0);
  }
}

TEST_CASE("reads of two SMs join as long after one another as on an H200") {
  // Lines of either home, in the L2 or not; what else the launch asks for is in all its counts. The
  // clocks of the two SMs differ by a few cycles: where the GPU was asked both ways round, the
  // mean.
  constexpr std::uint64_t kLines = 64;
  for (const bool warm : {false, true}) {
    std::map<std::uint64_t, std::vector<double>> apart;  // by delay: requests for kLines lines
    std::uint64_t least = ~0ull;
    const auto rows = testing::hardware_rows("shared_reads.csv");
    const auto requests = [](const auto& row) {
      return row.at("lts__t_requests_srcunit_tex_op_read.sum");
    };
    const auto concerns = [&](const auto& row) {
      return row.starts("apart ") && row.number("warm") == warm;
    };
    for (const auto& row : rows)
      if (concerns(row)) least = std::min(least, requests(row));
    for (const auto& row : rows)
      if (concerns(row)) {
        const int later = std::stoi(testing::split(testing::split(row.label, ' ')[1], '=')[1]);
        apart[static_cast<std::uint64_t>(std::abs(later))].push_back(
            static_cast<double>(requests(row) - least));
      }
    REQUIRE(apart.size() >= 25);
    for (const auto& [later, counts] : apart) {
      L2Cache l2(model::spec_of<model::L2Spec>(card()));
      std::uint64_t now = 10000, line = kBase / 128;
      for (const unsigned home : {0u, 1u})
        for (std::uint64_t n = 0; n < kLines; ++n, now += 6000) {
          while ((static_cast<unsigned>(std::popcount(
                      ++line & model::spec_of<model::L2Spec>(card()).home_mask / 128)) &
                  1) != home) {
          }
          if (warm) l2.read(12, line, 15, now);
          l2.read(12, line, 15, now + 3000);
          l2.read(28, line, 15, now + 3000 + later);
        }
      INFO((warm ? "in the L2, " : "in DRAM, ") << later << " cycles later");
      const std::uint64_t joined_all = (warm ? 4 : 2) * kLines;  // of both homes
      const double mine = static_cast<double>(l2.counters().read_requests - joined_all) / 2;
      double hardware = 0;
      for (double c : counts) hardware += c / static_cast<double>(counts.size());
      // DRAM has a tail of its own in one read of ten.
      CHECK(std::abs(mine - hardware) <= 0.14 * kLines);
    }
  }
}
