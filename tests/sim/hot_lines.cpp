// Reductions that all SMs do on a few lines, held against how long an H200 took for them
// (cards/gpus/h200/l2_slices.csv): the kernels of kernels/micro/l2_slices.cu.
#include "tests/catch.hpp"
#include "tests/sim/h200_rows.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

// Warp w adds to line (w + round) % lines of some `apart` bytes from each other; `word`: one lane
// does.
std::uint64_t cycles(std::uint64_t apart, std::uint64_t lines, std::uint64_t rounds, bool word) {
  Kernel k = kernel(132, 256);
  k.code = testing::lines({{"RED.E.ADD [R10.64], R7 ;", control(2, kNone, 2)},
                           {"@P0 BRA 0x0 ;", control(5)},
                           {"EXIT ;"}});
  k.sites = {{0x00, Op::kReduction, Space::kGlobal, 4}};
  k.text.resize(1);
  k.fill = [=](Warp& w) {
    for (std::uint64_t r = 0; r < rounds; ++r) {
      const std::uint64_t at = kA + (w.cta * 8 + w.warp + r) % lines * apart;
      w.records.push_back(word ? listed(w, 0, 1, [&](unsigned) { return at; }) : regular(0, at, 4));
    }
  };
  return timed(k, h200()).time->cycles;
}

}  // namespace

TEST_CASE("reductions of all SMs on a few lines or words take as long as on an H200") {
  int rows = 0;
  for (const auto& row : rows_of("l2_slices.csv")) {
    const auto number = [&](const char* name) { return std::stoull(row.at(name)); };
    const bool word = row.at("case") == "\"word\"";
    // More lines are in slices that no one knows.
    if ((row.at("case") != "\"red\"" && !word) || number("lines") > 8) continue;
    ++rows;
    INFO(row.at("case") << " on " << row.at("lines") << ", " << row.at("apart") << " bytes apart");
    const auto mine = cycles(number("apart"), number("lines"), number("rounds"), word);
    CHECK(static_cast<double>(mine) ==
          Approx(static_cast<double>(number("sm__cycles_elapsed.max"))).epsilon(0.08));
  }
  CHECK(rows == 7);
}
