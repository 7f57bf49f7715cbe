#include "sim/code/static_values.hpp"

#include <cmath>
#include <cstring>
#include <string_view>

namespace warpmem::sim {
namespace {

using trace::RegisterFile;
using trace::SassOperand;

// A register, or what always stands for one: RZ, PT.
void read_register(const SassOperand& from, RegisterFile file, bool predicate, std::uint16_t fixed,
                   StaticOperand& out) {
  out.predicate = predicate;
  if (from.number == fixed) {
    out.kind = StaticOperand::Kind::kValue;
    out.value = predicate ? 1 : 0;
  } else if (from.modifiers.empty()) {  // no half, byte or pair
    out.kind = StaticOperand::Kind::kRegister;
    out.reg = static_register(file, from.number);
  }
}

StaticOperand read_operand(const SassOperand& from) {
  StaticOperand o;
  o.inverted = from.complement, o.minus = from.negative, o.absolute = from.absolute;
  switch (from.kind) {
    case SassOperand::Kind::kRegister:
      read_register(from, RegisterFile::kGeneral, false, trace::kZeroRegister, o);
      break;
    case SassOperand::Kind::kUniformRegister:
      read_register(from, RegisterFile::kUniform, false, trace::kZeroUniform, o);
      break;
    case SassOperand::Kind::kPredicate:
      read_register(from, RegisterFile::kPredicate, true, trace::kTruePredicate, o);
      break;
    case SassOperand::Kind::kUniformPredicate:
      read_register(from, RegisterFile::kUniformPredicate, true, trace::kTruePredicate, o);
      break;
    case SassOperand::Kind::kSpecial:
      if (trace::special_named(from) == trace::Special::kZero) o.kind = StaticOperand::Kind::kValue;
      break;
    case SassOperand::Kind::kInteger:
      o.kind = StaticOperand::Kind::kValue;
      o.value = static_cast<std::uint32_t>(from.value);
      o.number = from.real;
      break;
    case SassOperand::Kind::kFloat:
      if (from.nan) break;
      o.kind = StaticOperand::Kind::kValue;
      o.number = from.real;
      if (std::abs(from.real) < 0x1p63)
        o.value = static_cast<std::uint32_t>(static_cast<std::int64_t>(from.real));
      break;
    case SassOperand::Kind::kConstant:
      if (from.descriptor != trace::kNoRegister || from.bank != 0 ||
          from.base != trace::kNoRegister || from.uniform != trace::kNoRegister)
        break;
      o.kind = StaticOperand::Kind::kConstant;
      o.value = static_cast<std::uint32_t>(from.value);
      break;
    default: break;
  }
  return o;
}

}  // namespace

ConstantBank::ConstantBank(const trace::Program& program, const trace::Launch& launch)
    : parameters_(launch.parameters), parameters_at_(launch.parameters_at) {
  // Up to sm_90 the bank begins with the block's size and the grid's, as nvcc's code reads
  // blockDim and gridDim; later ones have them elsewhere.
  const std::string_view arch = program.arch;
  sizes_known_ = arch.size() == 5 && arch.starts_with("sm_") && arch[3] >= '7';
  sizes_ = {launch.block[0], launch.block[1], launch.block[2],
            launch.grid[0],  launch.grid[1],  launch.grid[2]};
}

std::optional<std::uint32_t> ConstantBank::word(std::uint32_t offset) const {
  if (sizes_known_ && offset < 4 * sizes_.size() && offset % 4 == 0) return sizes_[offset / 4];
  if (parameters_.empty() || offset < parameters_at_) return std::nullopt;
  const std::size_t at = offset - parameters_at_;
  if (at + 4 > parameters_.size()) return std::nullopt;
  std::uint32_t v = 0;
  std::memcpy(&v, parameters_.data() + at, 4);
  return v;
}

StaticLine take_apart(const trace::DecodedLine& line) {
  StaticLine l;
  const trace::SassInstruction* const in = line.sass();
  if (!in) return l;
  l.opcode = in->opcode;
  l.modifiers = in->modifiers;
  l.plain = in->is_plain();
  for (const trace::RegisterRange& r : in->destinations)
    for (std::uint32_t k = 0; k < r.count; ++k)
      l.writes.push_back(static_register(r.file, r.first + k));
  const trace::Guard& g = in->guard;
  l.never = g.when == trace::Guard::When::kNever;
  if (g.when == trace::Guard::When::kIf || g.when == trace::Guard::When::kIfNot) {
    l.guard = static_register(
        g.uniform ? RegisterFile::kUniformPredicate : RegisterFile::kPredicate, g.number);
    l.guard_not = g.when == trace::Guard::When::kIfNot;
  }
  l.branch = in->is_branch();
  for (const SassOperand& o : in->operands) l.operands.push_back(read_operand(o));
  if (l.branch && l.operands.size() > 1) {
    l.also = l.operands.front();
    l.has_also = true;
    if (!l.also.predicate) l.also = StaticOperand{};  // BRA.DIV and the like: nobody knows
  }
  return l;
}

}  // namespace warpmem::sim
