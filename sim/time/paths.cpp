#include "sim/time/paths.hpp"

#include <algorithm>

// The graph library's edge iterators hold an optional that the compiler cannot see being set.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>

namespace warpmem::sim {
namespace {

// Passing an instruction that would have left a record is all but impossible; passing one that was
// switched off in all lanes happens.
constexpr std::uint32_t kForbidden = 1000000;
constexpr std::uint32_t kPassedGuarded = 24;

}  // namespace

// Blocks of instructions that run one after the other, each ended by a branch, a memory instruction
// or the next one's being a target. Vertex b + 1 is block b; vertex 0 is where a warp starts.
struct Paths::Graph {
  using Boost =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                            boost::property<boost::edge_weight_t, std::uint32_t>>;
  std::vector<std::uint32_t> first;  // line of each block's first instruction, ascending
  std::vector<std::uint32_t> last;
  Boost graph;
  std::unordered_map<std::size_t, std::vector<std::size_t>> before;  // by source: predecessors
  std::unordered_map<std::size_t, std::vector<std::uint32_t>> far;   // … distances

  explicit Graph(const std::vector<CodeLine>& code) {
    std::vector<bool> starts(code.size() + 1, false);
    starts[0] = true;
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code[i].target >= 0) starts[static_cast<std::size_t>(code[i].target)] = true;
      if (code[i].target >= 0 || code[i].memory || !code[i].falls || code[i].guarded)
        starts[i + 1] = true;
    }
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (starts[i]) first.push_back(static_cast<std::uint32_t>(i));
      if (starts[i + 1] || i + 1 == code.size()) last.push_back(static_cast<std::uint32_t>(i));
    }
    graph = Boost(first.size() + 1);
    const auto weight = [&](std::size_t from_block, std::size_t to_block) {
      const CodeLine& end = code[last[from_block]];
      return last[to_block] - first[to_block] + 1 +
             (!end.memory   ? 0
              : end.guarded ? kPassedGuarded
                            : kForbidden);
    };
    boost::add_edge(0, 1, last[0] - first[0] + 1, graph);
    for (std::size_t b = 0; b < first.size(); ++b) {
      const CodeLine& end = code[last[b]];
      if (end.falls && b + 1 < first.size()) boost::add_edge(b + 1, b + 2, weight(b, b + 1), graph);
      if (end.target >= 0)
        boost::add_edge(b + 1, block(static_cast<std::uint32_t>(end.target)) + 1,
                        weight(b, block(static_cast<std::uint32_t>(end.target))), graph);
    }
  }

  std::size_t block(std::uint32_t line) const {
    return static_cast<std::size_t>(std::upper_bound(first.begin(), first.end(), line) -
                                    first.begin()) -
           1;
  }

  void search(std::size_t source) {
    if (before.contains(source)) return;
    // A block's way out must not count what the source itself is: its edges lose that weight. Loops
    // back to the source end in a vertex of their own, so that a way from it to itself is found.
    std::vector<std::size_t> p(boost::num_vertices(graph));
    std::vector<std::uint32_t> d(boost::num_vertices(graph));
    boost::dijkstra_shortest_paths(graph, source,
                                   boost::predecessor_map(p.data()).distance_map(d.data()));
    before.emplace(source, std::move(p));
    far.emplace(source, std::move(d));
  }

  // Blocks after `source` up to `goal`, in order; empty when there is no way.
  std::vector<std::size_t> way(std::size_t source, std::size_t goal) {
    search(source);
    std::vector<std::size_t> out;
    const std::vector<std::size_t>& p = before[source];
    if (goal == source) {
      // Around a loop: over the predecessor that is nearest.
      std::uint32_t best = ~0u;
      std::size_t through = 0;
      const std::vector<std::uint32_t>& d = far[source];
      for (std::size_t u = 0; u < boost::num_vertices(graph); ++u) {
        if ((u != source && p[u] == u) || !boost::edge(u, goal, graph).second) continue;
        if (d[u] < best) best = d[u], through = u + 1;
      }
      if (through == 0) return {};
      out = through - 1 == source ? std::vector<std::size_t>{} : way(source, through - 1);
      out.push_back(goal);
      return out;
    }
    if (p[goal] == goal) return {};
    for (std::size_t v = goal; v != source; v = p[v]) out.push_back(v);
    std::reverse(out.begin(), out.end());
    return out;
  }
};

