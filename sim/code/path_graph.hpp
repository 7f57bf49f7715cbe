// The graph that paths are searched in (paths.hpp).
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

// The graph library's edge iterators hold an optional that the compiler cannot see being set.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>

#include "sim/code/code_paths.hpp"

namespace warpmem::sim {

// Passing an instruction that would have left a record is all but impossible; passing one that was
// switched off in all lanes happens.
constexpr std::uint32_t kForbidden = 1000000;
constexpr std::uint32_t kPassedGuarded = 24;

// Blocks of instructions that run one after the other, each ended by a branch, a call, a memory
// instruction or the next one's being a target. Vertex b + 1 is block b; vertex 0 is where a warp
// starts.
//
// Calls: a path goes through a function and comes back behind the call, which is one edge here; the
// function's own path is put in when lines are asked for. A path that begins in a function may also
// return from it to behind any call of it, and one that ends in a function may enter it; but who
// has entered one that path does not return from it, or calls and returns would be mixed up. So
// there are two layers of the blocks, and calls that the path does not return from lead from either
// to the second, in which nobody returns: vertex blocks + b + 1. A call of which the code says
// several functions that it may go to (callees.hpp) leads to each of them; passed it takes the
// shortest one.
struct CodePaths::Graph {
  using Boost =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                            boost::property<boost::edge_weight_t, std::uint32_t>>;
  std::vector<std::uint32_t> first;  // line of each block's first instruction, ascending
  std::vector<std::uint32_t> last;
  std::size_t blocks = 0;
  bool calls = false;
  Boost graph;
  std::map<std::size_t, std::vector<std::size_t>> through;           // by calling block: the path
                                                                     // through the function
  std::unordered_map<std::size_t, std::vector<std::size_t>> before;  // by source: predecessors
  std::unordered_map<std::size_t, std::vector<std::uint32_t>> far;   // … distances

  // `returns`: from a function to behind any call of it.
  Graph(const std::vector<CodeLine>& code, const std::vector<std::optional<bool>>& taken,
        bool returns = true)
      : code_(code), taken_(taken) {
    std::vector<bool> starts(code.size() + 1, false);
    starts[0] = true;
    for (std::size_t i = 0; i < code.size(); ++i) {
      const CodeLine& l = code[i];
      calls |= is_call(l);
      if (l.target >= 0) starts[static_cast<std::size_t>(l.target)] = true;
      for (const std::uint32_t t : l.places) starts[t] = true;
      for (const std::uint32_t t : l.callees) starts[t] = true;
      if (l.target >= 0 || is_call(l) || l.memory || !l.falls || l.guarded || l.rejoins)
        starts[i + 1] = true;
    }
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (starts[i]) first.push_back(static_cast<std::uint32_t>(i));
      if (starts[i + 1] || i + 1 == code.size()) last.push_back(static_cast<std::uint32_t>(i));
    }
    blocks = first.size();
    graph = Boost((calls ? 2 : 1) * blocks + 1);
    boost::add_edge(0, 1, length(0), graph);
    std::map<std::size_t, Function> functions;  // by first block
    for (std::size_t b = 0; b < blocks; ++b)
      for (const std::size_t entry : called(b)) functions.try_emplace(entry);
    for (auto& [entry, f] : functions) f.within = reached_from(entry);
    for (std::size_t b = 0; b < blocks; ++b) {
      for_each_next(b, [&](std::size_t next) { connect(b, next, weight(b, next)); });
      if (!is_call(code[last[b]])) continue;
      const std::vector<std::size_t> entries = called(b);
      for (const std::size_t entry : entries)
        for (const std::size_t from : {b, blocks + b})
          boost::add_edge(from + 1, blocks + entry + 1, weight(b, entry), graph);
      if (b + 1 == blocks) continue;
      if (!code[last[b]].guarded) {  // else the shorter path is to pass it
        const Function& f = shortest(functions, b);
        // Of a function that calls itself, or never returns, nothing is known.
        connect(b, b + 1, f.weight + weight(b, b + 1));
        if (!f.paths.empty()) through[b] = f.paths;
      }
      if (!returns) continue;
      for (const std::size_t entry : entries)
        for (const std::size_t r : functions.at(entry).within)
          if (code[last[r]].returns) boost::add_edge(r + 1, b + 2, weight(r, b + 1), graph);
    }
  }

  std::size_t block(std::uint32_t line) const {
    return static_cast<std::size_t>(std::upper_bound(first.begin(), first.end(), line) -
                                    first.begin()) -
           1;
  }
  std::size_t block_of_vertex(std::size_t v) const { return (v - 1) % blocks; }

