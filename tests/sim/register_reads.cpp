// Reads of the two banks of registers, and what they cost, against cards/gpus/h200/pipe_mix.csv.
#include "sim/code/register_reads.hpp"

#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;
using sim::RegisterReads;

namespace {

std::vector<RegisterReads> reads(const std::vector<std::string>& text) {
  trace::Program p;
  for (const std::string& t : text)
    p.code.push_back({static_cast<std::uint32_t>(p.code.size() * 16), t});
  return sim::register_reads(trace::DecodedProgram(p));
}
RegisterReads reads(const std::string& text) { return reads(std::vector{text}).front(); }

// Cycles of a scheduler for a round of this code, eight warps taking turns.
double cycles_a_round(const std::vector<std::string>& round) {
  const auto run = [&](std::size_t rounds) {
    Kernel k = kernel(1, 1024);
    std::vector<Line> code;
    for (std::size_t r = 0; r < rounds; ++r)
      for (const std::string& t : round) code.push_back({t, control(1)});
    const auto end = static_cast<std::uint32_t>(code.size() * 16);
    code.push_back({"STG.E desc[UR4][R2.64], R5 ;", control(1)});
    code.push_back({"EXIT ;", control(5)});
    k.code = lines(code);
    k.sites = {{end, trace::Op::kStore, trace::Space::kGlobal, 4}};
    k.text.resize(1);
    k.fill = [](Warp& w) { w.records = {regular(0, kB + w.warp * 128, 4)}; };
    return static_cast<double>(timed(k, h200()).time->cycles);
  };
  return (run(96) - run(32)) / 64 / 8;
}

}  // namespace

TEST_CASE("an instruction reads its operands' banks") {
  CHECK(reads("FFMA R4, R18, R6, R7 ;") == RegisterReads{2, 1});
  CHECK(reads("FFMA R4, R4, R6, R8 ;") == RegisterReads{3, 0});
  CHECK(reads("FMUL R4, R5, R5 ;") == RegisterReads{0, 1});  // one register, read once
  CHECK(reads("FADD R1, RZ, -|R12| ;") == RegisterReads{1, 0});
  CHECK(reads("@!P1 FMUL R14, R14, 16777216 ;") == RegisterReads{1, 0});
  CHECK(reads("IADD3 R4, P0, R2, R3, RZ ;") == RegisterReads{1, 1});
  CHECK(reads("ISETP.GE.AND P0, PT, R0, UR4, PT ;") == RegisterReads{1, 0});
  CHECK(reads("LOP3.LUT P0, RZ, R11, 0x1f, RZ, 0xc0, !PT ;") == RegisterReads{0, 1});
  CHECK(reads("S2R R3, SR_TID.X ;") == RegisterReads{0, 0});
  CHECK(reads("UIADD3 UR4, UR5, 0x1, URZ ;") == RegisterReads{0, 0});
  CHECK(reads("LDG.E R4, desc[UR4][R2.64] ;") == RegisterReads{1, 1});
  CHECK(reads("STG.E.128 desc[UR4][R2.64], R8 ;") == RegisterReads{3, 3});
  CHECK(reads("STS [R5], R4 ;") == RegisterReads{1, 1});
  CHECK(reads("DFMA R4, R6, R8, R10 ;") == RegisterReads{0, 0});  // goes beside the others
}

TEST_CASE("an operand that the line before left is not read again") {
  const auto r = reads(std::vector<std::string>{
      "FFMA R4, R18, R6.reuse, R7.reuse ;", "FFMA R5, R20, R6, R7 ;", "FFMA R9, R22, R6, R7 ;"});
  CHECK(r[0] == RegisterReads{2, 1});
  CHECK(r[1] == RegisterReads{1, 0});
  CHECK(r[2] == RegisterReads{2, 1});  // the line before left none
  const auto other =
      reads(std::vector<std::string>{"FMUL R4, R6.reuse, R8 ;", "FMUL R5, R8, R6 ;"});
  CHECK(other[1] == RegisterReads{2, 0});  // another operand's place
}

TEST_CASE("time: banks of registers bound pairs of instructions as on an H200") {
  // What ptxas made of kernels/micro/pipe_mix.cu, in the order of its loop.
  const std::vector<std::string> ffma_lop3 = {
      "FFMA R18, R18, R6, R7 ;", "LOP3.LUT R12, R12, R8, R9, 0x96, !PT ;",
      "FFMA R4, R4, R6, R7 ;",   "LOP3.LUT R5, R5, R8, R9, 0x96, !PT ;",
      "FFMA R20, R20, R6, R7 ;", "LOP3.LUT R10, R10, R8, R9, 0x96, !PT ;",
      "FFMA R22, R22, R6, R7 ;", "LOP3.LUT R16, R16, R8, R9, 0x96, !PT ;"};
  CHECK(cycles_a_round(ffma_lop3) == Approx(4 * 3.79).epsilon(0.03));
  const std::vector<std::string> ffma_fmin = {
      "FFMA R4, R4, R8.reuse, R9.reuse ;",   "FMNMX R5, R5, R8.reuse, PT ;",
      "FFMA R14, R14, R8.reuse, R9.reuse ;", "FMNMX R15, R15, R8.reuse, PT ;",
      "FFMA R16, R16, R8.reuse, R9.reuse ;", "FMNMX R11, R11, R8.reuse, PT ;",
      "FFMA R12, R12, R8.reuse, R9.reuse ;", "FMNMX R13, R13, R8.reuse, PT ;"};
  CHECK(cycles_a_round(ffma_fmin) == Approx(4 * 2.06).epsilon(0.03));
}