Paths::Paths(std::span<const trace::Site> sites, const trace::Program& program,
             const model::InstructionTable& table, bool clusters)
    : sites_(sites.size()), code_(read_code(program, table, clusters)) {
  for (const trace::Site& s : sites) {
    const auto it = std::lower_bound(code_.begin(), code_.end(), s.pc,
                                     [](const CodeLine& l, std::uint32_t pc) { return l.pc < pc; });
    // Where a warp began or ended is not said by the record's pc.
    const bool begins = s.op == trace::Op::kCtaBegin || s.op == trace::Op::kCtaEnd;
    line_.push_back(!begins && it != code_.end() && it->pc == s.pc
                        ? static_cast<std::int32_t>(it - code_.begin())
                        : -1);
    ends_.push_back(s.op == trace::Op::kCtaEnd);
  }
  // What leaves records is what the trace has sites of, whatever the text looks like.
  std::vector<bool> traced(code_.size(), false);
  for (std::size_t s = 0; s < line_.size(); ++s)
    if (line_[s] >= 0 && !ends_[s]) traced[static_cast<std::size_t>(line_[s])] = true;
  for (std::size_t i = 0; i < code_.size(); ++i) code_[i].memory = traced[i];
  if (!code_.empty()) graph_ = std::make_unique<Graph>(code_);
  if (sites_ <= 512) table_.resize((sites_ + 1) * (sites_ + 1));
}

Paths::~Paths() = default;

// Lines after `from`'s up to and with `to`'s.
std::vector<std::uint32_t> Paths::lines_between(std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> lines;
  if (code_.empty()) return lines;
  const std::int32_t a = from == kStart ? -1 : line_[from];
  const std::size_t source = a < 0 ? 0 : graph_->block(static_cast<std::uint32_t>(a)) + 1;
  std::size_t goal = 0;
  if (line_[to] >= 0) {
    goal = graph_->block(static_cast<std::uint32_t>(line_[to])) + 1;
    // Two sites of one instruction follow each other without anything in between.
    if (a == line_[to] && from != to) return lines;  // (make() knows)
  } else if (ends_[to]) {
    graph_->search(source);
    std::uint32_t nearest = ~0u;
    for (std::size_t b = 0; b < graph_->last.size(); ++b) {
      const CodeLine& end = code_[graph_->last[b]];
      // A jump to where nobody knows may lead to the end too.
      const bool leaves = end.target < 0 && (!end.falls || end.ends) && !end.memory;
      if (!leaves || graph_->before[source][b + 1] == b + 1) continue;
      if (const std::uint32_t d = graph_->far[source][b + 1]; d < nearest)
        nearest = d, goal = b + 1;
    }
  }
  if (goal == 0) return lines;
  const std::vector<std::size_t> blocks = graph_->way(source, goal);
  if (blocks.empty()) return {graph_->last[goal - 1]};
  for (std::size_t v : blocks)
    for (std::uint32_t i = graph_->first[v - 1]; i <= graph_->last[v - 1]; ++i) lines.push_back(i);
  if (line_[to] >= 0)
    while (!lines.empty() && lines.back() != static_cast<std::uint32_t>(line_[to]))
      lines.pop_back();
  return lines;
}

std::unique_ptr<Segment> Paths::make(std::uint32_t from, std::uint32_t to) {
  auto segment = std::make_unique<Segment>();
  Step step;
  const auto close = [&] {
    if (step.issues == 0) return;
    segment->steps.push_back(step);
    step = Step{};
  };
  const std::vector<std::uint32_t> lines = lines_between(from, to);
  for (std::uint32_t i : lines) {
    const CodeLine& l = code_[i];
    if (l.waits || l.drains != kNoScoreboard || l.waits_copies || l.fences || l.meets) close();
    if (step.issues == 0) {
      step.waits = l.waits;
      step.drains = l.drains;
      step.leaves = l.leaves;
      step.waits_copies = l.waits_copies;
      step.fences = l.fences;
      step.meets = l.meets;
    }
    ++step.issues;
    step.to_last = step.cycles;
    step.cycles = static_cast<std::uint16_t>(step.cycles + l.stall);
    if (l.cost.pipe != Pipe::kNone) {
      auto& busy = step.busy[static_cast<std::size_t>(l.cost.pipe)];
      busy = static_cast<std::uint16_t>(busy + l.cost.busy);
    }
    step.latency = l.cost.latency;
    step.commits = l.commits;
    step.joins = l.joins;
    step.sets = l.sets;
    step.frees = l.frees;
    // Long runs are cut, so that warps take turns.
    if (l.sets != kNoScoreboard || l.frees != kNoScoreboard || l.commits || l.joins ||
        step.issues >= 32)
      close();
  }
  close();
  const bool same = from != kStart && from != to && line_[from] >= 0 && line_[from] == line_[to];
  if (segment->steps.empty() && !same) {
    // Nothing is known of what lies in between: a few instructions.
    step.issues = code_.empty() ? 4 : 1;
    step.to_last = static_cast<std::uint16_t>(step.issues * 4 - 4);
    step.cycles = static_cast<std::uint16_t>(step.issues * 4);
    if (code_.empty()) step.waits = 63;
    segment->steps.push_back(step);
  }
  for (const Step& s : segment->steps) segment->instructions += s.issues;
  return segment;
}

}  // namespace warpmem::sim
