#include "emulate/ptx/control_flow.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/reverse_graph.hpp>

#include <algorithm>
#include <iterator>

#include "emulate/executor/builtins.hpp"
#include "emulate/executor/polls.hpp"

namespace warpmem::emulate {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;

bool ends_block(const Inst& in) {
  switch (in.kind) {
    case Kind::kBranch:
    case Kind::kBranchIndexed:
    case Kind::kReturn:
    case Kind::kExit:
    case Kind::kTrap: return true;
    default: return false;
  }
}

bool asserts(const Inst& in, const Code& code) {
  return in.kind == Kind::kCall && in.guard == kNoOffset &&
         code.calls[in.extra].builtin == static_cast<std::uint32_t>(Builtin::kAssert);
}

// Sides of a branch in a loop that meet for certain only behind it, because each may leave it, go
// round together all the same as long as they stay: ptxas has them meet before the next round, and
// takes out of the barrier who leaves (BREAK).
void meet_in_loops(Code& code, const std::vector<FlowLine>& lines) {
  const CodeFlow& flow = code.flow;
  if (!flow.reducible) return;
  for (std::uint32_t i = 0; i < code.code.size(); ++i) {
    Inst& in = code.code[i];
    if (in.kind != Kind::kBranch || !flow.reached(i) || !lines[i].falls) continue;
    const std::uint32_t loop = flow.loop_of[flow.block_of[i]];
    if (loop == trace::kNowhere ||
        (in.reconverge != kReturnPoint && flow.inside(loop, in.reconverge)) ||
        i + 1 == code.code.size() || !flow.inside(loop, i + 1) || !flow.inside(loop, in.target))
      continue;
    for (std::uint32_t to = 0; to < code.code.size(); ++to)
      if (flow.block_of[to] == flow.loops[loop].header) {
        in.round = to | kNextRound;
        break;
      }
  }
}

constexpr std::size_t kNearBlocks = 64;  // that are looked at behind a branch
constexpr std::size_t kMostJoins = 4;

// The blocks that a way leads to from `from`, in the same loop or one within it, before `stop`.
std::vector<std::uint32_t> reach(const CodeFlow& flow,
                                 const std::vector<std::vector<std::uint32_t>>& next,
                                 std::uint32_t from, std::uint32_t after, std::uint32_t loop,
                                 std::uint32_t stop) {
  std::vector<std::uint32_t> found;
  const auto add = [&](std::uint32_t block) {
    std::uint32_t l = flow.loop_of[block];
    while (l != loop && l != trace::kNowhere) l = flow.loops[l].outer;
    if (block != stop && l == loop && flow.order[block] != trace::kNowhere &&
        flow.order[block] > flow.order[after] && found.size() < kNearBlocks &&
        std::ranges::find(found, block) == found.end())
      found.push_back(block);
  };
  add(from);
  for (std::size_t k = 0; k < found.size(); ++k)
    for (const std::uint32_t to : next[found[k]]) add(to);
  return found;
}

// Where ways from both sides of a branch join before all of them do: of `(a && x) || (b && !x)`
// lanes that fail at `a` wait for those that fail at `x`, and all that pass for one another; ptxas
// has a barrier for each (BSSY, with BREAK for lanes that will not come).
void meet_on_the_way(Code& code, const std::vector<FlowLine>& lines) {
  const CodeFlow& flow = code.flow;
  if (!flow.reducible || flow.order.empty()) return;
  std::vector<std::vector<std::uint32_t>> next(flow.order.size()), before(flow.order.size());
  std::vector<std::uint32_t> first(flow.order.size(), trace::kNowhere);
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    const std::uint32_t b = flow.block_of[i];
    if (first[b] == trace::kNowhere) first[b] = i;
    const auto link = [&](std::uint32_t to) {
      if (to >= lines.size() || (flow.block_of[to] == b && to > i)) return;
      next[b].push_back(flow.block_of[to]);
      before[flow.block_of[to]].push_back(b);
    };
    if (lines[i].falls) link(i + 1);
    for (const std::uint32_t to : lines[i].targets) link(to);
  }
  for (std::uint32_t i = 0; i + 1 < code.code.size(); ++i) {
    Inst& in = code.code[i];
    if (in.kind != Kind::kBranch || !flow.reached(i) || !lines[i].falls) continue;
    const std::uint32_t b = flow.block_of[i], loop = flow.loop_of[b];
    const std::uint32_t stop =
        in.reconverge == kReturnPoint ? trace::kNowhere : flow.block_of[in.reconverge];
    const auto one = reach(flow, next, flow.block_of[in.target], b, loop, stop);
    const auto other = reach(flow, next, flow.block_of[i + 1], b, loop, stop);
    std::vector<std::uint32_t> joins;
    for (const std::uint32_t block : one) {
      if (flow.loop_of[block] != loop || std::ranges::find(other, block) == other.end()) continue;
      if (std::ranges::count_if(before[block], [&](std::uint32_t from) {
            return flow.order[from] < flow.order[block];
          }) > 1)
        joins.push_back(block);
    }
    if (joins.empty()) continue;
    std::ranges::sort(joins, {}, [&](std::uint32_t block) { return flow.order[block]; });
    if (joins.size() > kMostJoins) joins.resize(kMostJoins);
    std::ranges::reverse(joins);  // the last one waits for those before it
    for (std::uint32_t& block : joins) block = first[block] | kOnTheWay;
    in.joins = static_cast<std::uint32_t>(code.joins.size());
    code.joins.push_back(std::move(joins));
  }
}

}  // namespace