  void search(std::size_t source) {
    if (before.contains(source)) return;
    // A block's path out must not count what the source itself is: its edges lose that weight.
    // Loops back to the source end in a vertex of their own, so that a path from it to itself is
    // found.
    std::vector<std::size_t> p(boost::num_vertices(graph));
    std::vector<std::uint32_t> d(boost::num_vertices(graph));
    boost::dijkstra_shortest_paths(graph, source,
                                   boost::predecessor_map(p.data()).distance_map(d.data()));
    before.emplace(source, std::move(p));
    far.emplace(source, std::move(d));
  }

  bool reaches(std::size_t source, std::size_t v) const {
    return v == source || before.at(source)[v] != v;
  }
  // The nearer of a block's vertices, and how far it is; none: 0.
  std::pair<std::size_t, std::uint32_t> nearest(std::size_t source, std::size_t b) {
    search(source);
    std::pair<std::size_t, std::uint32_t> out{0, ~0u};
    for (std::size_t layer = 0; layer < (calls ? 2u : 1u); ++layer) {
      const std::size_t v = layer * blocks + b + 1;
      const std::uint32_t d = v == source ? round_trip(source).first : far[source][v];
      if ((v == source || reaches(source, v)) && d < out.second) out = {v, d};
    }
    return out;
  }

  // Vertices after `source` up to `goal`, in order; empty when there is no path.
  std::vector<std::size_t> path(std::size_t source, std::size_t goal) {
    search(source);
    std::vector<std::size_t> out;
    const std::vector<std::size_t>& p = before[source];
    if (goal == source) {
      // Around a loop: over the predecessor that is nearest.
      const auto [d, last_of] = round_trip(source);
      if (d == ~0u) return {};
      out = last_of == source ? std::vector<std::size_t>{} : path(source, last_of);
      out.push_back(goal);
      return out;
    }
    if (p[goal] == goal) return {};
    for (std::size_t v = goal; v != source; v = p[v]) out.push_back(v);
    std::reverse(out.begin(), out.end());
    return out;
  }

  void add_lines(std::size_t b, Lines& lines) const {
    for (std::uint32_t i = first[b]; i <= last[b]; ++i) lines.push_back(i);
  }
  // The lines of a path that begins behind `from`, functions that it passes through included.
  Lines lines_of(std::size_t from, const std::vector<std::size_t>& vertices) const {
    Lines lines;
    std::size_t at = from;
    for (const std::size_t v : vertices) {
      const std::size_t b = block_of_vertex(v);
      if (at != 0) {
        // Diverged warps come from the one side of a branch to the other's beginning.
        const auto function = through.find(block_of_vertex(at));
        if (function != through.end() && !enters(block_of_vertex(at), v))
          for (const std::size_t inner : function->second) add_lines(inner, lines);
      }
      add_lines(b, lines);
      at = v;
    }
    return lines;
  }

  // Adds the calls (lines) that a path enters and does not return from.
  void add_calls(std::size_t from, const std::vector<std::size_t>& vertices,
                 Lines& calls_out) const {
    std::size_t at = from;
    for (const std::size_t v : vertices) {
      if (at != 0) {
        const std::size_t b = block_of_vertex(at);
        if (enters(b, v)) calls_out.push_back(last[b]);
      }
      at = v;
    }
  }

 private:
  struct Function {
    std::vector<std::size_t> within;  // blocks
    bool known = false, asked = false;
    std::vector<std::size_t> paths;  // blocks from its beginning to a return
    std::uint32_t weight = 0;
  };

