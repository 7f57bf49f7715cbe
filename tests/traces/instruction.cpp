// Lines as nvdisasm and cuobjdump print them, from sm_75 to sm_120.
#include "isa/sass/instruction.hpp"

#include "tests/catch.hpp"

using namespace warpmem;
using namespace warpmem::trace;

namespace {

std::string names(const std::vector<RegisterRange>& ranges) {
  constexpr const char* kFiles[] = {"R", "UR", "P", "UP"};
  std::string out;
  for (const RegisterRange& range : ranges) {
    if (!out.empty()) out += ' ';
    out += kFiles[static_cast<int>(range.file)] + std::to_string(range.first);
    if (range.count > 1) out += "-" + std::to_string(range.first + range.count - 1);
  }
  return out;
}

struct Line {
  const char* text;
  InstructionKind kind;
  Space space;
  std::uint32_t bytes;
  const char* destinations;
  const char* sources;
};

using K = InstructionKind;
using S = Space;

const Line kLines[] = {
    // Loads and stores; the descriptor and the address are 64 bits each.
    {"LDG.E R4, desc[UR36][R4.64] ;", K::kLoad, S::kGlobal, 4, "R4", "UR36-37 R4-5"},
    {"@!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64+0x10] ;", K::kLoad, S::kGlobal, 16, "R4-7",
     "P0 UR4-5 R2-3"},
    {"LDG.E.SYS R4, [UR36] ;", K::kLoad, S::kGlobal, 4, "R4", "UR36-37"},
    {"LDG.E.U8.SYS R0, [R10.64+UR4] ;", K::kLoad, S::kGlobal, 1, "R0", "R10-11 UR4-5"},
    {"LDG.E.U16 R3, [R2.64]", K::kLoad, S::kGlobal, 2, "R3", "R2-3"},
    {"LDG.E.ENL2.256 R12, R8, desc[UR4][R2.64] ;", K::kLoad, S::kGlobal, 32, "R12-15 R8-11",
     "UR4-5 R2-3"},
    {"STG.E.ENL2.256 desc[UR4][R4.64], R8, R12 ;", K::kStore, S::kGlobal, 32, "",
     "UR4-5 R4-5 R8-11 R12-15"},
    {"STG.E.64 desc[UR10][R2.64+0x10], R8 ;", K::kStore, S::kGlobal, 8, "", "UR10-11 R2-3 R8-9"},
    {"LD.E R11, desc[UR6][R8.64+0x4] ;", K::kLoad, S::kNone, 4, "R11", "UR6-7 R8-9"},
    {"LDS.U.64 R6, [R6.X16] ;", K::kLoad, S::kShared, 8, "R6-7", "R6"},
    {"STS [R15.X4], R17 ;", K::kStore, S::kShared, 4, "", "R15 R17"},
    {"STS.128 [R0], RZ ;", K::kStore, S::kShared, 16, "", "R0"},
    {"LDL R0, [R7+0x18] ;", K::kLoad, S::kLocal, 4, "R0", "R7"},
    {"STL.128 [R1+0x10], R16 ;", K::kStore, S::kLocal, 16, "", "R1 R16-19"},
    {"LDC.64 R4, c[0x0][0x210] ;", K::kLoad, S::kConstant, 8, "R4-5", ""},
    {"LDC R2, c[0x2][R0] ;", K::kLoad, S::kConstant, 4, "R2", "R0"},
    {"ULDC.64 UR36, c[0x0][0x208] ;", K::kLoad, S::kConstant, 8, "UR36-37", ""},
    {"@!PT LDS RZ, [RZ] ;", K::kLoad, S::kShared, 4, "", ""},
    {"STAS [R10.64], R7 ;", K::kStore, S::kRemoteShared, 4, "", "R10-11 R7"},
    // Atomics return a value, reductions do not.
    {"ATOMG.E.ADD.STRONG.GPU PT, R17, desc[UR10][R14.64+0x4], R17 ;", K::kAtomic, S::kGlobal, 4,
     "R17", "UR10-11 R14-15 R17"},
    {"ATOMG.E.CAS.64.STRONG.GPU PT, R6, [R14+0x8], R4, R8 ;", K::kAtomic, S::kGlobal, 8, "R6-7",
     "R14-15 R4-5 R8-9"},
    {"ATOM.E.ADD.F16x2.RN.STRONG.GPU P0, RZ, [R6.64], RZ ;", K::kAtomic, S::kNone, 4, "P0", "R6-7"},
    {"ATOMS.ADD R11, [R11.X4], R10 ;", K::kAtomic, S::kShared, 4, "R11", "R11 R10"},
    {"ATOMS.CAST.SPIN P0, [R4], R8, R9 ;", K::kAtomic, S::kShared, 4, "P0", "R4 R8 R9"},
    {"ATOMS.CAST.SPIN R5, [R2], R4, R5 ;", K::kAtomic, S::kShared, 4, "R5", "R2 R4 R5"},
    {"ATOMS.POPC.INC.32 RZ, [R16+UR6] ;", K::kAtomic, S::kShared, 4, "", "R16 UR6"},
    {"RED.E.ADD.F32.FTZ.RN.STRONG.GPU [UR4+-0xc], R0 ;", K::kReduction, S::kNone, 4, "",
     "UR4-5 R0"},
    {"REDG.E.ADD.F64.RN.STRONG.GPU desc[UR10][R6.64], R16 ;", K::kReduction, S::kGlobal, 8, "",
     "UR10-11 R6-7 R16-17"},
    {"REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU desc[UR10][R4.64], R12 ;", K::kReduction, S::kGlobal, 16,
     "", "UR10-11 R4-5 R12-15"},
    // Asynchronous and bulk copies, matrices, prefetches.
    {"LDGSTS.E.BYPASS.128 [R7], desc[UR4][R2.64] ;", K::kAsyncCopy, S::kGlobal, 16, "",
     "R7 UR4-5 R2-3"},
    {"UBLKCP.S.G [UR12], [UR8], UR4 ;", K::kBulkCopy, S::kGlobal, 0, "", "UR12-13 UR8-9 UR4"},
    {"UTMALDG.2D [UR4], [UR8] ;", K::kBulkCopy, S::kGlobal, 0, "", "UR4-5 UR8-9"},
    {"UBLKRED.G.S.ADD.F32.RN [UR4], [UR7], UR6 ;", K::kBulkReduction, S::kGlobal, 0, "",
     "UR4-5 UR7-8 UR6"},
    {"LDSM.16.M88.4 R4, [R10] ;", K::kMatrixLoad, S::kShared, 16, "R4-7", "R10"},
    {"LDSM.16.MT88 R12, [R10] ;", K::kMatrixLoad, S::kShared, 16, "R12", "R10"},
    {"STSM.16.M88.4 [R10], R4 ;", K::kMatrixStore, S::kShared, 16, "", "R10 R4-7"},
    {"CCTL.E.PF2 [R2+0x4b0] ;", K::kPrefetch, S::kGlobal, 0, "", "R2-3"},
    {"CCTL.IVALL ;", K::kCacheControl, S::kNone, 0, "", ""},
    {"TEX.LL RZ, R15, R12, R16, UR4, 2D, 0x1 ;", K::kLoad, S::kTexture, 0, "R15-16", "R12 R16 UR4"},
    {"SUST.D.BA.2D.STRONG.SM.TRAP [R18], R14, UR4 ;", K::kStore, S::kSurface, 0, "", "R18 R14 UR4"},
    {"MEMBAR.SC.GPU ;", K::kFence, S::kNone, 0, "", ""},
    {"BAR.SYNC.DEFER_BLOCKING 0x0 ;", K::kBarrier, S::kNone, 0, "", ""},
    {"SYNCS.EXCH.64 URZ, [UR13], UR4 ;", K::kWait, S::kNone, 0, "", "UR13 UR4-5"},
    // Arithmetic, as far as dependences need it.
    {"IMAD.WIDE.U32 R18, R16, 0x4, R20 ;", K::kOther, S::kNone, 0, "R18-19", "R16 R20-21"},
    {"IADD3 R0, P0, PT, R24, 0x20, RZ ;", K::kOther, S::kNone, 0, "R0 P0", "R24"},
    {"IADD3.X R6, PT, PT, R13, UR5, RZ, P0, !PT ;", K::kOther, S::kNone, 0, "R6", "R13 UR5 P0"},
    {"ISETP.GE.U32.AND P0, PT, R4.reuse, 0x8, PT ;", K::kOther, S::kNone, 0, "P0", "R4"},
    {"FSETP.GE.AND P0, PT, |R10|, 105615, PT ;", K::kOther, S::kNone, 0, "P0", "R10"},
    {"SEL R4, R2, R8, !P0 ;", K::kOther, S::kNone, 0, "R4", "R2 R8 P0"},
    {"SHFL.IDX PT, R29, R14, R28, 0x1f ;", K::kOther, S::kNone, 0, "R29", "R14 R28"},
    {"VOTE.ANY R9, PT, P0 ;", K::kOther, S::kNone, 0, "R9", "P0"},
    {"@P1 R2UR P0, UR7, R10 ;", K::kOther, S::kNone, 0, "P0 UR7", "P1 R10"},
    {"P2R R18, PR, RZ, 0x2 ;", K::kOther, S::kNone, 0, "R18", "P0-6"},
    {"DADD R12, R8, R10 ;", K::kOther, S::kNone, 0, "R12-13", "R8-9 R10-11"},
    {"F2F.F32.F64 R0, R12 ;", K::kOther, S::kNone, 0, "R0", "R12-13"},
    {"I2F.F64.S16 R14, R12 ;", K::kOther, S::kNone, 0, "R14-15", "R12"},
    {"HMMA.16816.F32 R4, R8, R12, R4 ;", K::kOther, S::kNone, 0, "R4-7", "R8-11 R12-13 R4-7"},
    {"FSEL R0, -R6, R6, !P1 ;", K::kOther, S::kNone, 0, "R0", "R6 P1"},
    {"S2R R11, SR_TID.X ;", K::kOther, S::kNone, 0, "R11", ""},
};

}  // namespace

