#include "sim/code/rare_branches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/code/static_values.hpp"

namespace warpmem::sim {
namespace {

// The smallest numbers of full precision, as far as nvdisasm prints their digits.
bool is_smallest(double number) {
  for (const double smallest :
       {static_cast<double>(std::numeric_limits<float>::min()), std::numeric_limits<double>::min()})
    if (std::abs(std::abs(number) / smallest - 1) < 1e-14) return true;
  return false;
}

// Whether numbers are compared with infinity, nothing or the smallest ones; FCHK asks whether a
// division has one of these.
bool asks_for_rare(const trace::SassInstruction& in) {
  return in.opcode == trace::Opcode::kFCHK || in.has(trace::Modifier::kNAN) ||
         std::any_of(in.operands.begin(), in.operands.end(), [](const trace::SassOperand& o) {
           return o.kind == trace::SassOperand::Kind::kFloat &&
                  (o.nan || std::isinf(o.real) || is_smallest(o.real));
         });
}

}  // namespace

std::vector<bool> rare_branches(const trace::DecodedProgram& program,
                                const std::vector<CodeLine>& code) {
  constexpr std::size_t kBehind = 40;  // lines: the comparison stands a little before its branch
  std::vector<bool> out(code.size(), false);
  std::vector<StaticLine> lines;
  for (const trace::DecodedLine& l : program.lines()) lines.push_back(take_apart(l));
  for (std::size_t i = 0; i < code.size() && i < lines.size(); ++i) {
    if (code[i].target < 0 || lines[i].guard == kNoRegister) continue;
    for (std::size_t j = i; j-- > 0 && i - j <= kBehind;) {
      const std::vector<StaticRegister>& writes = lines[j].writes;
      if (std::find(writes.begin(), writes.end(), lines[i].guard) == writes.end()) continue;
      out[i] = asks_for_rare(*program[j].sass());  // it writes: it is machine code
      break;
    }
  }
  return out;
}

}  // namespace warpmem::sim