void find_reconvergence(Code& code) {
  std::vector<Inst>& c = code.code;
  const auto n = static_cast<std::uint32_t>(c.size());
  std::vector<bool> starts(n + 1, false);
  starts[0] = true;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (!ends_block(c[i])) continue;
    starts[i + 1] = true;
    if (c[i].kind == Kind::kBranch) starts[c[i].target] = true;
    if (c[i].kind == Kind::kBranchIndexed)
      for (std::size_t k = 1; k < code.lists[c[i].extra].size(); ++k)
        starts[code.lists[c[i].extra][k]] = true;
  }
  std::vector<std::uint32_t> block_of(n), first, last;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (starts[i]) first.push_back(i), last.push_back(i), c[i].leader = true;
    last.back() = i;
    block_of[i] = static_cast<std::uint32_t>(first.size() - 1);
  }
  const std::size_t blocks = first.size();
  const Vertex exit = blocks;
  std::vector<std::vector<std::size_t>> into(blocks + 1);  // blocks that lead to each
  for (std::size_t b = 0; b < blocks; ++b) {
    // Nobody comes out of a trap or a failed assertion to be waited for: who went another way meets
    // where they would meet without it, as in ptxas's code.
    if (std::any_of(c.begin() + first[b], c.begin() + last[b] + 1,
                    [&](const Inst& in) { return asserts(in, code); }))
      continue;
    const Inst& in = c[last[b]];
    const bool guarded = in.guard != kNoOffset;
    bool falls = true;
    switch (in.kind) {
      case Kind::kBranch:
        into[block_of[in.target]].push_back(b);
        falls = guarded;
        break;
      case Kind::kBranchIndexed:
        for (std::size_t k = 1; k < code.lists[in.extra].size(); ++k)
          into[block_of[code.lists[in.extra][k]]].push_back(b);
        falls = guarded;
        break;
      case Kind::kReturn:
      case Kind::kExit:
        into[exit].push_back(b);
        falls = guarded;
        break;
      case Kind::kTrap: falls = guarded; break;
      default: break;
    }
    if (falls) into[b + 1 < blocks ? b + 1 : exit].push_back(b);
  }
  // A block with no way to the exit (an endless loop) has no post-dominator, and is none of the
  // ways that others meet behind.
  Graph graph(blocks + 1);
  std::vector<bool> seen(blocks + 1, false);
  std::vector<std::size_t> open{exit};
  seen[exit] = true;
  while (!open.empty()) {
    const std::size_t to = open.back();
    open.pop_back();
    for (const std::size_t from : into[to]) {
      boost::add_edge(from, to, graph);
      if (!seen[from]) seen[from] = true, open.push_back(from);
    }
  }
  const auto reversed = boost::make_reverse_graph(graph);
  std::vector<Vertex> dominator(blocks + 1, boost::graph_traits<Graph>::null_vertex());
  boost::lengauer_tarjan_dominator_tree(
      reversed, exit,
      boost::make_iterator_property_map(dominator.begin(), get(boost::vertex_index, reversed)));
  for (Inst& in : c) {
    if (in.kind != Kind::kBranch && in.kind != Kind::kBranchIndexed) continue;
    const Vertex d = dominator[block_of[static_cast<std::size_t>(&in - c.data())]];
    in.reconverge =
        d == boost::graph_traits<Graph>::null_vertex() || d == exit ? kReturnPoint : first[d];
  }
}

void find_loops(Code& code) {
  std::vector<FlowLine> lines(code.code.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Inst& in = code.code[i];
    if (!ends_block(in)) continue;
    lines[i].falls = in.guard != kNoOffset;
    if (in.kind == Kind::kBranch) lines[i].targets = {in.target};
    else if (in.kind == Kind::kBranchIndexed)
      lines[i].targets.assign(code.lists[in.extra].begin() + 1, code.lists[in.extra].end());
    else lines[i].targets = {static_cast<std::uint32_t>(lines.size())};  // nowhere
  }
  code.flow = trace::flow_of(lines);
  meet_in_loops(code, lines);
  meet_on_the_way(code, lines);
  find_polls(code);
}

}  // namespace warpmem::emulate