TEST_CASE("kind, space, width and registers of a line") {
  for (const Line& line : kLines) {
    INFO(line.text);
    const auto decoded = decode_instruction(line.text);
    REQUIRE(decoded);
    CHECK(decoded->kind == line.kind);
    CHECK(decoded->space == line.space);
    CHECK(decoded->bytes == line.bytes);
    CHECK(names(decoded->destinations) == line.destinations);
    CHECK(names(decoded->sources) == line.sources);
  }
}

TEST_CASE("guards") {
  const auto guard = [](const char* text) { return decode_instruction(text)->guard; };
  CHECK(guard("EXIT ;") == Guard{});
  CHECK(guard("@P3 EXIT ;") == Guard{Guard::When::kIf, false, 3});
  CHECK(guard("@!P0 EXIT ;") == Guard{Guard::When::kIfNot, false, 0});
  CHECK(guard("@UP2 UMOV UR4, UR5 ;") == Guard{Guard::When::kIf, true, 2});
  CHECK(guard("@!PT LDS RZ, [RZ] ;").when == Guard::When::kNever);
}

TEST_CASE("cache operators, scopes and hints") {
  const auto decode = [](const char* text) { return *decode_instruction(text); };
  CHECK(decode("LDG.E.EF R5, [R2.64]").eviction == Eviction::kFirst);
  CHECK(decode("LDG.E.EL.LTC128B R9, desc[UR6][R2.64+0x80]").eviction == Eviction::kLast);
  CHECK(decode("LDG.E.LU R7, [R2.64]").eviction == Eviction::kLastUse);
  CHECK(decode("LDG.E.NA R7, [R2.64]").eviction == Eviction::kNoAllocate);
  CHECK(decode("LDG.E.EF.LTC64B R9, [R2.64]").l2_prefetch == 64);
  CHECK(decode("LDG.E.LTC256B R9, [R2.64]").l2_prefetch == 256);
  CHECK(decode("LDG.E.CONSTANT R9, [R2.64]").constant);
  CHECK(decode("LDG.E.STRONG.GPU R9, [R2.64]").scope == Scope::kGpu);
  CHECK(decode("LDG.E.STRONG.SYS R9, [R2]").scope == Scope::kSystem);
  CHECK(decode("LDG.E.SYS R9, [R2]").scope == Scope::kWeak);  // sm_7x prints it everywhere
  CHECK(decode("MEMBAR.SC.CTA").scope == Scope::kCta);
  CHECK(decode("LDGSTS.E.BYPASS.128 [R7], [R2.64]").bypass);
  CHECK_FALSE(decode("LDGSTS.E [R7], [R2.64]").bypass);
  CHECK(decode("ST.E [R2.64], R3").generic);
  CHECK_FALSE(decode("STG.E [R2.64], R3").generic);
}

