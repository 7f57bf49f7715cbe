// Memory systems of GPUs before compute capability 7.0: counters of accesses worked out by hand
// from the programming guides, and what profilers printed for known kernels.
#include <fstream>
#include <sstream>

#include "model/card/ecc.hpp"
#include "model/card/memory_system_of.hpp"
#include "model/dram/partition_traffic.hpp"
#include "sim/engine/sites.hpp"
#include "sim/replay.hpp"
#include "tests/catch.hpp"
#include "tests/sim/reference_traces.hpp"

namespace warpmem::sim {
namespace {

using model::AccessPlan;
using model::Action;
using model::EarlyCounters;
using model::LaunchCounters;

model::Card card_of(const std::string& capability) {
  std::ifstream file(std::string(WARPMEM_TEST_CARDS) + "/cc_" + capability + ".toml");
  std::stringstream text;
  text << file.rdbuf();
  auto card = model::Card::parse(text.str(), "cc_" + capability);
  if (!card) FAIL(card.error().text());
  return *card;
}

// One SM's accesses, one after the other.
struct Gpu {
  explicit Gpu(const std::string& capability, std::vector<model::CardSetting> settings = {})
      : card(card_of(capability)) {
    if (!settings.empty()) {
      const auto ok = card.set(settings);
      if (!ok) FAIL(ok.error().text());
    }
    memory = model::memory_system_of(card, false);
    model::LaunchMemory launch;
    launch.shared_config = card.numbers().shared_configs.back();
    launch.local_bytes = launch.largest_frame = 64;
    memory->begin_launch(launch);
  }
  // Lane l at base + l * stride, or where `lanes` says.
  void access(Action action, std::uint64_t base, std::int32_t stride, std::uint32_t bytes = 4,
              std::uint32_t mask = ~0u) {
    run(action, {mask, stride, base, nullptr}, bytes);
  }
  void gather(Action action, const std::vector<std::uint64_t>& at, std::uint32_t bytes = 4) {
    run(action, {~0u, 0, 0, at.data()}, bytes);
  }
  void run(Action action, const model::WarpLanes& lanes, std::uint32_t bytes) {
    plan.action = action;
    plan.bytes = bytes;
    model::AccessTiming t;
    t.now = t.tags = clock;
    t.sm = sm;
    memory->run(lanes, plan, t);
    clock = t.done + 1;
  }
  EarlyCounters early() const { return memory->counted().early; }
  LaunchCounters all() const { return memory->counted(); }

