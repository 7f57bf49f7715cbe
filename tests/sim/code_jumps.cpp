// Code that warps jump to, and parameters, against what an H200's clock said
// (cards/gpus/h200/code_jump.csv).
#include <sstream>

#include "sim/time/code_cache.hpp"
#include "sim/time/parameter_lines.hpp"
#include "tests/catch.hpp"
#include "tests/sim/h200_rows.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

std::vector<double> numbers(const std::string& text) {
  std::istringstream in(text);
  std::vector<double> out;
  for (double v; in >> v;) out.push_back(v);
  return out;
}

double mean(const std::vector<double>& v, std::size_t from, std::size_t to) {
  double sum = 0;
  for (std::size_t k = from; k < to; ++k) sum += v[k];
  return sum / static_cast<double>(to - from);
}

// Three rounds of the program's 24 blocks: cycles from landing to landing.
std::vector<std::vector<double>> rounds(std::uint32_t block, bool run) {
  const model::Card card = h200();
  const std::uint32_t bytes = 16 * (block + 3);
  const auto piece = static_cast<std::uint32_t>(card.numbers().code_piece_bytes);
  sim::CodeCache code(card.numbers(), 24 * bytes);
  std::uint64_t now = 0;
  std::vector<std::vector<double>> out(3);
  for (std::vector<double>& round : out)
    for (std::uint32_t k = 0; k < 24; ++k) {
      const std::uint64_t before = now;
      const std::uint32_t first = k * bytes, end = first + (run ? bytes : 48);
      for (std::uint32_t p = first / piece; p * piece < end; ++p) {
        now = code.fetch(p, now);
        const std::uint32_t from = std::max(first, p * piece);
        const std::uint32_t to = std::min(end, (p + 1) * piece);
        now += run ? (to - from) / 16 * 4 : 0;  // multiply-adds that wait for one another
      }
      now += run ? 11 : 24;  // the landing itself, come to by itself or by a jump
      round.push_back(static_cast<double>(now - before));
    }
  return out;
}

}  // namespace

TEST_CASE("time: a jump to code that the SM lacks waits for it, as long as it is far") {
  const model::Card card = h200();
  std::size_t cases = 0;
  for (auto& row : rows_of("code_jump.csv")) {
    if (row["kind"] != "jumped" || row["threads"] != "32") continue;
    const auto block = static_cast<std::uint32_t>(std::stoul(row["size"]));
    const auto round = std::stoul(row["round"]);
    INFO(block << " instructions, " << row["ctas"] << " SMs, round " << round);
    const std::vector<double> hardware = numbers(row["cycles"]),
                              model = rounds(block, false)[round];
    if (round > 0 && block <= 128) {
      // All is there; the H200 takes 11 cycles for what its schedulers lack.
      CHECK(mean(model, 0, 24) == Approx(24));
      CHECK(mean(hardware, 0, 24) < 44);
    } else if (block == 1024 && round == 0) {  // beyond what the launch has brought
      CHECK(mean(model, 12, 24) == Approx(mean(hardware, 12, 24)).epsilon(0.15));
    } else if (block == 1024) {
      // So far apart, the landings push each other out of the GPC's cache, whose sets the model
      // does not know.
      const auto again = static_cast<double>(card.numbers().code_group_again_jump_cycles);
      CHECK(36 + again == Approx(mean(hardware, 12, 24)).epsilon(0.05));
    } else if (block <= 128 && block >= 64) {
      CHECK(mean(model, 0, 24) == Approx(mean(hardware, 0, 24)).epsilon(0.3));
    } else {
      continue;
    }
    ++cases;
  }
  CHECK(cases == 26);
}

TEST_CASE("time: a launch brings the beginning of its code, what lies behind comes slowly") {
  std::size_t cases = 0;
  for (auto& row : rows_of("code_jump.csv")) {
    if (row["kind"] != "run" || row["round"] != "0") continue;
    const auto block = static_cast<std::uint32_t>(std::stoul(row["size"]));
    INFO(block << " instructions, " << row["ctas"] << " SMs");
    const std::vector<double> hardware = numbers(row["cycles"]), model = rounds(block, true)[0];
    CHECK(mean(model, 0, 24) * 24 == Approx(mean(hardware, 0, 24) * 24).epsilon(0.1));
    ++cases;
  }
  CHECK(cases == 14);
}

TEST_CASE("time: each line of parameters is waited for once, by operands and by loads") {
  const model::Card card = h200();
  const model::CardNumbers& n = card.numbers();
  std::size_t cases = 0;
  for (auto& row : rows_of("code_jump.csv")) {
    if (row["kind"] != "parameters" || row["ctas"] != "1") continue;
    const auto step = static_cast<std::uint32_t>(std::stoul(row["size"]));
    const std::vector<double> hardware = numbers(row["cycles"]);
    sim::ParameterLines operands;
    for (std::uint32_t k = 1; k < 12; ++k) {  // the first one is loaded
      INFO(step << " bytes apart, word " << k);
      const std::uint32_t line = (0x210 + k * step) / sim::kParameterLine;
      const std::uint64_t now = 1000 * k;
      const std::uint64_t waits =
          operands.fetch(std::uint64_t{1} << line, now, n.constant_operand_cycles) - now;
      CHECK(31 + static_cast<double>(waits) == Approx(hardware[k]).margin(1.1));
      ++cases;
    }
  }
  CHECK(cases == 66);
}

TEST_CASE("time: a warp waits for lines of parameters that its SM has not read") {
  // Two additions of parameters; the second one in the same line, or in another.
  const auto run = [](const std::string& second) {
    Kernel k = kernel(1, 32);
    k.code = lines({{"FADD R5, R4, c[0x0][0x240] ;", control(4)},
                    {"FADD R5, R5, " + second + " ;", control(4)},
                    {"STG.E desc[UR4][R2.64], R5 ;", control(1)},
                    {"EXIT ;", control(5)}});
    k.sites = {{0x20, trace::Op::kStore, trace::Space::kGlobal, 4}};
    k.text.resize(1);
    k.fill = [](Warp& w) { w.records.push_back(regular(0, kB, 4)); };
    return cycles(k);
  };
  const std::uint64_t once = run("c[0x0][0x244]");
  CHECK(run("R6") == once);
  CHECK(run("c[0x0][0x280]") == once + h200().numbers().constant_operand_cycles);
  CHECK(run("c[0x3][0x10]") > once);
}
