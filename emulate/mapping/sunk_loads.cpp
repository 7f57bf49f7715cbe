#include "emulate/mapping/sunk_loads.hpp"

#include <algorithm>
#include <vector>

#include "emulate/ptx/ptx_flow.hpp"

namespace warpmem::emulate {
namespace {

using trace::CodeFlow;
using trace::FlowLine;
using trace::kNowhere;
using Edges = std::vector<std::vector<std::uint32_t>>;  // of each block, those behind it

Edges edges_of(const std::vector<FlowLine>& lines, const CodeFlow& flow) {
  Edges edges(flow.order.size());
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    const auto go = [&](std::uint32_t to) {
      if (to < lines.size()) edges[flow.block_of[i]].push_back(flow.block_of[to]);
    };
    const bool last = i + 1 == lines.size() || flow.block_of[i + 1] != flow.block_of[i];
    if (last && lines[i].falls) go(i + 1);
    for (const std::uint32_t to : lines[i].targets) go(to);
  }
  return edges;
}

// Whether the only way into a block is from `from`, loops of its own aside.
bool only_from(const Edges& edges, const CodeFlow& flow, std::uint32_t block, std::uint32_t from) {
  for (std::uint32_t b = 0; b < edges.size(); ++b)
    if (b != from && flow.order[b] != kNowhere && !flow.dominates(block, b) && std::ranges::find(edges[b], block) != edges[b].end())
      return false;
  return std::ranges::find(edges[from], block) != edges[from].end();
}

}  // namespace

std::optional<SunkLoad> sunk_load(const CodePair& p, std::uint32_t s, std::uint32_t instruction) {
  const CodeFlow &sass = p.sass_flow, &ptx = p.ptx_flow;
  // The machine branch of which one side leads to the instruction.
  const std::uint32_t block = sass.block_of[instruction];
  std::uint32_t branch = instruction;
  while (branch > 0 && sass.block_of[branch - 1] == block) --branch;
  if (branch == 0) return std::nullopt;
  --branch;  // the last instruction of the block in front
  const std::uint32_t before = sass.block_of[branch];
  if (sass.dominator[block] != before || p.sass_lines[branch].targets.empty() || !p.sass_lines[branch].falls || sass.loop_of[before] != sass.loop_of[block])
    return std::nullopt;
  const Edges machine = edges_of(p.sass_lines, sass);
  if (!only_from(machine, sass, block, before)) return std::nullopt;
  const std::uint32_t origin = p.code[branch].statement;
  if (origin >= p.entry || !p.statement(origin).opcode.starts_with("bra") || p.statement(origin).guard < 0) return std::nullopt;

  // The same branch in the PTX: the load stands before it, and one of its sides is where the instruction is.
  const std::uint32_t here = ptx.block_of[s], fork = ptx.block_of[origin];
  if (!ptx.dominates(here, fork) || ptx.loop_of[here] != ptx.loop_of[fork] || (here == fork && s > origin)) return std::nullopt;
  const auto lines = flow_lines(*p.kernel.functions[0]->function);
  if (!lines || origin + 1 >= p.entry || (*lines)[origin].targets.size() != 1) return std::nullopt;
  const Edges edges = edges_of(*lines, ptx);
  const std::uint32_t sides[2] = {ptx.block_of[origin + 1], ptx.block_of[(*lines)[origin].targets[0]]};
  if (sides[0] == sides[1]) return std::nullopt;
  bool own[2];
  std::uint32_t votes[2] = {0, 0};
  for (int k = 0; k < 2; ++k) own[k] = only_from(edges, ptx, sides[k], fork);
  for (std::uint32_t i = 0; i < p.code.size(); ++i) {
    const std::uint32_t of = p.code[i].statement;
    if (of >= p.entry || !ptx.reached(of) || sass.order[sass.block_of[i]] == kNowhere || !sass.dominates(block, sass.block_of[i])) continue;
    for (int k = 0; k < 2; ++k) votes[k] += own[k] && ptx.dominates(sides[k], ptx.block_of[of]);
  }
  if ((votes[0] == 0) == (votes[1] == 0)) return std::nullopt;
  return SunkLoad{origin, votes[1] > 0};
}

}  // namespace warpmem::emulate
