#include "isa/flow/code_flow.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <queue>

namespace warpmem::trace {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

struct Edge {
  std::uint32_t from, to;
  bool falls;
  std::uint32_t line;  // the last one of `from`
};

class Reader {
 public:
  explicit Reader(const std::vector<FlowLine>& lines) : lines_(lines) {}

  CodeFlow run() {
    cut();
    connect();
    dominate();
    find_loops();
    put_in_order();
    return std::move(flow_);
  }

 private:
  void cut() {
    const auto n = static_cast<std::uint32_t>(lines_.size());
    std::vector<bool> starts(n + 1, false);
    if (n != 0) starts[0] = true;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (lines_[i].falls && lines_[i].targets.empty()) continue;
      starts[i + 1] = true;
      for (const std::uint32_t t : lines_[i].targets) starts[std::min(t, n)] = true;
    }
    flow_.block_of.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (starts[i]) last_.push_back(i);
      last_.back() = i;
      flow_.block_of[i] = static_cast<std::uint32_t>(last_.size() - 1);
    }
    flow_.back_edge.assign(n, kNowhere);
    flow_.falls_back.assign(n, kNowhere);
  }

  void connect() {
    const auto blocks = static_cast<std::uint32_t>(last_.size());
    next_.resize(blocks);
    for (std::uint32_t b = 0; b < blocks; ++b) {
      const FlowLine& l = lines_[last_[b]];
      for (const std::uint32_t t : l.targets)
        if (t < lines_.size()) next_[b].push_back({b, flow_.block_of[t], false, last_[b]});
      if (l.falls && b + 1 < blocks) next_[b].push_back({b, b + 1, true, last_[b]});
    }
  }

  // Blocks that nothing leads to are left out: the tree is wrong where they lead to others.
  void dominate() {
    Graph graph(last_.size());
    std::vector<bool> met(last_.size(), false);
    std::vector<std::uint32_t> waiting;
    if (!last_.empty()) waiting.push_back(0), met[0] = true;
    while (!waiting.empty()) {
      const std::uint32_t b = waiting.back();
      waiting.pop_back();
      for (const Edge& e : next_[b]) {
        boost::add_edge(e.from, e.to, graph);
        if (!met[e.to]) waiting.push_back(e.to), met[e.to] = true;
      }
    }
    const auto none = boost::graph_traits<Graph>::null_vertex();
    std::vector<boost::graph_traits<Graph>::vertex_descriptor> dominator(last_.size(), none);
    if (!last_.empty())
      boost::lengauer_tarjan_dominator_tree(
          graph, boost::vertex(0, graph),
          boost::make_iterator_property_map(dominator.begin(), get(boost::vertex_index, graph)));
    for (const auto d : dominator)
      flow_.dominator.push_back(d == none ? kNowhere : static_cast<std::uint32_t>(d));
  }

  bool reached(std::uint32_t b) const { return b == 0 || flow_.dominator[b] != kNowhere; }
  bool goes_back(const Edge& e) const { return reached(e.from) && flow_.dominates(e.to, e.from); }

  void find_loops() {
    const auto blocks = static_cast<std::uint32_t>(last_.size());
    std::vector<std::vector<std::uint32_t>> before(blocks);
    std::vector<std::uint32_t> loop_at(blocks, kNowhere);
    for (const auto& edges : next_)
      for (const Edge& e : edges) before[e.to].push_back(e.from);
    struct Body {
      std::vector<bool> in;
      std::size_t size = 0;
    };
    std::vector<Body> bodies;
    for (const auto& edges : next_) {
      for (const Edge& e : edges) {
        if (!goes_back(e)) continue;
        std::uint32_t& loop = loop_at[e.to];
        if (loop == kNowhere) {
          loop = static_cast<std::uint32_t>(flow_.loops.size());
          flow_.loops.push_back({.header = e.to});
          bodies.push_back({std::vector<bool>(blocks, false), 1});
          bodies.back().in[e.to] = true;
        }
        if (!e.falls) flow_.back_edge[e.line] = loop;
        else if (lines_[e.line].targets.empty()) flow_.falls_back[e.line] = loop;
        if (e.falls) flow_.loops[loop].falls_round = true;
        Body& body = bodies[loop];
        std::vector<std::uint32_t> open{e.from};
        while (!open.empty()) {
          const std::uint32_t b = open.back();
          open.pop_back();
          if (body.in[b] || !reached(b)) continue;
          body.in[b] = true;
          ++body.size;
          open.insert(open.end(), before[b].begin(), before[b].end());
        }
      }
    }
    // A block's innermost loop is the smallest that holds it; a loop's outer one likewise.
    const auto smallest = [&](std::uint32_t block, std::size_t above) {
      std::uint32_t found = kNowhere;
      for (std::uint32_t l = 0; l < bodies.size(); ++l)
        if (bodies[l].in[block] && bodies[l].size > above &&
            (found == kNowhere || bodies[l].size < bodies[found].size))
          found = l;
      return found;
    };
    flow_.loop_of.assign(blocks, kNowhere);
    for (std::uint32_t b = 0; b < blocks; ++b) flow_.loop_of[b] = smallest(b, 0);
    for (std::uint32_t l = 0; l < bodies.size(); ++l)
      flow_.loops[l].outer = smallest(flow_.loops[l].header, bodies[l].size);
    for (Loop& l : flow_.loops) {
      if (l.outer != kNowhere) flow_.loops[l.outer].has_inner = true;
      for (std::uint32_t o = l.outer; o != kNowhere; o = flow_.loops[o].outer) ++l.depth;
    }
  }

  // Kahn's algorithm; of several blocks that could come next, the one that stands first.
  void put_in_order() {
    const auto blocks = static_cast<std::uint32_t>(last_.size());
    std::vector<std::uint32_t> waits(blocks, 0);
    std::uint32_t reachable = 0, placed = 0;
    for (std::uint32_t b = 0; b < blocks; ++b) {
      if (!reached(b)) continue;
      ++reachable;
      for (const Edge& e : next_[b])
        if (!goes_back(e)) ++waits[e.to];
    }
    flow_.order.assign(blocks, kNowhere);
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    if (blocks != 0) ready.push(0);
    while (!ready.empty()) {
      const std::uint32_t b = ready.top();
      ready.pop();
      flow_.order[b] = placed++;
      for (const Edge& e : next_[b])
        if (!goes_back(e) && --waits[e.to] == 0) ready.push(e.to);
    }
    flow_.reducible = placed == reachable;
  }

  const std::vector<FlowLine>& lines_;
  CodeFlow flow_;
  std::vector<std::uint32_t> last_;  // of each block
  std::vector<std::vector<Edge>> next_;
};

}  // namespace

CodeFlow flow_of(const std::vector<FlowLine>& lines) { return Reader(lines).run(); }

}  // namespace warpmem::trace
