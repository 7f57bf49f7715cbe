// Reads past the L1 that neighbouring warps make of the same lines, held against an H200
// (kernels/micro/own_reads.cu).
#include "tests/catch.hpp"
#include "tests/sim/h200_rows.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

// in[i] + in[i + 1] + in[i + 2]: requests to the L2 a warp.
double sum_of_three(std::uint32_t ctas, std::uint32_t warps) {
  Kernel k = kernel(ctas, warps * 32);
  std::vector<std::uint32_t> loads;
  for (const char* text :
       {"LDG.E.STRONG.GPU R4, desc[UR4][R2.64] ;", "LDG.E.STRONG.GPU R5, desc[UR4][R2.64+0x4] ;",
        "LDG.E.STRONG.GPU R6, desc[UR4][R2.64+0x8] ;"})
    loads.push_back(k.site(Op::kLoad, Space::kGlobal, 4, text));
  k.fill = [=](Warp& w) {
    const std::uint64_t at = kA + (w.cta * warps + w.warp) * 128;
    for (std::uint32_t i = 0; i < 3; ++i) w.records.push_back(regular(loads[i], at + i * 4, 4));
  };
  return static_cast<double>(timed(k, h200()).counters.l2.read_requests) / (ctas * warps);
}

}  // namespace

TEST_CASE(
    "time: reads that wait for the first translation go on in turn, and few of them share a "
    "request") {
  int rows = 0;
  for (const auto& row : rows_of("own_reads.csv")) {
    if (row.at("kind") != "sum3" || row.at("cold") != "0") continue;
    const auto ctas = static_cast<std::uint32_t>(std::stoul(row.at("ctas"))),
               warps = static_cast<std::uint32_t>(std::stoul(row.at("warps")));
    if (ctas > 132 || (warps * ctas > 1 && warps == 1)) continue;
    const double measured = std::stod(row.at("requests")) / (ctas * warps),
                 model = sum_of_three(ctas, warps);
    INFO(ctas << " CTAs of " << warps << " warps: " << model << " requests a warp, measured "
              << measured);
    CHECK(model == Approx(measured).epsilon(0.35));
    ++rows;
  }
  CHECK(rows == 4);
}