TEST_CASE("branches name where they go") {
  const auto decode = [](const char* text) { return *decode_instruction(text); };
  CHECK(decode("@P0 BRA 0x3f0 ;").target == 0x3f0u);
  CHECK(decode("@P0 BRA 0x3f0 ;").conditional_branch);
  CHECK_FALSE(decode("BRA 0x3f0 ;").conditional_branch);
  CHECK(decode("@P0 BRA `(.L_x_0) ;").labels == std::vector<std::string>{".L_x_0"});
  CHECK(decode("BRA.U UP0, `(.L_x_79) ;").conditional_branch);
  CHECK(decode("BRA.DIV UR4, `(.L_x_94) ;").conditional_branch);
  const auto jump = decode("BRX R2 -0xc0   (*\"BRANCH_TARGETS .L_x_56,.L_x_57,.L_x_58\"*);");
  CHECK(jump.labels == std::vector<std::string>{".L_x_56", ".L_x_57", ".L_x_58"});
  CHECK(names(jump.sources) == "R2-3");
  const auto call = decode("CALL.REL.NOINC `($_Z5callsPfi$_Z6calleef) ;");
  CHECK(call.kind == InstructionKind::kCall);
  CHECK(call.labels == std::vector<std::string>{"$_Z5callsPfi$_Z6calleef"});
  CHECK(decode("CALL.REL.NOINC 0x980 ;").target == 0x980u);
  CHECK(decode("RET.REL.NODEC R10 `(_Z5callsPfi) ;").kind == InstructionKind::kReturn);
  CHECK(decode("BSSY B0, `(.L_x_7) ;").labels == std::vector<std::string>{".L_x_7"});
}

TEST_CASE("what is no instruction is refused, whatever it is") {
  for (const char* text : {"", ";", "  ", "@", "@P0", "@X FADD", "0x10", ".L_x_0:", "//## File",
                           "{", "\xff\xfe", "@P99999999999 EXIT", "lower R1"}) {
    INFO(text);
    const auto decoded = decode_instruction(text);
    REQUIRE_FALSE(decoded);
    CHECK(decoded.error().kind == ErrorKind::kMalformed);
  }
  CHECK(decode_instruction("NEWOP.X R1, R2, [[[R3, c[, `(").ok());  // unknown, but an instruction
}
