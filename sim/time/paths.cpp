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

  Graph(const std::vector<CodeLine>& code, const std::vector<std::optional<bool>>& taken) {
    const auto may = [&](std::uint32_t line, bool jump) {
      return line >= taken.size() || !taken[line] || *taken[line] == jump;
    };
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
      if (end.falls && may(last[b], false) && b + 1 < first.size())
        boost::add_edge(b + 1, b + 2, weight(b, b + 1), graph);
      if (end.target >= 0 && may(last[b], true))
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
             const model::InstructionTable& table, bool clusters, const trace::Launch* launch)
    : sites_(sites.size()), code_(read_code(program, table, clusters, launch)) {
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
    if (line_[s] >= 0 && !ends_[s] && sites[s].op != trace::Op::kRounds)
      traced[static_cast<std::size_t>(line_[s])] = true;
  for (std::size_t i = 0; i < code_.size(); ++i) code_[i].memory = traced[i];
  const bool told = std::any_of(sites.begin(), sites.end(),
                                [](const trace::Site& s) { return s.op == trace::Op::kRounds; });
  if (told) flow_ = flow_of_code(code_);
  if (launch && !told && program.level == trace::Level::kSass)
    static_ = static_flow(program, code_, *launch);
  if (!code_.empty()) graph_ = std::make_unique<Graph>(code_, static_.taken);
  for (const StaticLoop& l : static_.loops) {
    graph_->search(0);
    const std::size_t header = graph_->block(l.header) + 1;  // constants may rule it out altogether
    if (!l.rounds && graph_->before[0][header] != header) taken_once_.push_back(code_[l.branch].pc);
  }
  std::sort(taken_once_.begin(), taken_once_.end());
  if (std::any_of(static_.taken.begin(), static_.taken.end(), [](auto t) { return t.has_value(); }))
    whole_ = std::make_unique<Graph>(code_, std::vector<std::optional<bool>>{});
  if (sites_ <= 512) table_.resize((sites_ + 1) * (sites_ + 1));
}

Paths::~Paths() = default;

Paths::Lines Paths::lines_in(Graph& graph, const std::vector<CodeLine>& code, std::int32_t from,
                             std::int32_t to) {
  Lines lines;
  const std::size_t source = from < 0 ? 0 : graph.block(static_cast<std::uint32_t>(from)) + 1;
  std::size_t goal = 0;
  if (to >= 0) {
    goal = graph.block(static_cast<std::uint32_t>(to)) + 1;
  } else {
    graph.search(source);
    std::uint32_t nearest = ~0u;
    for (std::size_t b = 0; b < graph.last.size(); ++b) {
      const CodeLine& end = code[graph.last[b]];
      // A jump to where nobody knows may lead to the end too.
      const bool leaves = end.target < 0 && (!end.falls || end.ends) && !end.memory;
      if (!leaves || graph.before[source][b + 1] == b + 1) continue;
      if (const std::uint32_t d = graph.far[source][b + 1]; d < nearest) nearest = d, goal = b + 1;
    }
  }
  if (goal == 0) return lines;
  for (std::size_t v : graph.way(source, goal))
    for (std::uint32_t i = graph.first[v - 1]; i <= graph.last[v - 1]; ++i) lines.push_back(i);
  if (to >= 0)
    while (!lines.empty() && lines.back() != static_cast<std::uint32_t>(to)) lines.pop_back();
  return lines;
}

Paths::Lines Paths::lines_between(std::int32_t from, std::int32_t to) const {
  if (code_.empty()) return {};
  Lines lines = lines_in(*graph_, code_, from, to);
  if (lines.empty() && whole_) lines = lines_in(*whole_, code_, from, to);
  if (lines.empty() && to >= 0)
    lines = {graph_->last[graph_->block(static_cast<std::uint32_t>(to))]};
  return lines;
}

