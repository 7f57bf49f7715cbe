// What the registers of SASS hold, as far as the code and the launch alone say: constants, kernel
// parameters, the sizes of grid and block, and 32-bit integer arithmetic on them. For the loops
// whose rounds a recording does not tell (static_flow.hpp).
//
// Left out: whatever differs from thread to thread or comes from memory, 64-bit chains (.X, .EX,
// .WIDE), and what diverged paths may have left.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/decoded_program.hpp"
#include "traces/format/launch.hpp"

namespace warpmem::sim {

// Constant bank 0 of a launch, as far as it is known.
class ConstantBank {
 public:
  ConstantBank() = default;
  ConstantBank(const trace::Program& program, const trace::Launch& launch);
  std::optional<std::uint32_t> word(std::uint32_t offset) const;

 private:
  std::vector<std::uint8_t> parameters_;
  std::uint32_t parameters_at_ = 0;
  std::array<std::uint32_t, 6> sizes_{};  // block, grid: x, y, z
  bool sizes_known_ = false;
};

// A register of 32 bits; nothing: not known.
using StaticValue = std::optional<std::uint32_t>;

// One register: file and number in one.
using StaticRegister = std::uint32_t;
constexpr StaticRegister kNoRegister = ~std::uint32_t{0};
inline StaticRegister static_register(trace::RegisterFile file, std::uint32_t number) {
  return static_cast<std::uint32_t>(file) << 16 | number;
}

struct StaticOperand {
  enum class Kind : std::uint8_t { kOther, kRegister, kValue, kConstant };
  Kind kind = Kind::kOther;
  StaticRegister reg = kNoRegister;
  std::uint32_t value = 0;  // an immediate's, or the offset in constant bank 0
  double number = 0;        // an immediate that may be a fraction
  bool minus = false, inverted = false, absolute = false;
  bool predicate = false;
};

// An instruction taken apart.
struct StaticLine {
  trace::Opcode opcode = trace::Opcode::kUnknown;
  trace::ModifierSet modifiers;
  bool plain = true;   // without any modifier
  bool moves = false;  // puts operand k into register writes[k]: spilled registers come and go
                       // by such (static_flow.hpp)
  std::vector<StaticOperand> operands;
  std::vector<StaticRegister> writes;
  StaticRegister guard = kNoRegister;  // none, or …
  bool guard_not = false;
  bool never = false;    // guarded by what is never true
  bool branch = false;   // … that may go elsewhere
  StaticOperand also{};  // a branch's second condition
  bool has_also = false;

  bool has(trace::Modifier m) const { return modifiers[static_cast<std::size_t>(m)]; }
};

// An empty line where it is no machine code.
StaticLine take_apart(const trace::DecodedLine& line);

// Gives the value of a register before the instruction; nothing when it is not known.
template <class F>
concept RegisterValues = requires(F f, StaticRegister r) {
  { f(r) } -> std::same_as<std::optional<std::uint32_t>>;
};

// The value that the instruction puts into `reg`, one of its `writes`; predicates are 0 or 1.
class StaticValues {
 public:
  explicit StaticValues(ConstantBank bank) : bank_(std::move(bank)) {}

  template <RegisterValues F>
  std::optional<std::uint32_t> result(const StaticLine& line, StaticRegister reg, F&& of) const {
    std::vector<std::optional<std::uint32_t>> values;
    for (const StaticOperand& o : line.operands) values.push_back(value(o, of));
    return evaluate(line, reg, values);
  }
  template <RegisterValues F>
  std::optional<std::uint32_t> value(const StaticOperand& o, F&& of) const {
    std::optional<std::uint32_t> v;
    if (o.kind == StaticOperand::Kind::kValue) v = o.value;
    if (o.kind == StaticOperand::Kind::kConstant) v = bank_.word(o.value);
    if (o.kind == StaticOperand::Kind::kRegister) v = of(o.reg);
    if (!v || o.predicate) return v && o.inverted ? std::optional(*v ^ 1u) : v;
    if (o.absolute && static_cast<std::int32_t>(*v) < 0) v = 0u - *v;
    if (o.inverted) v = ~*v;
    return o.minus ? 0u - *v : *v;
  }
  // Is the guard, with a branch's second condition, true?
  template <RegisterValues F>
  std::optional<bool> condition(const StaticLine& line, F&& of) const {
    if (line.never) return false;
    enum { kFalse, kTrue, kUnknown } first = kTrue, second = kTrue;
    if (line.guard != kNoRegister) {
      const auto v = of(line.guard);
      first = !v ? kUnknown : (*v != 0) != line.guard_not ? kTrue : kFalse;
    }
    if (line.has_also) {
      const auto v = value(line.also, of);
      second = !v ? kUnknown : *v != 0 ? kTrue : kFalse;
    }
    if (first == kFalse || second == kFalse) return false;
    if (first == kUnknown || second == kUnknown) return std::nullopt;
    return true;
  }

 private:
  std::optional<std::uint32_t> evaluate(
      const StaticLine& line, StaticRegister reg,
      const std::vector<std::optional<std::uint32_t>>& values) const;
  ConstantBank bank_;
};

}  // namespace warpmem::sim
