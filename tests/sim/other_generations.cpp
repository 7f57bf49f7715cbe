// Time on GPUs other than Hopper: what others measured there, or NVIDIA documents.
#include "sim/probe/ladder.hpp"
#include "sim/probe/probe.hpp"
#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

namespace warpmem::testing {
namespace {

using sim::probe::Curve;

double probed(const std::string& gpu, Curve curve, std::uint64_t x, std::uint32_t bytes = 4) {
  const TemporaryFolder folder;
  const auto card = must(model::load_card(gpu));
  return must(sim::probe::measure(
                  card, {curve, {x}, false, false, bytes, 512 << 10, folder.file("p.wmt")}))
      .front()
      .y;
}

sim::probe::Ladder ladder(const std::string& gpu) {
  const TemporaryFolder folder;
  return must(sim::probe::ladder_of(must(model::load_card(gpu)), folder.file("p.wmt")));
}

// Eight warps of so many instructions, on one SM.
Kernel straight(std::size_t instructions) {
  Kernel k = kernel(1, 256);
  for (std::size_t i = 0; i < instructions; ++i)
    k.code.push_back({static_cast<std::uint32_t>(16 * i), "MOV R1, 0x0", 0, 0, control(1)});
  const auto pc = static_cast<std::uint32_t>(16 * instructions);
  k.code.push_back({pc, "LDG.E R2, [R2.64]", 0, 0, control(1, 0)});
  k.code.push_back({pc + 16, "EXIT", 0, 0, control(5)});
  k.sites.push_back({pc, Op::kLoad, Space::kGlobal, 4});
  k.fill = [](Warp& w) { w.records.push_back(regular(0, kA, 0)); };
  return k;
}

std::uint64_t cycles_between(const std::string& gpu, std::size_t few, std::size_t many) {
  const auto card = must(model::load_card(gpu));
  return timed(straight(many), card).time->cycles - timed(straight(few), card).time->cycles;
}

TEST_CASE("an SM of compute capability 1.3 issues an instruction every four cycles") {
  // CUDA C programming guide 4.x, F.3.1; 200 instructions of each of eight warps. Code that comes
  // in for the first time takes its time as well.
  CHECK(cycles_between("gtx280", 100, 300) == Approx(8 * 200 * 4).epsilon(0.05));
}

TEST_CASE("an SM of compute capability 2.0 issues two every two cycles") {
  CHECK(cycles_between("c2050", 100, 300) == Approx(8 * 200).epsilon(0.05));
}

TEST_CASE("any stride costs compute capability 1.0 as much as the largest, and not 1.3") {
  // CUDA C best practices guide 4.x, figure 3: lanes that leave gaps are served one by one, or by
  // segments. A CTA has 512 threads at most there.
  CHECK(probed("8800gtx", Curve::kStride, 2) == probed("8800gtx", Curve::kStride, 32));
  CHECK(probed("gtx280", Curve::kStride, 2) < probed("gtx280", Curve::kStride, 32) / 4);
}

TEST_CASE("an L1 of compute capability 8.6 gives 64 bytes a cycle, of 8.0 all 128") {
  // RRZE-HPC gpu-benches, cycles a load of a warp that hits: A40 and A100.
  CHECK(probed("rtx3090", Curve::kStride, 1) == Approx(2.0).epsilon(0.05));
  CHECK(probed("a100_80", Curve::kStride, 1) == Approx(1.02).epsilon(0.06));
  CHECK(probed("a100_80", Curve::kStride, 16) == Approx(16.0).epsilon(0.05));
  CHECK(probed("a100_80", Curve::kStride, 8, 8) == Approx(16.0).epsilon(0.05));
}

TEST_CASE("a chase on a V100 takes what was measured at each level") {
  // RRZE-HPC gpu-benches: 27.9 to 28.0 cycles in the L1, 212 in the L2, 425 in DRAM.
  CHECK(probed("v100", Curve::kLatency, 64 << 10) == Approx(28.0).epsilon(0.05));
  CHECK(probed("v100", Curve::kLatency, 1 << 20) == Approx(212).epsilon(0.05));
  CHECK(probed("v100", Curve::kLatency, 64 << 20) == Approx(425).epsilon(0.05));
}

TEST_CASE("kernels of loads reach on each level what was measured") {
  // ekondis gpumembench, a GTX 480: 63.8 bytes a shader cycle of shared memory, 59.4 of the L1.
  const auto fermi = ladder("c2050");
  CHECK(fermi.shared == Approx(14 * 1.15 * 63.8).epsilon(0.02));
  CHECK(fermi.l1 == Approx(14 * 1.15 * 59.4).epsilon(0.1));
  CHECK(fermi.global <= 144);
  const auto gt200 = ladder("gtx280");
  CHECK(gt200.l1 < 0);
  CHECK(gt200.l2 < 0);
  CHECK(gt200.global <= 141.7);
  CHECK(gt200.host == Approx(5.7).epsilon(0.02));
}

// Seconds of both transposes of the trace: tile by tile, and with CTAs along diagonals.
std::pair<double, double> transposes(const model::Card& card) {
  const auto reader =
      must(trace::TraceReader::open(std::string(WARPMEM_TEST_TRACES) + "/transposes_2048.wmt"));
  sim::ReplayOptions options;
  options.time = true;
  const auto replayed = must(sim::replay(reader, card, options));
  const double hz = 1e6 * static_cast<double>(card.numbers().clock_mhz);
  return {static_cast<double>(replayed.details.at(0).time->cycles) / hz,
          static_cast<double>(replayed.details.at(1).time->cycles) / hz};
}

TEST_CASE("a transpose on a GTX 280 camps on one partition, and its diagonal order does not") {
  // NVIDIA's transpose sample, 2,048 x 2,048 floats: 16.6 and 69.5 GB/s.
  const auto [plain, diagonal] = transposes(must(model::load_card("gtx280")));
  CHECK(plain / diagonal == Approx(69.5 / 16.6).epsilon(0.2));
}

TEST_CASE("on an M2090 the diagonal order gains nothing") {
  // The same sample: 103.2 and 81.4 GB/s.
  auto card = must(model::load_card("c2050"));
  must(card.set({{{"sm.count", "16"}, {"sm.clock_mhz", "1300"}, {"dram.rate_mbps", "3696"}}}));
  const auto [plain, diagonal] = transposes(card);
  CHECK(diagonal > 0.95 * plain);
}

}  // namespace
}  // namespace warpmem::testing
