// What nvdisasm prints, read back; and what the recorder learns from an instruction's text.
#include "binary/disassembly/disassembly.hpp"

#include "binary/cubin/code_map.hpp"
#include "isa/sass/places.hpp"
#include "tests/catch.hpp"

using namespace warpmem::record;
using warpmem::trace::moved;
using warpmem::trace::with_place;

namespace {

bool reduces(const char* text) { return is_reduction(*warpmem::trace::decode_instruction(text)); }

std::optional<std::uint32_t> frame_at(const char* text) {
  CodeMap code;
  code.learn(0x40, warpmem::trace::DecodedLine(text), true);
  const auto at = code.frame_offsets.find(0x40);
  return at == code.frame_offsets.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace

TEST_CASE("sections, instructions, source lines and branch targets are read",
          "[record][disassembly]") {
  const Disassembly listing = parse_disassembly(
      "\t.target\tsm_90\n\n"
      "//--------------------- .text._Z4copyPf          --------------------------\n"
      "\t.section\t.text._Z4copyPf,\"ax\",@progbits\n"
      "\t.align\t128\n"
      "        .global         _Z4copyPf\n"
      ".text._Z4copyPf:\n"
      "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
      "\t//## File \"/src/copy.cu\", line 12\n"
      ".L_x_1:\n"
      "        /*0010*/              @!P0 LDG.E R7, desc[UR6][R2.64+0x1c] ;            "
      "(*\"SpillRefill\"*)\n"
      "\t//## File \"/src/other.cuh\", line 3 inlined at \"/src/copy.cu\", line 14\n"
      "        /*0020*/               @P1 BRA `(.L_x_1) ;\n"
      "        /*0030*/                   BRA `(.L_x_2);\n"
      "        /*0038*/                   BRX R4 -0x1e0      (*\"BRANCH_TARGETS "
      ".L_x_1,.L_x_2\"*);\n"
      ".L_x_2:\n"
      "        /*0040*/                   EXIT ;\n"
      "\t.section\t.text._Z5otherPf,\"ax\",@progbits\n"
      "        /*0000*/                   BRA `(.L_x_1);\n");
  REQUIRE(listing.sections.size() == 2);
  const CodeSection* copy = listing.find(".text._Z4copyPf");
  REQUIRE(copy != nullptr);
  REQUIRE(copy->code.size() == 6);
  CHECK(copy->code[0].text == "LDC R1, c[0x0][0x28]");
  CHECK(copy->code[0].line == 0);
  CHECK(copy->code[1].pc == 0x10);
  CHECK(copy->code[1].text == "@!P0 LDG.E R7, desc[UR6][R2.64+0x1c]");
  CHECK(listing.files[copy->code[1].file] == "/src/copy.cu");
  CHECK(copy->code[1].line == 12);
  CHECK(copy->code[2].text == "@P1 BRA 0x10");
  CHECK(listing.files[copy->code[2].file] == "/src/other.cuh");
  CHECK(copy->code[2].line == 3);
  CHECK(copy->code[3].text == "BRA 0x40");
  CHECK(copy->code[4].text.find("(*\"BRANCH_TARGETS 0x10,0x40\"*)") != std::string::npos);
  const CodeSection* other = listing.find(".text._Z5otherPf");
  REQUIRE(other != nullptr);
  CHECK(other->code[0].text == "BRA `(.L_x_1)");  // not in this section
  CHECK(other->code[0].line == 0);
}

TEST_CASE("a section's flags begin no other section", "[record][disassembly]") {
  const Disassembly listing =
      parse_disassembly(  // as cubins of CUDA 12 have them of kernels with barriers
          "\t.section\t.text.gemm,\"ax\",@progbits\n"
          "\t.sectionflags\t@\"SHF_BARRIERS=1\"\n"
          ".text.gemm:\n"
          "        /*0000*/                   EXIT ;\n");
  REQUIRE(listing.sections.size() == 1);
  REQUIRE(listing.find(".text.gemm") != nullptr);
  CHECK(listing.find(".text.gemm")->code.size() == 1);
}

TEST_CASE("text that is no listing gives nothing", "[record][disassembly]") {
  for (const char* text :
       {"", "\n\n", "/*", "/*00", "//## File \"", ".section", "nvdisasm fatal : no\n"}) {
    CHECK(parse_disassembly(text).find(".text.f") == nullptr);
  }
}

TEST_CASE("a missing nvdisasm is an error with a fix", "[record][disassembly]") {
  const unsigned char image[] = {1, 2, 3};
  const std::uint32_t symbols[] = {1};
  const auto listing = disassemble("/no/such/nvdisasm", image, symbols);
  REQUIRE_FALSE(listing.ok());
  CHECK(listing.error().kind == warpmem::ErrorKind::kEnvironment);
  CHECK(listing.error().fix.find("WARPMEM_NVDISASM") != std::string::npos);
}

TEST_CASE("reductions and places in the frame are seen in the text", "[record][disassembly]") {
  CHECK(reduces("RED.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R5"));
  CHECK(reduces("@!P0 REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R5"));
  CHECK_FALSE(reduces("REDUX.SUM UR5, R2"));
  CHECK_FALSE(reduces("ATOMG.E.ADD R2, [R4.64], R5"));
  CHECK(frame_at("STL.128 [R1+0x10], R4") == 0x10u);
  CHECK(frame_at("@P0 LDL.LU R5, [R1]") == 0u);
  CHECK_FALSE(frame_at("LDL R5, [R10+0x10]"));
  CHECK_FALSE(frame_at("LDL R5, [R12]"));
  CHECK_FALSE(frame_at("LDS R5, [R1+0x10]"));
  CHECK_FALSE(frame_at(""));
  CHECK_FALSE(frame_at("@P0"));
}

TEST_CASE("where a section begins further on, so do the places in it that its code names",
          "[record][disassembly]") {
  CHECK(moved("@!P0 BRA 0x310", 0x600) == "@!P0 BRA 0x910");
  CHECK(moved("BSSY B0, 0x40", 0x600) == "BSSY B0, 0x640");
  CHECK(moved("BRX R4 -0x40 (*\"BRANCH_TARGETS 0x1e0,0x460\"*)", 0x100) ==
        "BRX R4 -0x40 (*\"BRANCH_TARGETS 0x2e0,0x560\"*)");
  for (const char* still : {"IADD3 R1, R2, 0x310, RZ", "LDG.E R1, desc[UR4][R2.64+0x10]",
                            "CALL.ABS.NOINC `(_Z1fv)", "RET.REL.NODEC R20 `(_Z1kv)"})
    CHECK(moved(still, 0x600) == still);
  CHECK(moved("BRA 0x310", 0) == "BRA 0x310");
}

TEST_CASE("calls by name become calls of a place, where the function has one",
          "[record][disassembly]") {
  const std::map<std::string, std::uint32_t> starts{{"_Z1fv", 0x680}, {"_Z1kv", 0x900}};
  CHECK(with_place("CALL.ABS.NOINC `(_Z1fv)", starts) == "CALL.ABS.NOINC 0x680");
  CHECK(with_place("@!P0 CALL.REL.NOINC `(_Z1kv)", starts) == "@!P0 CALL.REL.NOINC 0x900");
  for (const char* still :
       {"CALL.REL.NOINC R4 `(_Z1kv)", "CALL.ABS.NOINC `(malloc)", "CALL.ABS.NOINC R8 `(malloc)",
        "RET.REL.NODEC R20 `(_Z1kv)", "CALL.ABS.NOINC R8", "CALL.ABS.NOINC `(_Z1fv"})
    CHECK(with_place(still, starts) == still);
}

TEST_CASE("program counters become offsets, callees behind the kernel", "[record][disassembly]") {
  CodeMap code;
  code.ranges = {{0x7f00000000, 0x600, 0}, {0x7e00000100, 0x100, 0x600}};
  CHECK(code.offset_of(0x00000000) == 0);
  CHECK(code.offset_of(0x000005f0) == 0x5f0);
  CHECK(code.offset_of(0x00000600) == kForeignPc);
  CHECK(code.offset_of(0x00000110) == 0x110);  // the kernel comes first
  code.ranges[0].pc = 0x7fffffff80;            // low halves run over
  CHECK(code.offset_of(0x00000010) == 0x90);
}