void Paths::add_steps(Segment& segment, const std::vector<CodeLine>& code, const Lines& lines,
                      const Lines& cut, Lines& ends) {
  Step step;
  const auto close = [&] {
    if (step.issues == 0) return;
    segment.steps.push_back(step);
    step = Step{};
  };
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const CodeLine& l = code[lines[k]];
    const ConstantRead* const constants = l.memory ? nullptr : l.constants.get();
    const bool operand = constants && !constants->indexed;
    if (l.waits || operand || l.drains != kNoScoreboard || l.waits_copies || l.fences || l.meets)
      close();
    if (step.issues == 0) {
      step.waits = l.waits;
      step.drains = l.drains;
      step.leaves = l.leaves;
      step.waits_copies = l.waits_copies;
      step.fences = l.fences;
      step.meets = l.meets;
      if (operand) step.operand = constants;
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
    if (constants && !operand) step.loads = constants;
    step.sets = l.sets;
    step.frees = l.frees;
    const bool here = std::find(cut.begin(), cut.end(), k) != cut.end();
    // Long runs are cut, so that warps take turns.
    if (l.sets != kNoScoreboard || l.frees != kNoScoreboard || l.commits || l.joins || step.loads ||
        step.issues >= 32 || here)
      close();
    if (here) ends.push_back(static_cast<std::uint32_t>(segment.steps.size()));
  }
  close();
  for (const Step& s : segment.steps) segment.instructions += s.issues;
}

// The loops that a way goes through, and those that going round them goes through again, with how
// often in all. A loop that asks at its beginning whether to go on is passed there.
void Paths::find_loops(const Lines& lines, std::uint64_t times, std::size_t at, Lines& inside,
                       std::vector<Found>& out) const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  for (std::uint32_t l = 0; l < static_.loops.size(); ++l) {
    const StaticLoop& loop = static_.loops[l];
    if (!loop.rounds || *loop.rounds == 0) continue;
    if (std::find(inside.begin(), inside.end(), l) != inside.end()) continue;
    const auto header = std::find(lines.begin(), lines.end(), loop.header);
    if (header == lines.end()) continue;
    const auto branch = std::find(header, lines.end(), loop.branch);
    const auto here = (branch == lines.end() ? header : branch) - lines.begin();
    const std::size_t place = inside.empty() ? static_cast<std::size_t>(here) : at;
    const std::uint64_t rounds = times > kMost / *loop.rounds ? kMost : times * *loop.rounds;
    out.push_back({l, place, rounds});
    inside.push_back(l);
    const auto back = static_cast<std::int32_t>(loop.branch);
    find_loops(lines_between(back, back), rounds, place, inside, out);
    inside.pop_back();
  }
}

std::unique_ptr<Segment> Paths::make(std::uint32_t from, std::uint32_t to) {
  auto segment = std::make_unique<Segment>();
  const std::int32_t a = from == kStart ? -1 : line_[from];
  // Two sites of one instruction follow each other without anything in between.
  const bool same = from != kStart && from != to && a >= 0 && a == line_[to];
  Lines lines;
  if (!same && (line_[to] >= 0 || ends_[to])) lines = lines_between(a, line_[to]);
  Lines inside, cut, ends;
  std::vector<Found> loops;
  find_loops(lines, 1, 0, inside, loops);
  std::stable_sort(loops.begin(), loops.end(),
                   [](const Found& x, const Found& y) { return x.at < y.at; });
  for (const Found& f : loops)
    if (cut.empty() || cut.back() != f.at) cut.push_back(static_cast<std::uint32_t>(f.at));
  add_steps(*segment, code_, lines, cut, ends);
  for (const Found& f : loops) {
    const auto k = std::find(cut.begin(), cut.end(), f.at) - cut.begin();
    segment->repeats.push_back(
        {ends[static_cast<std::size_t>(k)],
         &round_at({static_cast<std::int32_t>(static_.loops[f.loop].branch)}), f.rounds});
  }
  if (segment->steps.empty() && !same) {
    // Nothing is known of what lies in between: a few instructions.
    Step step;
    step.issues = code_.empty() ? 4 : 1;
    step.to_last = static_cast<std::uint16_t>(step.issues * 4 - 4);
    step.cycles = static_cast<std::uint16_t>(step.issues * 4);
    if (code_.empty()) step.waits = 63;
    segment->steps.push_back(step);
    segment->instructions = step.issues;
  }
  return segment;
}

