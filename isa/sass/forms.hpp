// What each SASS opcode is, as far as memory, control flow and registers go: the table of forms
// (forms.def), a line an opcode, and the names of modifiers (modifiers.def). Outside isa/ an opcode
// or a modifier is one of these, never a text.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "isa/space.hpp"

namespace warpmem::trace {

enum class Opcode : std::uint16_t {
  kUnknown,  // not in the table: SassInstruction::name() says it
#define FORM(OPCODE, ...) k##OPCODE,
#include "isa/sass/forms.def"
#undef FORM
  kCount
};

enum class Modifier : std::uint16_t {
#define MODIFIER(NAME) k##NAME,
#include "isa/sass/modifiers.def"
#undef MODIFIER
  kCount
};
using ModifierSet = std::bitset<static_cast<std::size_t>(Modifier::kCount)>;

enum class InstructionKind : std::uint8_t {
  kOther,  // neither memory nor control
  kLoad,
  kStore,
  kAtomic,         // returns a value
  kReduction,      // returns none
  kAsyncCopy,      // LDGSTS: global to shared, by lane
  kBulkCopy,       // UBLKCP, UTMALDG, UTMASTG: by the copy engine
  kBulkReduction,  // UBLKRED, UTMAREDG
  kMatrixLoad,
  kMatrixStore,
  kPrefetch,      // CCTL.PF…, .PML2, .DML2, .RML2 (lines of the L2), UBLKPF, UTMAPF
  kCacheControl,  // CCTL: invalidate, write back …
  kFence,         // MEMBAR, FENCE
  kBarrier,       // BAR, cluster barrier
  kWait,          // DEPBAR, LDGDEPBAR, SYNCS
  kBranch,
  kCall,
  kReturn,
  kExit,
};

// Which leading operands are written.
enum class Writes : std::uint8_t {
  kFirst,  // "FADD R1, …"; predicates that follow directly are carries: "IADD3 R0, P0, PT, …"
  kFirstOnly,        // "SEL R0, …": what follows is read
  kNone,             // "STG [R2], R4"
  kTwo,              // "ISETP.NE P0, PT, …", "TEX R0, R2, …"
  kPredicateAndOne,  // "SHFL PT, R0, …", "ATOMG PT, R7, …": a predicate first, if any, then one
                     // more
};

// How many registers an operand is that does not say it itself (R2.64).
enum class Takes : std::uint8_t {
  kOne,
  kBytes,      // as many as the access has bytes
  kPair,       // two: doubles, places in code
  kPairIf64,   // two with .64
  kPairBut32,  // two without .32
  kWide,       // .WIDE: result and addend are two
  kTypes,      // F2F.F32.F64: as its types say
  kMatrices,   // LDSM, STSM: as many as matrices
  kProduct,    // of a matrix product: by its shape
  kTexture,    // results are two
};

struct Form {
  std::string_view name;
  InstructionKind kind = InstructionKind::kOther;
  Space space = Space::kNone;
  bool generic = false;  // the address decides about the space
  Writes writes = Writes::kFirst;
  Takes takes = Takes::kOne;
};

// By name without modifiers; kUnknown where the table has none.
Opcode opcode_named(std::string_view name);
const Form& form_of(Opcode opcode);  // of kUnknown: that of a plain instruction
// What is assumed of a name that the table lacks, by its spelling: NEWSETP writes two predicates.
Form form_by_spelling(std::string_view name);

// Modifier::kCount: it has no name in the code.
Modifier modifier_named(std::string_view name);

}  // namespace warpmem::trace
