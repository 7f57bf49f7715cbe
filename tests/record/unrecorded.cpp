// What the recorder says of accesses that call no patch.
#include "traces/record/unrecorded.hpp"

#include "tests/catch.hpp"

using namespace warpmem;

namespace {

std::string of(std::vector<const char*> texts) {
  std::vector<trace::Instruction> code;
  for (const char* text : texts)
    code.push_back({static_cast<std::uint32_t>(code.size() * 16), text, 0, 0});
  return record::unrecorded(trace::decode_lines(code));
}

}  // namespace

TEST_CASE("copies through tensor maps and textures are named with the counters that lack them",
          "[record]") {
  const std::string text =
      of({"LDG.E R0, desc[UR4][R2.64]", "@UP0 UTMASTG.2D [UR16], [UR4]", "UTMALDG.2D [UR4], [UR8]",
          "UTMALDG.2D [UR4], [UR8]", "TEX.SCR.LL RZ, R0, R2, R4, 0x0, 0x5a, 2D, 0x1"});
  CHECK(text ==
        "copies through tensor maps (UTMALDG, UTMASTG), missing in smsp__inst_executed_op_tma_*, "
        "l1tex__m_*, lts__* and dram__*; texture and surface accesses (TEX), missing in "
        "l1tex__*_pipe_tex_*, l1tex__m_*, lts__* and dram__*");
}

TEST_CASE("of what is recorded nothing is said", "[record]") {
  CHECK(of({}).empty());
  CHECK(of({"LDG.E R0, desc[UR4][R2.64]", "UBLKCP [UR4], [UR6], UR8",
            "LDGSTS.E.BYPASS.128 [R3], [R4.64]",
            "HGMMA.64x64x16.F32.BF16 R24, gdesc[UR8], R24, gsb0", "UTMACMDFLUSH"})
            .empty());
}