  model::Card card;
  std::unique_ptr<model::MemorySystem> memory;
  AccessPlan plan;
  std::uint64_t clock = 0;
  int sm = 0;
};

constexpr Action kLoad = Action::kGlobalLoad, kStore = Action::kGlobalStore;
constexpr std::uint64_t kA = 0x100000;

double percent(std::uint64_t part, std::uint64_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

// Warps of a block of `x` columns, each lane at column * nx + row: a matrix read by columns.
std::vector<std::uint64_t> column(std::uint64_t x, std::uint64_t nx) {
  std::vector<std::uint64_t> at;
  for (std::uint64_t l = 0; l < 32; ++l) at.push_back(kA + 4 * (l % x * nx + l / x));
  return at;
}

}  // namespace

TEST_CASE(
    "1.0: a warp's coalesced load is two transactions of 64 bytes, shifted by a word 32 of 32") {
  Gpu g("1_0");
  g.access(kLoad, kA, 4);
  EarlyCounters e = g.early();
  CHECK(e.gld_request == 1);
  CHECK(e.gld_64b == 2);
  CHECK(e.gld_coherent == 2);
  CHECK(e.gld_incoherent == 0);
  CHECK(g.all().l2.dram_read == 4);
  g.access(kLoad, kA + 4, 4);
  e = g.early();
  CHECK(e.gld_coherent == 2);
  CHECK(e.gld_incoherent == 32);
  CHECK(e.gld_32b == 32);
  CHECK(e.gld_requested_bytes == 256);
  CHECK(e.gld_moved_bytes == 128 + 1024);
  CHECK(g.all().l2.dram_read == 4 + 32);
  g.access(kStore, kA, 8, 8);
  CHECK(g.early().gst_128b == 2);
  CHECK(g.early().gst_coherent == 2);
  CHECK(g.all().l2.dram_write == 8);
  // There is no L2, and nothing of it is counted.
  CHECK(g.early().l2_read_transactions == 0);
}

TEST_CASE("1.3: the shifted load costs 128 + 64 + 32 bytes, and a permuted one nothing more") {
  Gpu g("1_3");
  g.access(kLoad, kA + 4, 4);
  CHECK(g.early().gld_128b == 1);
  CHECK(g.early().gld_64b == 1);
  CHECK(g.early().gld_32b == 1);
  CHECK(g.all().l2.dram_read == (128 + 64 + 32) / 32);
  Gpu h("1_3");
  std::vector<std::uint64_t> reversed;
  for (std::uint64_t l = 0; l < 32; ++l) reversed.push_back(kA + 4 * (31 - l));
  h.gather(kLoad, reversed);
  CHECK(h.early().gld_64b == 2);
  CHECK(h.early().gld_moved_bytes == 128);
}

TEST_CASE("1.x: shared memory and constants serialise warps") {
  Gpu g("1_3");
  g.access(Action::kShared, 0, 4);
  CHECK(g.early().warp_serialize == 0);
  CHECK(g.early().shared_load_transactions == 2);
  g.access(Action::kShared, 0, 8);
  CHECK(g.early().warp_serialize == 1);
  CHECK(g.early().shared_load_replays == 2);  // two half-warps, 2-way each
  g.access(Action::kConstant, 0, 4);
  CHECK(g.early().constant_serialized == 30);
  CHECK(g.early().warp_serialize == 2);
}

// ldu of PTX, LDU of Fermi's machine code: CUDA C programming guide 3.2, G.4.2.
TEST_CASE("2.0: a uniform load goes through the constant cache, later ones are read-only") {
  trace::Program program;
  program.level = trace::Level::kPtx;
  program.code = {{0, "ldu.global.u32 %r1, [%rd1];", 0, 0}};
  const std::vector<trace::Site> sites{{0, trace::Op::kLoad, trace::Space::kGlobal, 4}};
  const AccessPlan fermi = plan_sites(card_of("2_0"), sites, trace::DecodedProgram(program)).at(0);
  CHECK(fermi.action == Action::kConstant);
  const AccessPlan kepler = plan_sites(card_of("3_5"), sites, trace::DecodedProgram(program)).at(0);
  CHECK(kepler.action == kLoad);
  CHECK(kepler.read_only);
  program.code[0].text = "ld.global.u32 %r1, [%rd1];";
  CHECK(plan_sites(card_of("2_0"), sites, trace::DecodedProgram(program)).at(0).action == kLoad);

  Gpu g("2_0");
  g.access(fermi.action, kA, 0);  // one address for the warp: one look-up, and nothing of the L1
  CHECK(g.early().constant_serialized == 0);
  CHECK(g.early().l1_gld_miss == 0);
  CHECK(g.early().l1_gld_hit == 0);
  g.access(fermi.action, kA, 4);  // 32 of them, one after the other
  CHECK(g.early().constant_serialized == 31);
}

// BabelStream on a K40: 220.2 GB/s copied without ECC, 194.3 with it. NVIDIA's data sheets: an
// eighth of a C2050's 3 GB, a sixteenth of a K40's 12 GB.
TEST_CASE("ECC in the memory takes bandwidth and room") {
  model::Card k40 = model::load_card("k40").value();
  const auto gbps = [&] {
    const model::CardNumbers& n = k40.numbers();
    return static_cast<double>(model::dram_bandwidth(n) * 32 * n.clock_mhz) / 1e6;
  };
  CHECK(gbps() == Approx(220.2).epsilon(0.001));
  CHECK(model::dram_room(k40.numbers()) == std::uint64_t{12} << 30);
  REQUIRE(k40.set("dram.ecc", "on").ok());
  CHECK(gbps() == Approx(194.3).epsilon(0.001));
  CHECK(model::dram_room(k40.numbers()) == (std::uint64_t{12} << 30) / 16 * 15);
  model::Card c2050 = model::load_card("c2050").value();
  REQUIRE(c2050.set("dram.ecc", "on").ok());
  CHECK(model::dram_room(c2050.numbers()) == std::uint64_t{2688} << 20);  // 2.625 GiB
  model::Card h200 = model::load_card("h200").value();
  const auto refused = h200.set("dram.ecc", "on");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().text().find("dram.ecc_permille") != std::string::npos);
  CHECK_FALSE(c2050.set("dram.ecc", "maybe").ok());
}

TEST_CASE("2.0: loads come by lines through the L1; a store takes its line out") {
  Gpu g("2_0");
  g.access(kLoad, kA, 4, 4, 1);  // one lane brings the line
  CHECK(g.early().l1_gld_miss == 1);
  CHECK(g.early().l2_read_transactions == 4);
  g.access(kLoad, kA, 4);
  CHECK(g.early().l1_gld_hit == 1);
  g.access(kLoad, kA + 4, 4);  // two lines, one of them new
  CHECK(g.early().l1_gld_hit == 2);
  CHECK(g.early().l1_gld_miss == 2);
  CHECK(g.early().gld_transactions == 4);
  CHECK(g.early().global_replays == 1);
  g.access(kStore, kA, 4);
  CHECK(g.early().gst_transactions == 1);
  CHECK(g.early().l2_write_transactions == 4);
  g.access(kLoad, kA, 4);
  CHECK(g.early().l1_gld_miss == 3);
}

TEST_CASE("2.0: doubles and float4s are two and four lines") {
  Gpu g("2_0");
  g.access(kLoad, kA, 8, 8);
  CHECK(g.early().l1_gld_miss == 2);
  g.access(kLoad, kA + 4096, 16, 16);
  CHECK(g.early().l1_gld_miss == 6);
}

TEST_CASE("2.0 past the L1: -dlcm=cg for the run, .cg for a load; local memory stays in it") {
  Gpu g("2_0", {{"l1.cache", "local"}});
  g.access(kLoad, kA + 4, 4);
  CHECK(g.early().l1_gld_miss == 0);
  CHECK(g.early().gld_moved_bytes == 160);  // 80 % of it asked for
  CHECK(g.early().l2_read_transactions == 5);
  g.access(Action::kLocalStore, 0, 0);
  g.access(Action::kLocalLoad, 0, 0);
  CHECK(g.early().l1_local_hit == 1);
  Gpu h("2_0");
  h.plan.bypass_l1 = true;
  h.access(kLoad, kA, 4);
  h.access(kLoad, kA, 4);
  CHECK(h.early().l1_gld_hit + h.early().l1_gld_miss == 0);
  CHECK(h.early().l2_read_transactions == 8);
}

TEST_CASE("2.0: what the book's M2090 printed: offsets and columns") {
  // read_offset, offset 11: 132,384 lines for two loads of each of 32,928 warps, one store line
  // each (counters.csv, PCC-BOOK ch. 4): 49.69 % and 100 %.
  Gpu g("2_0");
  g.access(kLoad, kA + 44, 4);
  g.access(kLoad, kA + 0x10000 + 44, 4);
  g.access(kStore, kA + 0x20000, 4);
  EarlyCounters e = g.early();
  CHECK(e.gld_transactions == 4);
  CHECK(e.gst_transactions == 1);
  CHECK(percent(e.gld_requested_bytes, e.gld_moved_bytes) == 50);
  CHECK(percent(e.gst_requested_bytes, e.gst_moved_bytes) == 100);
  // copy_col, blocks of 16 x 16: 6.23 % and 25 %; transpose_naive_row: 50 % for loads.
  Gpu h("2_0");
  h.gather(kLoad, column(16, 2048));
  h.gather(kStore, column(16, 2048));
  e = h.early();
  CHECK(percent(e.gld_requested_bytes, e.gld_moved_bytes) == 6.25);
  CHECK(percent(e.gst_requested_bytes, e.gst_moved_bytes) == 25);
  Gpu k("2_0");
  std::vector<std::uint64_t> rows;
  for (std::uint64_t l = 0; l < 32; ++l) rows.push_back(kA + 4 * (l / 16 * 2048 + l % 16));
  k.gather(kLoad, rows);
  CHECK(percent(k.early().gld_requested_bytes, k.early().gld_moved_bytes) == 50);
}

TEST_CASE("2.0: a spilled register of all lanes is one line, written back when it has to go") {
  Gpu g("2_0", {{"shared.configs", "48KiB"}});  // 16 KiB of L1: 128 lines
  g.access(Action::kLocalStore, 0, 0);
  CHECK(g.early().local_store == 1);
  CHECK(g.early().l1_local_store_miss == 1);
  CHECK(g.early().l2_write_transactions == 0);
  for (std::uint64_t line = 0; line < 4000; ++line) g.access(kLoad, kA + 128 * line, 4);
  CHECK(g.early().l2_write_transactions == 4);
  g.access(Action::kLocalLoad, 0, 0);
  CHECK(g.early().l1_local_miss == 1);
}

TEST_CASE(
    "3.5: loads go to the L2 in segments and count as lines; read-only ones by textures' cache") {
  Gpu g("3_5");
  g.access(kLoad, kA + 4, 4);
  g.access(kLoad, kA + 4, 4);
  CHECK(g.early().gld_transactions == 4);
  CHECK(g.early().gld_moved_bytes == 320);
  CHECK(g.early().l1_gld_hit + g.early().l1_gld_miss == 0);
  CHECK(g.early().l2_read_transactions == 10);
  CHECK(g.early().l2_read_hits == 5);
  g.plan.read_only = true;
  g.access(kLoad, kA, 4);
  g.access(kLoad, kA, 4);
  CHECK(g.early().tex_requests == 8);
  CHECK(g.early().tex_hit == 4);
  CHECK(g.early().gld_request == 2);
  CHECK(g.early().l2_read_transactions == 14);
}

TEST_CASE("3.5: K80's efficiencies: one lane a warp 12.5 %, a block of 256 100 %") {
  Gpu g("3_5");
  g.access(kLoad, kA, 4, 4, 1);
  CHECK(percent(g.early().gld_requested_bytes, g.early().gld_moved_bytes) == 12.5);
  Gpu h("3_5");
  for (std::uint64_t w = 0; w < 8; ++w) h.access(kLoad, kA + 128 * w, 4);
  CHECK(percent(h.early().gld_requested_bytes, h.early().gld_moved_bytes) == 100);
}

TEST_CASE("3.5: an L1 for loads that ask, and for all of a run") {
  Gpu asked("3_5", {{"l1.cache", "local_asked"}});
  asked.access(kLoad, kA, 4);
  CHECK(asked.early().l1_gld_miss == 0);
  asked.plan.asks_l1 = true;
  asked.access(kLoad, kA, 4);
  CHECK(asked.early().l1_gld_miss == 1);
  Gpu on("3_5", {{"l1.cache", "on"}});
  on.access(kLoad, kA, 4);
  on.access(kLoad, kA, 4);
  CHECK(on.early().l1_gld_miss == 1);
  CHECK(on.early().l1_gld_hit == 1);
}

TEST_CASE("3.5: the 8-byte mode of shared memory serves a stride of two doubles in two passes") {
  for (const auto& [mode, stride, passes] :
       {std::tuple{"4", 8, 1u}, {"8", 8, 1u}, {"4", 16, 2u}, {"8", 16, 2u}, {"8", 12, 1u}}) {
    Gpu g("3_5", {{"shared.bank_bytes", mode}});
    g.access(Action::kShared, 0, stride, stride == 12 ? 4 : 8);
    INFO(mode << " " << stride);
    CHECK(g.early().shared_load_transactions >= passes);
    if (stride != 12) CHECK(g.early().shared_load_transactions == passes);
  }
}

TEST_CASE("6.1: loads count 16 transactions, coalesced or one word; stores four") {
  // gtx1080ti, copy_1d and matmul_naive: 16 a request (counters.csv, PASCAL and MM-1080).
  Gpu g("6_1");
  g.access(kLoad, kA, 4);
  CHECK(g.early().gld_transactions == 16);
  g.access(kLoad, kA, 0);
  CHECK(g.early().gld_transactions == 32);
  g.access(kStore, kA, 4);
  CHECK(g.early().gst_transactions == 4);
  CHECK(g.early().gld_request == 2);
}

TEST_CASE("6.1: GTX 1060's efficiencies of columns: 12.5, 25 and 50 %") {
  for (const auto& [x, efficiency] : {std::pair{32u, 12.5}, {16u, 25.0}, {8u, 50.0}}) {
    Gpu g("6_1");
    g.gather(kLoad, column(x, 16384));
    INFO(x);
    CHECK(percent(g.early().gld_requested_bytes, g.early().gld_moved_bytes) == efficiency);
  }
}

TEST_CASE(
    "6.1: global loads in the L1 when the run says so; requests find what one before brought") {
  Gpu g("6_1", {{"l1.cache", "loads"}});
  g.access(kLoad, kA, 0);  // four requests for one sector
  CHECK(g.early().l1_gld_miss == 1);
  CHECK(g.early().l1_gld_hit == 3);
  CHECK(g.early().l2_read_transactions == 1);
}

TEST_CASE(
    "GTX 280's partitions: a stride of 8 x 256 bytes camps on one of eight, hashed it does not") {
  const auto busy = [](std::vector<model::CardSetting> settings) {
    Gpu g("1_3", std::move(settings));
    for (std::uint64_t n = 0; n < 512; ++n) g.access(kLoad, kA + 8 * 256 * n, 4);
    const model::PartitionTraffic& t = *g.memory->dram_traffic();
    std::uint64_t all = 0;
    for (const std::uint64_t sectors : t.reads()) all += sectors;
    CHECK(all == 512 * 4);
    CHECK(g.all().l2.dram_read == all);
    return t.reads()[0] == all ? 1 : 8;
  };
  CHECK(busy({}) == 1);
  CHECK(busy({{"dram.map", "hashed"}}) > 1);
  // A wider interleave puts the stride on two of them: 512 bytes x 8 are two strides.
  Gpu g("1_3", {{"dram.interleave", "512"}});
  for (std::uint64_t n = 0; n < 512; ++n) g.access(kLoad, kA + 8 * 256 * n, 4);
  CHECK(g.memory->dram_traffic()->reads()[0] == 1024);
  CHECK(g.memory->dram_traffic()->reads()[4] == 1024);
  // Every channel by turns, side by side.
  Gpu even("1_3");
  for (std::uint64_t n = 0; n < 512; ++n) even.access(kLoad, kA + 128 * n, 4);
  for (const std::uint64_t sectors : even.memory->dram_traffic()->reads()) CHECK(sectors == 256);
}

TEST_CASE("dram.channels: a stride of 8 x 256 bytes meets two of sixteen") {
  Gpu g("1_3", {{"dram.channels", "16"}});
  for (std::uint64_t n = 0; n < 512; ++n) g.access(kLoad, kA + 8 * 256 * n, 4);
  CHECK(g.memory->dram_traffic()->reads()[0] == 1024);
  CHECK(g.memory->dram_traffic()->reads()[8] == 1024);
}

TEST_CASE("l2.partitions: what one of two has to hold alone does not fit; one of all holds it") {
  // Three blocks of 256 bytes of every six, of 768 KiB: 384 KiB, in an L2 of 768 KiB. In one piece
  // half of its 384 sets have 16 lines each. Of two, one has all six channels' first three: half of
  // its 192 sets by turns, but two of the three blocks fall on the same sets, 32 lines each.
  const auto second_pass = [](const char* partitions) {
    Gpu g("2_0", {{"l2.partitions", partitions}, {"dram.map", "plain"}, {"l1.cache", "local"}});
    std::uint64_t before = 0;
    for (int pass = 0; pass < 2; ++pass) {
      before = g.early().l2_read_hits;
      for (std::uint64_t block = 0; block < 768 * 4; ++block)
        if (block % 6 < 3)
          for (std::uint64_t line = 0; line < 2; ++line)
            g.access(kLoad, (block * 2 + line) * 128, 4);
    }
    return g.early().l2_read_hits - before;
  };
  CHECK(second_pass("1") == 384 * 1024 / 32);
  // Cyclic, with LRU: of what does not fit nothing is still there.
  CHECK(second_pass("2") == 384 * 1024 / 32 / 3);
}

TEST_CASE("camping: on a GTX 280 a diagonal order is 4.2 times as fast, on an M2090 it is not") {
  // Published, 2,048 x 2,048: 16.6 and 69.5 GB/s on a GTX 280, 103.2 and 81.4 on an M2090
  // (NVIDIA, "Optimizing matrix transpose in CUDA").
  const auto gain = [](const char* capability) {
    const auto reader =
        trace::TraceReader::open(std::string(WARPMEM_TEST_TRACES) + "/transposes_2048.wmt");
    REQUIRE(reader);
    ReplayOptions options;
    options.time = true;
    const auto result = replay(*reader, card_of(capability), options);
    REQUIRE(result);
    REQUIRE(result->details.size() == 2);
    // All partitions move the same; it is when.
    for (const ReplayedLaunch& launch : result->details) {
      const auto& reads = launch.dram_traffic->reads();
      if (std::string(capability) == "1_3")
        for (const std::uint64_t sectors : reads) CHECK(sectors == reads[0]);
    }
    const double camps = result->details[0].dram_traffic->busy_channels();
    const double spread = result->details[1].dram_traffic->busy_channels();
    if (std::string(capability) == "1_3") {
      CHECK(camps < 3);
      CHECK(spread > 6);
    }
    return static_cast<double>(result->details[0].time->cycles) /
           static_cast<double>(result->details[1].time->cycles);
  };
  CHECK(gain("1_3") == Approx(69.5 / 16.6).epsilon(0.2));
  CHECK(gain("2_0") < 1.2);
}

TEST_CASE("on every card both engines count real kernels alike, as far as addresses decide") {
  for (const char* capability : {"1_0", "1_3", "2_0", "3_5", "6_1"}) {
    const model::Card card = card_of(capability);
    for (const std::string& path : reference_traces(9000)) {
      INFO(capability << " " << path);
      const auto reader = trace::TraceReader::open(path);
      REQUIRE(reader);
      const auto counts = replay(*reader, card, {});
      if (!counts && counts.error().kind == ErrorKind::kUsage) continue;  // it does not fit an SM
      if (!counts) FAIL(counts.error().text());
      ReplayOptions options;
      options.time = true;
      const auto time = replay(*reader, card, options);
      if (!time) FAIL(time.error().text());
      ReplayOptions by_site;
      by_site.by_site = true;
      const auto observed = replay(*reader, card, by_site);
      REQUIRE(observed);
      for (std::size_t i = 0; i < counts->details.size(); ++i) {
        // Who listens changes nothing, and instructions add up to the launch.
        const ReplayedLaunch& seen = observed->details[i];
        CHECK(seen.counters == counts->details[i].counters);
        LaunchCounters sum = seen.beside;
        for (const LaunchCounters& site : seen.by_site) sum = sum + site;
        CHECK(sum == seen.counters);
        CHECK(seen.beside.early.gld_request == 0);
        const LaunchCounters &a = counts->details[i].counters, &b = time->details[i].counters;
        CHECK(time->details[i].time->cycles > 0);
        CHECK(b.early.gld_request == a.early.gld_request);
        CHECK(b.early.gld_transactions == a.early.gld_transactions);
        CHECK(b.early.gld_moved_bytes == a.early.gld_moved_bytes);
        CHECK(b.early.gst_transactions == a.early.gst_transactions);
        CHECK(b.early.gst_moved_bytes == a.early.gst_moved_bytes);
        CHECK(b.early.shared_load_transactions == a.early.shared_load_transactions);
        CHECK(b.early.shared_store_replays == a.early.shared_store_replays);
        CHECK(b.early.constant_serialized == a.early.constant_serialized);
        CHECK(b.early.local_load == a.early.local_load);
        CHECK(b.global_atom.sectors == a.global_atom.sectors);
        REQUIRE(counts->details[i].dram_traffic);
        std::uint64_t read = 0;
        for (const std::uint64_t s : counts->details[i].dram_traffic->reads()) read += s;
        CHECK(read + card.numbers().launch_dram_read_sectors == a.l2.dram_read);
      }
    }
  }
}

}  // namespace warpmem::sim