  static bool is_call(const CodeLine& l) {
    return l.calls && (l.target >= 0 || !l.callees.empty());
  }
  std::size_t target(std::size_t b) const {
    return block(static_cast<std::uint32_t>(code_[last[b]].target));
  }
  // First blocks of the functions that a block's call may go to.
  std::vector<std::size_t> called(std::size_t b) const {
    std::vector<std::size_t> out;
    const CodeLine& l = code_[last[b]];
    if (!is_call(l)) return out;
    if (l.target >= 0) out.push_back(target(b));
    for (const std::uint32_t t : l.callees) out.push_back(block(t));
    return out;
  }
  // Whether the path goes from this block's call to vertex `v`, and does not return from it.
  bool enters(std::size_t b, std::size_t v) const {
    const std::vector<std::size_t> entries = called(b);
    return std::any_of(entries.begin(), entries.end(),
                       [&](std::size_t entry) { return v == blocks + entry + 1; });
  }
  std::uint32_t length(std::size_t b) const { return last[b] - first[b] + 1; }
  std::uint32_t weight(std::size_t from, std::size_t to) const {
    const CodeLine& end = code_[last[from]];
    return length(to) + (!end.memory ? 0 : end.guarded ? kPassedGuarded : kForbidden);
  }
  bool may(std::uint32_t line, bool jump) const {
    return line >= taken_.size() || !taken_[line] || *taken_[line] == jump;
  }
  // Blocks that may follow within the same function, behind calls not included.
  template <class F>
  void for_each_next(std::size_t b, F&& f) const {
    const CodeLine& end = code_[last[b]];
    const bool call = is_call(end);
    if (end.falls && b + 1 < blocks && may(last[b], false) && (!call || end.guarded)) f(b + 1);
    if (end.target >= 0 && !call && may(last[b], true)) f(target(b));
    for (const std::uint32_t t : end.places) f(block(t));
  }
  void connect(std::size_t from, std::size_t to, std::uint32_t weight) {
    boost::add_edge(from + 1, to + 1, weight, graph);
    if (calls) boost::add_edge(blocks + from + 1, blocks + to + 1, weight, graph);
  }
  std::vector<std::size_t> reached_from(std::size_t entry) const {
    std::vector<std::size_t> out{entry};
    std::vector<bool> seen(blocks, false);
    seen[entry] = true;
    const auto add = [&](std::size_t b) {
      if (!seen[b]) seen[b] = true, out.push_back(b);
    };
    for (std::size_t k = 0; k < out.size(); ++k) {
      const std::size_t b = out[k];
      for_each_next(b, add);
      if (is_call(code_[last[b]]) && b + 1 < blocks) add(b + 1);
    }
    return out;
  }
  // The shortest path through a function, functions that it calls itself included.
  const Function& summary(std::map<std::size_t, Function>& functions, std::size_t entry) {
    Function& f = functions.at(entry);
    if (f.known || f.asked) return f;
    f.asked = true;
    std::map<std::size_t, std::pair<std::uint32_t, std::size_t>> found;  // distance, predecessor
    std::map<std::pair<std::uint32_t, std::size_t>, std::size_t> open;  // … , block -> predecessor
    std::map<std::size_t, std::vector<std::size_t>> passed;             // by calling block
    open.emplace(std::pair(length(entry), entry), entry);
    std::size_t end = blocks;
    while (!open.empty() && end == blocks) {
      const auto [at, from] = *open.begin();
      const auto d = at.first;
      const std::size_t b = at.second;
      open.erase(open.begin());
      if (!found.try_emplace(b, d, from).second) continue;
      if (code_[last[b]].returns) end = b;
      for_each_next(
          b, [&](std::size_t next) { open.emplace(std::pair(d + weight(b, next), next), b); });
      if (!is_call(code_[last[b]]) || code_[last[b]].guarded || b + 1 >= blocks) continue;
      const Function& inner = shortest(functions, b);
      passed[b] = inner.paths;
      open.emplace(std::pair(d + inner.weight + length(b + 1), b + 1), b);
    }
    f.known = true;
    if (end == blocks) return f;
    f.weight = found.at(end).first;
    for (std::size_t b = end;; b = found.at(b).second) {
      const auto inner = passed.find(b);
      if (inner != passed.end() && !f.paths.empty() && f.paths.back() == b + 1)
        f.paths.insert(f.paths.end(), inner->second.rbegin(), inner->second.rend());
      f.paths.push_back(b);
      if (b == entry) break;
    }
    std::reverse(f.paths.begin(), f.paths.end());
    return f;
  }
  // … through those that a block's call may go to.
  const Function& shortest(std::map<std::size_t, Function>& functions, std::size_t b) {
    static const Function kNone;
    const Function* best = nullptr;
    for (const std::size_t entry : called(b)) {
      const Function& f = summary(functions, entry);
      if (!f.paths.empty() && (!best || f.weight < best->weight)) best = &f;
    }
    return best ? *best : kNone;
  }
  // The shortest path from a vertex to itself: how far, and the vertex before it.
  std::pair<std::uint32_t, std::size_t> round_trip(std::size_t source) {
    search(source);
    std::pair<std::uint32_t, std::size_t> best{~0u, 0};
    for (std::size_t u = 0; u < boost::num_vertices(graph); ++u)
      if (reaches(source, u) && boost::edge(u, source, graph).second && far[source][u] < best.first)
        best = {far[source][u], u};
    return best;
  }

  const std::vector<CodeLine>& code_;
  const std::vector<std::optional<bool>>& taken_;
};

}  // namespace warpmem::sim
