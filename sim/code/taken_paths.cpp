#include "sim/code/taken_paths.hpp"

#include <queue>

namespace warpmem::sim {
namespace {

// Of lengths of paths: a record that was passed in spite of its guard, one that cannot be passed.
constexpr std::uint64_t kGuarded = std::uint64_t{1} << 24, kNever = std::uint64_t{1} << 40;
constexpr std::uint64_t kFar = ~std::uint64_t{0};

}  // namespace

TakenPaths::TakenPaths(const Graph& graph, const std::vector<CodeLine>& code,
                       const trace::CodeFlow& flow, std::span<const trace::TimesRun> times)
    : graph_(graph),
      code_(code),
      flow_(flow),
      counted_(true),
      block_(graph.blocks),
      branch_(graph.blocks) {
  std::vector<Times> line(code.size());
  for (const trace::TimesRun& run : times) {
    const auto first =
        std::lower_bound(code.begin(), code.end(), run.pc,
                         [](const CodeLine& l, std::uint32_t pc) { return l.pc < pc; });
    const auto from = static_cast<std::size_t>(first - code.begin());
    const std::size_t to = std::min<std::size_t>(code.size(), from + run.instructions);
    for (std::size_t i = from; i < to; ++i) line[i] = {run.times, run.copies};
  }
  // Instructions of other blocks may have been moved into one: most of it is its own. A statement
  // that became one instruction alone says that the block was not copied, whatever others of it
  // (moves, say) became.
  for (std::size_t b = 0; b < graph.blocks; ++b) {
    struct Votes {
      std::uint32_t lines = 0, copies = ~0u;
    };
    std::map<std::uint64_t, Votes> found;
    for (std::uint32_t i = graph.first[b]; i <= graph.last[b]; ++i) {
      if (line[i].copies == 0) continue;
      Votes& v = found[line[i].times];
      ++v.lines;
      v.copies = std::min(v.copies, line[i].copies);
    }
    std::uint32_t most = 0;
    for (const auto& [ran, v] : found)
      if (v.lines >= most) most = v.lines, block_[b] = {ran, v.copies};
    branch_[b] = line[graph.last[b]];
    if (branch_[b].copies == 0) branch_[b] = block_[b];
  }
  connect();
}

TakenPaths::TakenPaths(const Graph& graph, const std::vector<CodeLine>& code,
                       const trace::CodeFlow& flow, std::vector<bool> rare)
    : graph_(graph), code_(code), flow_(flow), counted_(false), rare_(std::move(rare)) {
  connect();
}

void TakenPaths::connect() {
  const std::size_t vertices = boost::num_vertices(graph_.graph);
  after_.resize(vertices), before_.resize(vertices);
  for (std::size_t v = 0; v < vertices; ++v) {
    const auto [begin, end] = boost::out_edges(v, graph_.graph);
    for (auto e = begin; e != end; ++e) {
      const std::size_t to = boost::target(*e, graph_.graph);
      const std::uint32_t weight = boost::get(boost::edge_weight, graph_.graph, *e);
      const CodeLine* last = v == 0 ? nullptr : &code_[graph_.last[graph_.block_of_vertex(v)]];
      std::uint64_t w = weight % kForbidden + weight / kForbidden * kNever;
      if (last && last->memory && last->guarded) w += kGuarded;
      after_[v].push_back({to, w});
      before_[to].push_back({v, w});
    }
  }
}

const TakenPaths::Goal& TakenPaths::goal(std::size_t vertex) {
  const auto [entry, fresh] = goals_.try_emplace(vertex);
  Goal& g = entry->second;
  if (!fresh) return g;
  g.far.assign(after_.size(), kFar);
  g.next.assign(after_.size(), 0);
  using Open = std::pair<std::uint64_t, std::size_t>;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
  g.far[vertex] = 0;
  open.emplace(0, vertex);
  while (!open.empty()) {
    const auto [far, v] = open.top();
    open.pop();
    if (far != g.far[v]) continue;
    for (const Edge& e : before_[v])
      if (far + e.weight < g.far[e.vertex]) {
        g.far[e.vertex] = far + e.weight;
        g.next[e.vertex] = v;
        open.emplace(far + e.weight, e.vertex);
      }
  }
  return g;
}

std::size_t TakenPaths::nearest_next(std::size_t v, const Goal& to) const {
  std::size_t best = 0;
  std::uint64_t far = kFar;
  for (const Edge& e : after_[v])
    if (to.far[e.vertex] != kFar && e.weight + to.far[e.vertex] < far)
      far = e.weight + to.far[e.vertex], best = e.vertex;
  return best;
}

bool TakenPaths::goes_back(std::size_t from, std::size_t to) const {
  const auto order = [&](std::size_t v) {
    return flow_.order[flow_.block_of[graph_.first[graph_.block_of_vertex(v)]]];
  };
  return order(to) <= order(from);
}

bool TakenPaths::leaves_round(std::size_t from, std::size_t to) const {
  const auto inside = [&](std::size_t v) {
    return flow_.inside(round_of_, graph_.first[graph_.block_of_vertex(v)]);
  };
  return round_of_ != trace::kNowhere && inside(from) && !inside(to);
}

// Where a branch leads that ends this block, when the path goes on at `next`.
std::optional<std::size_t> TakenPaths::other_side(std::size_t v, std::size_t next) const {
  if (v == 0 || next == 0) return {};
  const std::size_t b = graph_.block_of_vertex(v), layer = (v - 1) / graph_.blocks;
  const CodeLine& end = code_[graph_.last[b]];
  if (end.target < 0 || !end.falls || end.calls || end.memory || b + 1 >= graph_.blocks) return {};
  const std::size_t jump =
      layer * graph_.blocks + graph_.block(static_cast<std::uint32_t>(end.target)) + 1;
  if (jump == v + 1 || (next != v + 1 && next != jump)) return {};
  return next == jump ? v + 1 : jump;
}

// Whether a warp is in `v` only when it went from `from` to `side`, and not in a loop that it may
// have gone round meanwhile.
TakenPaths::Of TakenPaths::of_side(std::size_t v, std::size_t from, std::size_t side) const {
  const auto block = [&](std::size_t w) {
    return flow_.block_of[graph_.first[graph_.block_of_vertex(w)]];
  };
  for (const Edge& e : before_[v]) {
    if (v == side && e.vertex == from) continue;
    if (e.vertex == 0 || !flow_.dominates(block(side), block(e.vertex))) return Of::kOthers;
  }
  for (std::uint32_t l = flow_.loop_of[block(v)]; l != trace::kNowhere; l = flow_.loops[l].outer)
    if (!flow_.inside(l, graph_.last[graph_.block_of_vertex(from)])) return Of::kRounds;
  return Of::kSide;
}

// Of the times that the branch ran, those that this side did. Only where both are in the machine
// code once is it known: of the copies that ptxas made of a loop's body, those for the rest run
// less often than the others. Of a call that the trace does not count, nothing is known, nor of
// what a warp comes to by other paths as well.
std::optional<double> TakenPaths::share(std::size_t from, std::size_t side, std::size_t meet,
                                        const Goal& to) const {
  const Times& all = branch_[graph_.block_of_vertex(from)];
  if (all.copies != 1 || all.times == 0) return {};
  for (std::size_t v = side; v != meet && v != 0; v = to.next[v]) {
    const Of of = of_side(v, from, side);
    if (of == Of::kOthers) return {};
    const Times& part = block_[graph_.block_of_vertex(v)];
    if (part.copies == 0 && code_[graph_.last[graph_.block_of_vertex(v)]].calls) return {};
    if (part.copies == 0 || of == Of::kRounds) continue;
    if (part.copies != all.copies) return {};
    return std::min(1.0, static_cast<double>(part.times) / static_cast<double>(all.times));
  }
  return {};
}

// Whether a body that nobody counted is supposed to be run.
bool TakenPaths::supposed(std::size_t from, std::size_t body, std::size_t meet,
                          const Goal& to) const {
  constexpr std::uint32_t kShort = 3;  // instructions
  const std::uint32_t branch = graph_.last[graph_.block_of_vertex(from)];
  if (rare_[branch]) return false;
  const std::uint32_t loop = flow_.loop_of[flow_.block_of[branch]];
  std::uint32_t instructions = 0;
  for (std::size_t v = body; v != meet && v != 0; v = to.next[v]) {
    const std::size_t b = graph_.block_of_vertex(v);
    // Round a loop, or out of it; a function.
    if (v == from || (loop != trace::kNowhere && !flow_.inside(loop, graph_.first[b])) ||
        code_[graph_.last[b]].calls)
      return false;
    // Nor what leaves records as a rule and left none.
    for (std::uint32_t i = graph_.first[b]; i <= graph_.last[b]; ++i)
      if (code_[i].accesses && !code_[i].memory && !code_[i].guarded) return false;
    instructions += graph_.last[b] - graph_.first[b] + 1;
  }
  return instructions >= kShort;
}

std::optional<TakenPaths::Sides> TakenPaths::sides(std::size_t v, std::size_t next,
                                                   std::size_t target) {
  const auto other = other_side(v, next);
  if (!other || goes_back(v, *other) || leaves_round(v, *other)) return {};
  const Goal& to = goal(target);
  const auto far = [&](std::size_t side) {
    for (const Edge& e : after_[v])
      if (e.vertex == side && to.far[side] != kFar) return e.weight + to.far[side];
    return kFar;
  };
  // Who would have left a record that is not there did not go that path.
  if (far(*other) == kFar || far(*other) / kGuarded > far(next) / kGuarded) return {};
  std::vector<bool> on(after_.size(), false);
  for (std::size_t w = next;; w = to.next[w]) {
    on[w] = true;
    if (w == target) break;
  }
  Sides s;
  s.other = s.meet = *other;
  while (!on[s.meet]) s.meet = to.next[s.meet];
  if (!counted_) {
    if (s.meet != next || !supposed(v, *other, s.meet, to)) return {};
    s.next = 0.5;
    return s;
  }
  const auto mine = s.meet == next ? std::optional<double>() : share(v, next, s.meet, to);
  const auto theirs = s.meet == *other ? std::optional<double>() : share(v, *other, s.meet, to);
  if (!mine && !theirs) return {};
  if (s.meet == next) s.next = 1 - *theirs;
  else if (s.meet == *other) s.next = *mine;
  else if (!theirs) s.next = *mine;
  else if (!mine) s.next = 1 - *theirs;
  else if (*mine + *theirs <= 0) return {};
  else {
    s.both = std::max(0.0, *mine + *theirs - 1);
    s.next = (*mine - s.both) / std::min(1.0, *mine + *theirs);
  }
  return s;
}

void TakenPaths::walk(std::size_t from, std::size_t target, Left& left, std::vector<bool>& met,
                      Vertices& out) {
  std::size_t v = from;
  do {
    const std::size_t next = nearest_next(v, goal(target));
    if (next == 0) return;
    const auto s = met[v] ? std::nullopt : sides(v, next, target);
    if (!s) {
      out.push_back(v = next);
      continue;
    }
    met[v] = true;  // once a passage, so that it comes to an end
    std::array<double, 3>& over = left[v];
    const std::array<double, 3> shares{s->next, 1 - s->next - s->both, s->both};
    std::size_t most = 0;
    for (std::size_t k = 0; k < 3; ++k)
      if ((over[k] += shares[k]) > over[most]) most = k;
    over[most] -= 1;
    if (most == 2) {
      out.push_back(next);
      if (next != s->meet) walk(next, s->meet, left, met, out);
      // Each of them comes to where they wait for each other.
      if (!code_[graph_.first[graph_.block_of_vertex(s->meet)]].rejoins) out.pop_back();
      out.push_back(s->other);
      walk(s->other, s->meet, left, met, out);
      v = s->meet;
    } else {
      out.push_back(v = most == 0 ? next : s->other);
    }
  } while (v != target);
}

TakenPaths::Vertices TakenPaths::passage(std::size_t source, std::size_t target, Left& left,
                                         std::uint32_t loop) {
  round_of_ = loop;
  Vertices out;
  std::vector<bool> met(after_.size(), false);
  walk(source, target, left, met, out);
  return out;
}

}  // namespace warpmem::sim