const Round& Paths::round(std::uint32_t site, std::span<const std::uint32_t> through) {
  std::vector<std::int32_t> lines{line_[site]};
  const std::uint32_t loop = lines[0] < 0 || flow_.back_edge.empty()
                                 ? trace::kNowhere
                                 : flow_.back_edge[static_cast<std::size_t>(lines[0])];
  if (loop != trace::kNowhere)
    for (const std::uint32_t s : through)
      if (line_[s] >= 0 && line_[s] != lines[0] &&
          flow_.inside(loop, static_cast<std::uint32_t>(line_[s])))
        lines.push_back(line_[s]);
  return round_at(lines);
}

// `points`: the branch back, and branches that are passed on the way.
const Round& Paths::round_at(const std::vector<std::int32_t>& points) {
  auto& entry = rounds_[points];
  if (entry) return *entry;
  entry = std::make_unique<Round>();
  Round& round = *entry;
  const std::int32_t line = points.front();
  if (line < 0) return round;  // not in the code: nothing is known of it
  Lines way, none;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Lines part = lines_between(points[k], k + 1 < points.size() ? points[k + 1] : line);
    way.insert(way.end(), part.begin(), part.end());
  }
  add_steps(round.segment, code_, way, {}, none);
  const std::vector<Step>& steps = round.segment.steps;
  round.always_taken = !code_[static_cast<std::size_t>(line)].falls;
  for (const Step& s : steps) {
    round.stepwise |= s.commits || s.waits_copies || s.fences || s.meets || s.joins ||
                      s.drains != kNoScoreboard || (s.loads && s.loads->addresses.size() > 1);
    round.work.issues += s.issues;
    for (std::size_t p = 0; p < kPipes; ++p) round.work.busy[p] += s.busy[p];
  }
  // A few rounds until each takes as long as the next, then some that count.
  constexpr std::uint64_t kFirst = 8, kCounted = Round::kSixteenths;
  std::uint64_t now = 0, idle = 0, began = 0, idle_before = 0;
  std::array<std::uint64_t, kScoreboards> clear{};
  std::array<std::uint64_t, kPipes> pipe{};
  for (std::uint64_t n = 0; n < kFirst + kCounted; ++n) {
    if (n == kFirst) began = now, idle_before = idle;
    for (const Step& s : steps) {
      std::uint64_t from = now;
      for (std::size_t b = 0; b < kScoreboards; ++b)
        if (s.waits >> b & 1) from = std::max(from, clear[b]);
      std::uint64_t last = from + s.to_last;
      for (std::size_t p = 0; p < kPipes; ++p) {
        if (!s.busy[p]) continue;
        pipe[p] = std::max(pipe[p], from) + s.busy[p];
        const std::uint64_t each = s.busy[p] / std::max<std::uint64_t>(1, s.issues);
        last = std::max(last, pipe[p] - std::min(pipe[p], each + 1));
      }
      idle += from - now;
      now = last + (s.cycles - s.to_last);
      if (s.sets < kScoreboards) clear[s.sets] = last + s.latency;
      if (s.frees < kScoreboards) clear[s.frees] = last + s.latency / 2;
    }
  }
  round.work.cycles = now - began;
  round.idle = idle - idle_before;
  const std::uint64_t behind = steps.empty()
                                   ? 0
                                   : Round::kSixteenths * std::uint64_t{steps.back().cycles} -
                                         Round::kSixteenths * steps.back().to_last;
  round.work.to_last = round.work.cycles - std::min(round.work.cycles, behind);
  for (std::size_t b = 0; b < kScoreboards; ++b)
    round.later[b] = static_cast<std::uint16_t>(clear[b] - std::min(clear[b], now));
  return round;
}

}  // namespace warpmem::sim
