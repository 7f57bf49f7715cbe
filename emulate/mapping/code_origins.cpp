#include "emulate/mapping/code_origins.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace warpmem::emulate {

namespace {

// Calls of functions that the PTX does not have: of what a division or a root does with numbers out
// of the ordinary. By block the statement that calls, as far as it is known which lanes do (own_functions.hpp).
std::map<std::uint32_t, std::uint32_t> calls_of_its_own(const CodePair& p) {
  std::vector<bool> told(p.kernel.statements, false);
  for (const auto& code : p.kernel.functions)
    for (const Inst& in : code->code)
      if (in.kind == Kind::kComputeOwn) told[code->first_pc + in.statement] = true;
  std::map<std::uint32_t, std::uint32_t> blocks;
  for (std::uint32_t i = 0; i < p.code.size(); ++i) {
    if (p.sass[i].kind != trace::InstructionKind::kCall) continue;
    const auto& targets = p.sass_lines[i].targets;
    const std::uint32_t callee = targets.empty() ? kNowhere : p.code[targets.front()].statement;
    const bool of_ptx = callee >= p.entry && callee < p.kernel.statements;
    const std::uint32_t s = p.code[i].statement;
    if (!of_ptx) blocks[p.sass_flow.block_of[i]] = s < told.size() && told[s] ? s : kNowhere;
  }
  return blocks;
}

}  // namespace

// A statement may take several instructions, some of them alike (a wide product, a conversion), so
// the rarest opcode of those it became says how often it is there.
std::vector<CodeOrigin> code_origins(const CodePair& p) {
  std::map<std::uint32_t, std::map<std::string_view, std::uint32_t>> found;
  for (std::uint32_t i = 0; i < p.code.size(); ++i)
    if (p.code[i].statement < p.kernel.statements && p.sass_flow.reached(i))
      ++found[p.code[i].statement][p.sass[i].name()];
  const auto own = calls_of_its_own(p);
  std::vector<CodeOrigin> out(p.code.size());
  for (std::uint32_t i = 0; i < p.code.size(); ++i) {
    const auto statement = found.find(p.code[i].statement);
    if (statement == found.end() || !p.sass_flow.reached(i)) continue;
    const auto call = own.find(p.sass_flow.block_of[i]);
    if (call != own.end() && call->second != statement->first) continue;
    std::uint32_t copies = ~0u;
    for (const auto& [opcode, count] : statement->second) copies = std::min(copies, count);
    out[i] = {statement->first, copies, call != own.end(),
              p.sass[i].opcode == trace::Opcode::kBSYNC};
  }
  return out;
}

}  // namespace warpmem::emulate
