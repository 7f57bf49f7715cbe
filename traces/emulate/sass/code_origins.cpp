#include "traces/emulate/sass/code_origins.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace warpmem::emulate {

namespace {

// Calls of functions that the PTX does not have: of what a division or a root does with numbers out
// of the ordinary, which their statements do not tell.
std::vector<bool> calls_of_its_own(const CodePair& p) {
  std::vector<bool> blocks(p.sass_flow.order.size(), false);
  for (std::uint32_t i = 0; i < p.code.size(); ++i) {
    if (p.sass[i].kind != trace::InstructionKind::kCall) continue;
    const auto& targets = p.sass_lines[i].targets;
    const std::uint32_t callee = targets.empty() ? kNowhere : p.code[targets.front()].statement;
    const bool of_ptx = callee >= p.entry && callee < p.kernel.statements;
    if (!of_ptx) blocks[p.sass_flow.block_of[i]] = true;
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
      ++found[p.code[i].statement][p.sass[i].opcode];
  const std::vector<bool> own = calls_of_its_own(p);
  std::vector<CodeOrigin> out(p.code.size());
  for (std::uint32_t i = 0; i < p.code.size(); ++i) {
    const auto statement = found.find(p.code[i].statement);
    if (statement == found.end() || !p.sass_flow.reached(i) || own[p.sass_flow.block_of[i]])
      continue;
    std::uint32_t copies = ~0u;
    for (const auto& [opcode, count] : statement->second) copies = std::min(copies, count);
    out[i] = {statement->first, copies};
  }
  return out;
}

}  // namespace warpmem::emulate
