#include "sim/code/register_reads.hpp"

#include <algorithm>
#include <map>

namespace warpmem::sim {
namespace {

using trace::RegisterFile;
using trace::RegisterRange;
using trace::SassOperand;

// The operands that an instruction reads, without predicates.
std::vector<const SassOperand*> read_operands(const trace::SassInstruction& in) {
  using Kind = SassOperand::Kind;
  std::vector<const SassOperand*> out;
  for (const SassOperand& o : in.operands)
    if (!trace::is_predicate(o)) out.push_back(&o);
  if (out.empty()) return out;
  const SassOperand& first = *out.front();
  const bool result = in.writes(RegisterFile::kGeneral) ||
                      (first.kind == Kind::kRegister && first.is_zero_register());
  if (result && first.kind != Kind::kMemory && first.kind != Kind::kConstant)
    out.erase(out.begin());
  return out;
}

}  // namespace

std::vector<RegisterReads> register_reads(const trace::DecodedProgram& program) {
  std::vector<RegisterReads> out(program.size());
  std::map<std::size_t, std::uint16_t> left, leaves;  // register, by number of the operand
  for (std::size_t k = 0; k < program.size(); ++k) {
    left.swap(leaves);
    leaves.clear();
    const trace::SassInstruction* const in = program[k].sass();
    if (!in || in->is_double()) continue;
    std::vector<std::uint16_t> seen;
    const std::vector<const SassOperand*> operands = read_operands(*in);
    for (std::size_t slot = 0; slot < operands.size(); ++slot) {
      const auto number = trace::general_register(*operands[slot]);
      if (!number) continue;
      if (operands[slot]->reuse) leaves[slot] = *number;
      if (const auto kept = left.find(slot); kept != left.end() && kept->second == *number)
        continue;
      if (std::find(seen.begin(), seen.end(), *number) != seen.end()) continue;
      seen.push_back(*number);
      const auto range =
          std::find_if(in->sources.begin(), in->sources.end(), [&](const RegisterRange& r) {
            return r.file == RegisterFile::kGeneral && r.first == *number;
          });
      const unsigned count = range == in->sources.end() ? 1 : range->count;
      for (unsigned r = 0; r < count; ++r) ++out[k][(*number + r) % kRegisterBanks];
    }
  }
  return out;
}

}  // namespace warpmem::sim
