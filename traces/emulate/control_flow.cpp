#include "traces/emulate/control_flow.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/reverse_graph.hpp>

#include <algorithm>

namespace warpmem::emulate {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;

bool ends_block(const Inst& in) {
  switch (in.kind) {
    case Kind::kBranch: case Kind::kBranchIndexed: case Kind::kReturn: case Kind::kExit: case Kind::kTrap: return true;
    default: return false;
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
      for (std::size_t k = 1; k < code.lists[c[i].extra].size(); ++k) starts[code.lists[c[i].extra][k]] = true;
  }
  std::vector<std::uint32_t> block_of(n), first, last;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (starts[i]) first.push_back(i), last.push_back(i), c[i].leader = true;
    last.back() = i;
    block_of[i] = static_cast<std::uint32_t>(first.size() - 1);
  }
  const std::size_t blocks = first.size();
  const Vertex exit = blocks;
  Graph graph(blocks + 1);
  for (std::size_t b = 0; b < blocks; ++b) {
    const Inst& in = c[last[b]];
    const bool guarded = in.guard != kNoOffset;
    bool falls = true;
    switch (in.kind) {
      case Kind::kBranch:
        boost::add_edge(b, block_of[in.target], graph);
        falls = guarded;
        break;
      case Kind::kBranchIndexed:
        for (std::size_t k = 1; k < code.lists[in.extra].size(); ++k) boost::add_edge(b, block_of[code.lists[in.extra][k]], graph);
        falls = guarded;
        break;
      case Kind::kReturn: case Kind::kExit: case Kind::kTrap:
        boost::add_edge(b, exit, graph);
        falls = guarded;
        break;
      default: break;
    }
    if (falls) boost::add_edge(b, b + 1 < blocks ? b + 1 : exit, graph);
  }
  // A block with no way to the exit (an endless loop) has no post-dominator: its paths meet nowhere.
  const auto reversed = boost::make_reverse_graph(graph);
  std::vector<Vertex> dominator(blocks + 1, boost::graph_traits<Graph>::null_vertex());
  boost::lengauer_tarjan_dominator_tree(reversed, exit,
      boost::make_iterator_property_map(dominator.begin(), get(boost::vertex_index, reversed)));
  for (Inst& in : c) {
    if (in.kind != Kind::kBranch && in.kind != Kind::kBranchIndexed) continue;
    const Vertex d = dominator[block_of[static_cast<std::size_t>(&in - c.data())]];
    in.reconverge = d == boost::graph_traits<Graph>::null_vertex() || d == exit ? kReturnPoint : first[d];
  }
}

void find_loops(Code& code) {
  std::vector<FlowLine> lines(code.code.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Inst& in = code.code[i];
    if (!ends_block(in)) continue;
    lines[i].falls = in.guard != kNoOffset;
    if (in.kind == Kind::kBranch) lines[i].targets = {in.target};
    else if (in.kind == Kind::kBranchIndexed) lines[i].targets.assign(code.lists[in.extra].begin() + 1, code.lists[in.extra].end());
    else lines[i].targets = {static_cast<std::uint32_t>(lines.size())};  // nowhere
  }
  code.flow = trace::flow_of(lines);
}

}  // namespace warpmem::emulate
