// CTAs an SM holds, on every card: against NVIDIA's own calculator (cuda_occupancy.h of CUDA 13.0,
// whose answers to random launches are in reference/occupancy.csv), and against what guides say of
// GPUs that it knows no more.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "model/card/sm_limits.hpp"
#include "tests/catch.hpp"

using namespace warpmem;

namespace {

SmLimits limits(const std::string& card) {
  const auto made = model::load_card(card);
  REQUIRE(made.ok());
  return model::sm_limits(*made);
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) out.push_back(cell);
  return out;
}

std::uint64_t limit(const std::string& cell) {
  return cell == "-1" ? Residency::kNoLimit : std::stoull(cell);
}

std::uint64_t warps(const SmLimits& sm, const CtaNeeds& cta) {
  const Residency r = residency(sm, cta);
  return r.ctas * r.warps;
}

}  // namespace

TEST_CASE("CTAs an SM holds are those of NVIDIA's calculator, from 3.5 to 12.0") {
  std::ifstream in(WARPMEM_OCCUPANCY);
  std::string line, card;
  std::getline(in, line);
  REQUIRE(line ==
          "card,threads,registers,shared_bytes,ctas,by_warps,by_ctas,by_registers,by_shared");
  SmLimits sm;
  std::size_t rows = 0;
  while (std::getline(in, line)) {
    const auto c = cells(line);
    REQUIRE(c.size() == 9);
    if (c[0] != card) card = c[0], sm = limits(card);
    const CtaNeeds needs{std::stoull(c[1]), std::stoull(c[2]), std::stoull(c[3])};
    const Residency r = residency(sm, needs);
    INFO(line);
    CHECK(r.ctas == std::stoull(c[4]));
    CHECK(r.by_warps == limit(c[5]));
    CHECK(r.by_ctas == limit(c[6]));
    CHECK(r.by_registers == limit(c[7]));
    CHECK(r.by_shared == limit(c[8]));
    CHECK((r.refusal == LaunchRefusal::kNone) == (std::stoull(c[4]) > 0));
    ++rows;
  }
  CHECK(rows == 660);
}

// CUDA C Best Practices Guide 3.2, 4.2: compute capability 1.1 has the G80's SM.
TEST_CASE("G80: 128 threads of 12 registers reach 83 %, 256 threads of as many 66 %") {
  const SmLimits sm = limits("8800gtx");
  CHECK(residency(sm, {128, 12, 0}).ctas == 5);
  CHECK(warps(sm, {128, 12, 0}) == 20);  // of 24
  CHECK(residency(sm, {256, 12, 0}).ctas == 2);
  CHECK(warps(sm, {256, 12, 0}) == 16);
  CHECK(warps(sm, {256, 10, 0}) == 24);  // 8,192 registers for 768 threads
}

// CUDA C Programming Guide 3.2, 5.2.3: an example of compute capability 1.2, as 1.3.
TEST_CASE("GT200: 16 registers let two CTAs of 512 threads reside, 17 let one") {
  const SmLimits sm = limits("gtx280");
  CHECK(residency(sm, {512, 16, 0}).ctas == 2);
  CHECK(residency(sm, {512, 17, 0}).ctas == 1);
}

TEST_CASE("GPUs of compute capability 1.x give registers to a CTA and count its warps in twos") {
  const SmLimits g80 = limits("8800gtx"), gt200 = limits("gtx280");
  // Three warps take the room of four: 17 x 32 x 4 = 2,176 registers, in units of 256 2,304.
  CHECK(residency(g80, {96, 17, 0}).registers == 2304);
  CHECK(residency(g80, {96, 17, 0}).by_registers == 3);
  CHECK(residency(g80, {96, 17, 0}).by_warps == 6);
  CHECK(residency(gt200, {96, 17, 0}).registers == 2560);  // in units of 512
  CHECK(residency(gt200, {96, 17, 0}).by_registers == 6);
  CHECK(residency(g80, {64, 8, 1}).shared == 512);
  CHECK(residency(g80, {513, 8, 0}).refusal == LaunchRefusal::kThreads);
}

// 32,768 registers and 1,536 threads leave each 21 by division; but a warp of 21 takes 768 (twice
// the unit), and of a scheduler's 16,384 that is 21 warps.
TEST_CASE("GF100: 20 registers fill an SM of 1,536 threads, 21 do not, 63 are the most") {
  const SmLimits sm = limits("c2050");
  CHECK(warps(sm, {192, 20, 0}) == 48);
  CHECK(warps(sm, {192, 21, 0}) == 42);
  CHECK(residency(sm, {256, 21, 0}).ctas == 5);  // 40 of 48 warps: 83 %
  CHECK(residency(sm, {256, 22, 0}).registers == 6144);
  CHECK(residency(sm, {256, 23, 0}).registers == 6144);
  CHECK(warps(sm, {256, 32, 0}) == 32);
  CHECK(warps(sm, {256, 63, 0}) == 16);
  CHECK(residency(sm, {256, 64, 0}).refusal == LaunchRefusal::kRegisters);
  CHECK(residency(sm, {192, 20, 8 * 1024}).ctas == 6);  // 48 KiB of shared memory
  CHECK(residency(sm, {192, 20, 8 * 1024 + 1}).ctas == 5);
}

// CUDA C++ Best Practices Guide 11 and later, "Calculating Occupancy".
TEST_CASE("GV100: 128 threads of 37 registers reach 75 %, 320 threads of as many 63 %") {
  const SmLimits sm = limits("v100");
  CHECK(residency(sm, {128, 37, 0}).ctas == 12);
  CHECK(warps(sm, {128, 37, 0}) == 48);  // of 64
  CHECK(residency(sm, {320, 37, 0}).ctas == 4);
  CHECK(warps(sm, {320, 37, 0}) == 40);
  CHECK(warps(sm, {256, 32, 0}) == 64);
}

// CUDA C++ Programming Guide, "Multiprocessor Level": an example of compute capability 6.x.
TEST_CASE("GP100: 64 registers let two CTAs of 512 threads reside, 65 let one") {
  const SmLimits sm = limits("p100");
  CHECK(residency(sm, {512, 64, 0}).ctas == 2);
  CHECK(residency(sm, {512, 65, 0}).ctas == 1);
}

TEST_CASE("what cannot run is CUDA's error, with what is asked for and what there is") {
  CHECK(refusal_text(limits("h200"), {256, 32, 0}, "h200").empty());
  CHECK(refusal_text(limits("8800gtx"), {768, 8, 0}, "8800gtx") ==
        "cudaErrorInvalidConfiguration (9): a CTA of 768 threads, 8800gtx allows 512");
  CHECK(refusal_text(limits("c2050"), {256, 64, 0}, "c2050") ==
        "cudaErrorLaunchOutOfResources (701): 64 registers a thread, c2050 allows 63");
  CHECK(refusal_text(limits("t4"), {1024, 72, 0}, "t4") ==
        "cudaErrorLaunchOutOfResources (701): a CTA of 1,024 threads with 72 registers each takes "
        "73,728, an SM of t4 "
        "has 65,536");
  CHECK(refusal_text(limits("m40"), {256, 32, 49153}, "m40").find("m40 allows 48 KiB") !=
        std::string::npos);
}
