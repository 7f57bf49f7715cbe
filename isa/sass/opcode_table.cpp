#include "isa/sass/opcode_table.hpp"

#include <algorithm>
#include <iterator>

namespace warpmem::trace {
namespace {

using K = InstructionKind;
using S = Space;
using W = Writes;

constexpr OpcodeInfo kOpcodes[] = {
    // Memory, by lane.
    {"LD", K::kLoad, S::kNone, true, W::kPredicateAndOne},
    {"LDC", K::kLoad, S::kConstant, false, W::kFirstOnly},
    {"LDCU", K::kLoad, S::kConstant, false, W::kFirstOnly},
    {"LDG", K::kLoad, S::kGlobal, false, W::kPredicateAndOne},
    {"LDGMC", K::kLoad, S::kGlobal, false, W::kPredicateAndOne},
    {"LDL", K::kLoad, S::kLocal, false, W::kFirstOnly},
    {"LDS", K::kLoad, S::kShared, false, W::kFirstOnly},
    {"ULDC", K::kLoad, S::kConstant, false, W::kFirstOnly},
    {"ST", K::kStore, S::kNone, true, W::kNone},
    {"STG", K::kStore, S::kGlobal, false, W::kNone},
    {"STL", K::kStore, S::kLocal, false, W::kNone},
    {"STS", K::kStore, S::kShared, false, W::kNone},
    {"STAS", K::kStore, S::kRemoteShared, false, W::kNone},
    {"ATOM", K::kAtomic, S::kNone, true, W::kPredicateAndOne},
    {"ATOMG", K::kAtomic, S::kGlobal, false, W::kPredicateAndOne},
    {"ATOMS", K::kAtomic, S::kShared, false, W::kPredicateAndOne},
    {"RED", K::kReduction, S::kNone, true, W::kNone},
    {"REDG", K::kReduction, S::kGlobal, false, W::kNone},
    {"REDAS", K::kReduction, S::kRemoteShared, false, W::kNone},
    {"LDGSTS", K::kAsyncCopy, S::kGlobal, false, W::kNone},
    {"LDSM", K::kMatrixLoad, S::kShared, false, W::kFirstOnly},
    {"STSM", K::kMatrixStore, S::kShared, false, W::kNone},
    // Texture and surface.
    {"TEX", K::kLoad, S::kTexture, false, W::kTwo},
    {"TLD", K::kLoad, S::kTexture, false, W::kTwo},
    {"TLD4", K::kLoad, S::kTexture, false, W::kTwo},
    {"TXD", K::kLoad, S::kTexture, false, W::kTwo},
    {"TMML", K::kOther, S::kNone, false, W::kTwo},
    {"TXQ", K::kOther, S::kNone, false, W::kTwo},
    {"SULD", K::kLoad, S::kSurface, false, W::kPredicateAndOne},
    {"SUST", K::kStore, S::kSurface, false, W::kNone},
    {"SUATOM", K::kAtomic, S::kSurface, false, W::kPredicateAndOne},
    {"SURED", K::kReduction, S::kSurface, false, W::kNone},
    // Copy engine.
    {"UBLKCP", K::kBulkCopy, S::kGlobal, false, W::kNone},
    {"UTMALDG", K::kBulkCopy, S::kGlobal, false, W::kNone},
    {"UTMASTG", K::kBulkCopy, S::kGlobal, false, W::kNone},
    {"UBLKRED", K::kBulkReduction, S::kGlobal, false, W::kNone},
    {"UTMAREDG", K::kBulkReduction, S::kGlobal, false, W::kNone},
    {"UBLKPF", K::kPrefetch, S::kGlobal, false, W::kNone},
    {"UTMAPF", K::kPrefetch, S::kGlobal, false, W::kNone},
    {"UTMACCTL", K::kCacheControl, S::kNone, false, W::kNone},
    {"UTMACMDFLUSH", K::kWait, S::kNone, false, W::kNone},
    // Order and caches.
    {"CCTL", K::kCacheControl, S::kNone, false, W::kNone},
    {"CCTLL", K::kCacheControl, S::kNone, false, W::kNone},
    {"CCTLT", K::kCacheControl, S::kNone, false, W::kNone},
    {"MEMBAR", K::kFence, S::kNone, false, W::kNone},
    {"FENCE", K::kFence, S::kNone, false, W::kNone},
    {"ERRBAR", K::kFence, S::kNone, false, W::kNone},
    {"CGAERRBAR", K::kFence, S::kNone, false, W::kNone},
    {"BAR", K::kBarrier, S::kNone, false, W::kNone},
    {"UCGABAR_ARV", K::kBarrier, S::kNone, false, W::kNone},
    {"UCGABAR_WAIT", K::kBarrier, S::kNone, false, W::kNone},
    {"DEPBAR", K::kWait, S::kNone, false, W::kNone},
    {"LDGDEPBAR", K::kWait, S::kNone, false, W::kNone},
    {"ARRIVES", K::kWait, S::kNone, false, W::kNone},
    {"ACQBULK", K::kWait, S::kNone, false, W::kNone},
    {"SYNCS", K::kWait, S::kNone, false, W::kFirstOnly},
    {"WARPSYNC", K::kOther, S::kNone, false, W::kNone},
    {"NANOSLEEP", K::kOther, S::kNone, false, W::kNone},
    {"NOP", K::kOther, S::kNone, false, W::kNone},
    {"BSSY", K::kOther, S::kNone, false, W::kNone},
    {"BSYNC", K::kOther, S::kNone, false, W::kNone},
    {"BREAK", K::kOther, S::kNone, false, W::kNone},
    {"YIELD", K::kOther, S::kNone, false, W::kNone},
    // Control flow.
    {"BRA", K::kBranch, S::kNone, false, W::kNone},
    {"BRX", K::kBranch, S::kNone, false, W::kNone},
    {"BRXU", K::kBranch, S::kNone, false, W::kNone},
    {"JMP", K::kBranch, S::kNone, false, W::kNone},
    {"JMX", K::kBranch, S::kNone, false, W::kNone},
    {"JMXU", K::kBranch, S::kNone, false, W::kNone},
    {"CALL", K::kCall, S::kNone, false, W::kNone},
    {"RET", K::kReturn, S::kNone, false, W::kNone},
    {"EXIT", K::kExit, S::kNone, false, W::kNone},
    {"KILL", K::kExit, S::kNone, false, W::kNone},
    {"BPT", K::kOther, S::kNone, false, W::kNone},
    // Written registers that the general rule gets wrong.
    {"ELECT", K::kOther, S::kNone, false, W::kPredicateAndOne},
    {"LOP3", K::kOther, S::kNone, false, W::kPredicateAndOne},
    {"MATCH", K::kOther, S::kNone, false, W::kPredicateAndOne},
    {"PLOP3", K::kOther, S::kNone, false, W::kTwo},
    {"QSPC", K::kOther, S::kNone, false, W::kPredicateAndOne},
    {"R2UR", K::kOther, S::kNone, false, W::kPredicateAndOne},
    {"SEL", K::kOther, S::kNone, false, W::kFirstOnly},
    {"SHFL", K::kOther, S::kNone, false, W::kPredicateAndOne},
    {"ULOP3", K::kOther, S::kNone, false, W::kPredicateAndOne},
    {"UPLOP3", K::kOther, S::kNone, false, W::kTwo},
    {"VOTE", K::kOther, S::kNone, false, W::kTwo},
    {"VOTEU", K::kOther, S::kNone, false, W::kTwo},
};

// What does nothing with memory or control, and writes its first operand: NVIDIA's lists of
// instructions by architecture (CUDA binary utilities), Volta to Blackwell.
constexpr std::string_view kPlain[] = {
    // Floats, also in pairs, and matrix products.
    "FADD", "FADD2", "FADD32I", "FCHK", "FFMA", "FFMA2", "FFMA32I", "FHADD", "FHFMA", "FMNMX",
    "FMNMX3", "FMUL", "FMUL2", "FMUL32I", "FSEL", "FSET", "FSETP", "FSWZADD", "MUFU", "HADD2",
    "HADD2_32I", "HFMA2", "HFMA2_32I", "HMNMX2", "HMUL2", "HMUL2_32I", "HSET2", "HSETP2", "DADD",
    "DFMA", "DMUL", "DSETP", "HMMA", "IMMA", "BMMA", "DMMA", "QMMA", "OMMA", "HGMMA", "IGMMA",
    "QGMMA", "BGMMA", "WARPGROUP", "WARPGROUPSET",
    // Integers.
    "BMSK", "BREV", "FLO", "IABS", "IADD", "IADD3", "IADD32I", "IDP", "IDP4A", "IMAD", "IMNMX",
    "IMUL", "IMUL32I", "ISCADD", "ISCADD32I", "ISETP", "LEA", "LOP", "LOP32I", "POPC", "SHF", "SHL",
    "SHR", "VABSDIFF", "VABSDIFF4", "VHMNMX", "VIADD", "VIADDMNMX", "VIMNMX", "VIMNMX3",
    // Conversions, moves, predicates.
    "F2F", "F2FP", "F2I", "F2IP", "FRND", "I2F", "I2FP", "I2I", "I2IP", "MOV", "MOV32I", "MOVM",
    "PRMT", "SGXT", "PSETP", "P2R", "R2P", "CREDUX", "REDUX",
    // The uniform datapath.
    "CS2UR", "S2UR", "UBMSK", "UBREV", "UCLEA", "UF2F", "UF2FP", "UF2I", "UF2IP", "UFADD", "UFFMA",
    "UFLO", "UFMNMX", "UFMUL", "UFRND", "UFSEL", "UFSET", "UFSETP", "UI2F", "UI2FP", "UI2I",
    "UI2IP", "UIABS", "UIADD3", "UIMAD", "UIMNMX", "UISETP", "ULEA", "ULEPC", "ULOP", "ULOP32I",
    "UMOV", "UP2UR", "UPOPC", "UPRMT", "UPSETP", "UR2UP", "USEL", "USGXT", "USHF", "USHL", "USHR",
    "UVIADD", "UVIMNMX", "USETMAXREG", "USETSHMSZ", "UGETNEXTWORKID", "UVIRTCOUNT",
    // Matrix products of Blackwell, in its tensor memory.
    "LDT", "LDTM", "STT", "STTM", "UTCATOMSWS", "UTCBAR", "UTCCP", "UTCHMMA", "UTCIMMA", "UTCOMMA",
    "UTCQMMA", "UTCSHIFT",
    // The rest.
    "ACQSHMINIT", "B2R", "BMOV", "CS2R", "ENDCOLLECTIVE", "GETLMEMBASE", "LEPC", "PMTRIG",
    "PREEXIT", "R2B", "RPCMOV", "RTT", "S2R", "SETCTAID", "SETLMEMBASE"};

}  // namespace

bool known_opcode(std::string_view name) {
  const auto listed = [&](const OpcodeInfo& info) { return info.name == name; };
  return std::any_of(std::begin(kOpcodes), std::end(kOpcodes), listed) ||
         std::find(std::begin(kPlain), std::end(kPlain), name) != std::end(kPlain);
}

OpcodeInfo find_opcode(std::string_view name) {
  const auto found = std::find_if(std::begin(kOpcodes), std::end(kOpcodes),
                                  [&](const OpcodeInfo& info) { return info.name == name; });
  if (found != std::end(kOpcodes)) return *found;
  OpcodeInfo unknown{name};
  if (name.ends_with("SETP") || name.ends_with("SETP2")) unknown.writes = Writes::kTwo;
  return unknown;
}

}  // namespace warpmem::trace
