// What one line of SASS means to a memory simulator: which registers it waits for and writes, where
// it may jump, and how its access is cached. Reads the text that nvdisasm and cuobjdump print
// (sm_70 to sm_120): "@!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64+0x10] ;".
//
// Left out: arithmetic (an unknown opcode is kOther, its first operand taken as written) and exact
// register counts of matrix instructions not in the table, for which the usual ones are assumed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "isa/sass/forms.hpp"
#include "isa/sass/operand.hpp"
#include "isa/space.hpp"

namespace warpmem::trace {

enum class RegisterFile : std::uint8_t { kGeneral, kUniform, kPredicate, kUniformPredicate };

// Registers first … first + count - 1; the ones that are always zero or true do not appear.
struct RegisterRange {
  RegisterFile file = RegisterFile::kGeneral;
  std::uint16_t first = 0;
  std::uint16_t count = 1;
  bool operator==(const RegisterRange&) const = default;
};

struct Guard {
  enum class When : std::uint8_t { kAlways, kIf, kIfNot, kNever };  // kNever: @!PT
  When when = When::kAlways;
  bool uniform = false;  // UP instead of P
  std::uint8_t number = 0;
  bool operator==(const Guard&) const = default;
};

// How long the line should stay in L1, as the instruction asks.
enum class Eviction : std::uint8_t {
  kNormal,
  kFirst /* .EF */,
  kLast /* .EL */,
  kLastUse /* .LU */,
  kNoAllocate /* .NA */
};

// Whom the access must be visible to or ordered with.
enum class Scope : std::uint8_t { kWeak, kCta, kSm, kGpu, kSystem };

struct SassInstruction {
  std::string mnemonic;  // "LDG.E.128.CONSTANT"
  Opcode opcode = Opcode::kUnknown;
  ModifierSet modifiers;  // of those that have a name in the code
  Guard guard;
  InstructionKind kind = InstructionKind::kOther;
  Space space = Space::kNone;  // kNone with `generic`: the address decides
  bool generic = false;
  std::uint32_t bytes = 0;  // per lane; 0 where the text does not say
  Eviction eviction = Eviction::kNormal;
  Scope scope = Scope::kWeak;
  std::uint32_t l2_prefetch = 0;    // .LTC64B, .LTC128B, .LTC256B: bytes fetched into L2
  bool constant = false;            // .CONSTANT: the read-only path
  bool bypass = false;              // LDGSTS.BYPASS: past L1
  std::uint32_t dimensions = 0;     // of a texture or surface, without its layers; 0: not said
  bool conditional_branch = false;  // may fall through: guarded, BRA.U UP0, BRA.DIV …
  bool spill = false;               // marked as the access to a spilled register
  std::vector<RegisterRange> destinations;
  std::vector<RegisterRange> sources;   // the guard's predicate included
  std::vector<SassOperand> operands;    // as they stand, results first
  std::optional<std::uint32_t> target;  // branch, call: byte offset in the function, when a number
  std::vector<std::string> labels;      // … or the labels named: "`(.L_x_4)" -> ".L_x_4"
  std::vector<std::uint32_t> places;    // of a branch through a register: what it may go to
  // The function that a place is counted from: "32@lo((_Z1fv + .L_x_12@srel))" -> "_Z1fv".
  std::string counted_from;

  std::string_view name() const;                         // "LDG"
  std::vector<std::string_view> modifier_names() const;  // "E", "128", "CONSTANT"
  bool has(Modifier m) const { return modifiers[static_cast<std::size_t>(m)]; }
  bool is_memory() const;  // makes records: reads or writes memory, or prefetches
  bool is_branch() const { return kind == InstructionKind::kBranch; }
  bool is_plain() const { return mnemonic.find('.') == mnemonic.npos; }  // without modifiers
  bool is_double() const;      // arithmetic of 64-bit floats
  bool by_tensor_map() const;  // UTMALDG and its kin
  bool writes(RegisterFile file) const;
  // The first operand that is read from constant memory; nullptr: none is.
  const SassOperand* constant_operand() const;
};

// Special registers that somebody asks for: SRZ, SR_TID.X, SR_CTAID.X and so on.
enum class Special : std::uint8_t { kOther, kZero, kTidX, kTidY, kTidZ, kLaneId, kCtaId };
Special special_named(const SassOperand& operand);

// "P0", "!PT", "UP1", "PR": an operand that is a predicate, or all of them.
bool is_predicate(const SassOperand& operand);
// The first register of the general file in it, also where it is a part of an address.
std::optional<std::uint16_t> general_register(const SassOperand& operand);

// "desc[UR4][R2.64+0x10], R5" -> its operands, without blanks around them. Commas inside brackets
// do not separate.
std::vector<std::string_view> split_operands(std::string_view text);

// An Error of kind kMalformed when the text is not an instruction at all.
Result<SassInstruction> decode_instruction(std::string_view text);

}  // namespace warpmem::trace
