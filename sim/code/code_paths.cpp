#include "sim/code/code_paths.hpp"

#include <algorithm>

#include "sim/code/path_graph.hpp"
#include "sim/code/rare_branches.hpp"
#include "sim/code/taken_paths.hpp"
#include "sim/code/unrun_code.hpp"

namespace warpmem::sim {
namespace {

constexpr std::uint32_t kInstructionBytes = 16;

}  // namespace

CodePaths::CodePaths(std::span<const trace::Site> sites, const trace::DecodedProgram& program,
                     std::vector<CodeLine> code, const trace::Launch* launch,
                     std::span<const SpillSlot> slots, std::span<const trace::TimesRun> times)
    : code_(std::move(code)) {
  const auto gap = std::adjacent_find(
      code_.begin(), code_.end(),
      [](const CodeLine& a, const CodeLine& b) { return b.pc > a.pc + kInstructionBytes; });
  const std::uint32_t last_pc = gap == code_.end() ? ~0u : gap->pc;
  for (const trace::Site& s : sites) {
    const auto it = std::lower_bound(code_.begin(), code_.end(), s.pc,
                                     [](const CodeLine& l, std::uint32_t pc) { return l.pc < pc; });
    // Where a warp began or ended is not said by the record's pc. Statements of PTX that machine
    // code has no instruction of lie behind it, with a gap between, and no path leads to them.
    const bool begins = s.op == trace::Op::kCtaBegin || s.op == trace::Op::kCtaEnd;
    const bool beside = program.level() == trace::Level::kPtxSass && s.pc > last_pc;
    line_.push_back(!begins && !beside && it != code_.end() && it->pc == s.pc
                        ? static_cast<std::int32_t>(it - code_.begin())
                        : -1);
    ends_.push_back(s.op == trace::Op::kCtaEnd);
    const bool pairs = program.level() == trace::Level::kSass;  // of bulk copies: no pieces
    copied_.push_back(
        s.op == trace::Op::kAsyncCopyWrite ||
        (pairs && (s.op == trace::Op::kBulkWrite || s.op == trace::Op::kBulkReduction)));
    reads_copy_.push_back(s.op == trace::Op::kAsyncCopyRead ||
                          (pairs && s.op == trace::Op::kBulkRead));
  }
  // What leaves records is what the trace has sites of, whatever the text looks like.
  std::vector<bool> traced(code_.size(), false);
  for (std::size_t s = 0; s < line_.size(); ++s)
    if (line_[s] >= 0 && !ends_[s] && sites[s].op != trace::Op::kRounds)
      traced[static_cast<std::size_t>(line_[s])] = true;
  for (std::size_t i = 0; i < code_.size(); ++i) code_[i].memory = traced[i];
  if (program.level() == trace::Level::kSass && code_.size() == program.size())
    cut_unrun(program, traced, code_);
  const bool told = std::any_of(sites.begin(), sites.end(),
                                [](const trace::Site& s) { return s.op == trace::Op::kRounds; });
  const bool recorded = program.level() == trace::Level::kSass && launch && !told;
  if (told || recorded || !times.empty()) flow_ = flow_of_code(code_);
  if (launch && program.level() != trace::Level::kPtx)
    static_ = static_flow(program, code_, *launch, slots);
  if (told) static_.loops.clear();  // records say it
  if (!code_.empty()) graph_ = std::make_unique<Graph>(code_, static_.taken);
  if (graph_ && !times.empty() && flow_.reducible)
    taken_ = std::make_unique<TakenPaths>(*graph_, code_, flow_, times);
  else if (graph_ && recorded && flow_.reducible)
    taken_ = std::make_unique<TakenPaths>(*graph_, code_, flow_, rare_branches(program, code_));
  if (graph_ && graph_->calls) inner_ = std::make_unique<Graph>(code_, static_.taken, false);
  for (const StaticLoop& l : static_.loops) {
    const std::size_t header = graph_->block(l.header);  // constants may rule it out altogether
    // A loop of an emulated kernel without a record was passed once.
    if (program.level() == trace::Level::kSass && !l.rounds &&
        graph_->nearest(0, header).first != 0)
      taken_once_.push_back(code_[l.branch].pc);
  }
  std::sort(taken_once_.begin(), taken_once_.end());
  static const std::vector<std::optional<bool>> kAll;
  if (std::any_of(static_.taken.begin(), static_.taken.end(), [](auto t) { return t.has_value(); }))
    whole_ = std::make_unique<Graph>(code_, kAll);
}

CodePaths::~CodePaths() = default;

// A path to a line, or to a warp's end, as vertices.
struct CodePaths::Piece {
  std::size_t goal = 0;  // 0: there is none
  std::uint32_t far = ~0u;
};

// May a warp end with this block? A jump to where nobody knows may lead to the end too.
bool CodePaths::leaves(const Graph& graph, const std::vector<CodeLine>& code, std::size_t b) {
  const CodeLine& end = code[graph.last[b]];
  return end.target < 0 && end.places.empty() && (!end.falls || end.ends) && !end.memory &&
         !(end.returns && graph.calls);
}

CodePaths::Piece CodePaths::nearest_end(Graph& graph, const std::vector<CodeLine>& code,
                                        std::size_t source, std::int32_t to) {
  Piece out;
  if (to >= 0) {
    std::tie(out.goal, out.far) =
        graph.nearest(source, graph.block(static_cast<std::uint32_t>(to)));
    return out;
  }
  for (std::size_t b = 0; b < graph.blocks; ++b) {
    if (!leaves(graph, code, b) || b + 1 == source) continue;
    if (const auto [v, d] = graph.nearest(source, b); v != 0 && d < out.far) out = {v, d};
  }
  return out;
}

CodePaths::Lines CodePaths::lines_in(Graph& graph, const std::vector<CodeLine>& code,
                                     std::int32_t from, std::int32_t to) {
  const std::size_t source = from < 0 ? 0 : graph.block(static_cast<std::uint32_t>(from)) + 1;
  const std::size_t goal = nearest_end(graph, code, source, to).goal;
  if (goal == 0) return {};
  Lines lines = graph.lines_of(source, graph.path(source, goal));
  if (to >= 0)
    while (!lines.empty() && lines.back() != static_cast<std::uint32_t>(to)) lines.pop_back();
  return lines;
}

CodePaths::Lines CodePaths::lines_between(std::int32_t from, std::int32_t to) const {
  if (code_.empty()) return {};
  Lines lines = lines_in(*graph_, code_, from, to);
  if (lines.empty() && whole_) lines = lines_in(*whole_, code_, from, to);
  if (lines.empty() && to >= 0)
    lines = {graph_->last[graph_->block(static_cast<std::uint32_t>(to))]};
  return lines;
}

struct CodePaths::Left {
  std::map<std::pair<std::int32_t, std::int32_t>, TakenPaths::Left> by_ends;
  bool any() const {
    return std::any_of(by_ends.begin(), by_ends.end(),
                       [](const auto& entry) { return !entry.second.empty(); });
  }
};

CodePaths::Lines CodePaths::taken_between(std::int32_t from, std::int32_t to, Left& left,
                                          std::uint32_t loop) const {
  const std::size_t source = from < 0 ? 0 : graph_->block(static_cast<std::uint32_t>(from)) + 1;
  const std::size_t goal = taken_ ? nearest_end(*graph_, code_, source, to).goal : 0;
  if (goal == 0) return lines_between(from, to);
  Lines lines =
      graph_->lines_of(source, taken_->passage(source, goal, left.by_ends[{from, to}], loop));
  if (to >= 0)
    while (!lines.empty() && lines.back() != static_cast<std::uint32_t>(to)) lines.pop_back();
  return lines.empty() ? lines_between(from, to) : lines;
}

namespace {

// Takes passages until there are so many; only one where there is nothing to choose.
template <class Take, class Any>
CodePaths::Passages in_turn(std::uint32_t passages, Take&& take, Any&& any) {
  CodePaths::Passages out;
  std::map<CodePaths::Lines, std::uint32_t> numbers;
  for (std::uint32_t n = 0; n < passages; ++n) {
    CodePaths::Lines lines = take();
    const auto [entry, fresh] =
        numbers.try_emplace(lines, static_cast<std::uint32_t>(out.paths.size()));
    if (fresh) out.paths.push_back(std::move(lines));
    out.turns.push_back(entry->second);
    if (!any()) break;
  }
  return out;
}

}  // namespace

CodePaths::Passages CodePaths::passages(std::uint32_t from, std::uint32_t to, bool anew) const {
  if (!taken_ || (!anew && same(from, to)) || (line_[to] < 0 && !ends_[to]))
    return {{between(from, to, anew)}, {0}};
  Left left;
  return in_turn(
      kPassages, [&] { return taken_between(from == kStart ? -1 : line_[from], line_[to], left); },
      [&] { return left.any(); });
}

CodePaths::Passages CodePaths::rounds(const std::vector<std::int32_t>& points,
                                      std::uint32_t passages) const {
  if (!taken_) return {{round(points)}, {0}};
  const std::uint32_t loop = points[0] < 0 || flow_.back_edge.empty()
                                 ? trace::kNowhere
                                 : flow_.back_edge[static_cast<std::size_t>(points[0])];
  Left left;
  return in_turn(
      passages,
      [&] {
        Lines path;
        for (std::size_t k = 0; k < points.size(); ++k) {
          const Lines part = taken_between(
              points[k], k + 1 < points.size() ? points[k + 1] : points.front(), left, loop);
          path.insert(path.end(), part.begin(), part.end());
        }
        return path;
      },
      [&] { return left.any(); });
}

CodePaths::Lines CodePaths::between(std::uint32_t from, std::uint32_t to, bool anew) const {
  const std::int32_t a = from == kStart ? -1 : line_[from];
  if ((!anew && same(from, to)) || (line_[to] < 0 && !ends_[to])) return {};
  return lines_between(a, line_[to]);
}

CodePaths::Lines CodePaths::between(std::uint32_t from, std::uint32_t to, Lines& calls) const {
  if (!inner_ || same(from, to) || (line_[to] < 0 && !ends_[to])) return between(from, to);
  Graph& g = *inner_;
  const std::int32_t line = line_[to];
  std::size_t source =
      from == kStart || line_[from] < 0 ? 0 : g.block(static_cast<std::uint32_t>(line_[from])) + 1;
  // The nearest of those paths that stay in the function, leave it once, leave its caller too …
  Lines best, best_calls, behind, open = calls;
  std::uint64_t nearest = ~std::uint64_t{0}, far = 0;
  const auto take = [&](std::uint64_t at, Lines lines, Lines entered) {
    if (at >= nearest) return;
    nearest = at, best = std::move(lines), best_calls = std::move(entered);
  };
  const auto joined = [](Lines a, const Lines& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  while (true) {
    if (const Piece end = nearest_end(g, code_, source, line); end.goal != 0) {
      const auto path = g.path(source, end.goal);
      Lines entered = open;
      g.add_calls(source, path, entered);
      take(far + end.far, joined(behind, g.lines_of(source, path)), std::move(entered));
    }
    if (open.empty()) break;
    Piece back;
    for (std::size_t b = 0; b < g.blocks; ++b) {
      if (!code_[g.last[b]].returns) continue;
      if (b + 1 == source) {
        back = {source, 0};
        break;
      }
      g.search(source);
      if (g.reaches(source, b + 1) && g.far[source][b + 1] < back.far)
        back = {b + 1, g.far[source][b + 1]};
    }
    if (back.goal == 0) break;
    if (back.goal != source) behind = joined(behind, g.lines_of(source, g.path(source, back.goal)));
    const std::size_t next = g.block(open.back()) + 1;
    open.pop_back();
    if (next >= g.blocks) break;
    g.add_lines(next, behind);
    far += std::uint64_t{back.far} + (g.last[next] - g.first[next] + 1);
    source = next + 1;
    if (line < 0 ? leaves(g, code_, next) : g.block(static_cast<std::uint32_t>(line)) == next)
      take(far, behind, open);
  }
  // It came from elsewhere than it seemed: the nearest call will do.
  if (best.empty() || nearest >= 2 * std::uint64_t{kForbidden}) {
    calls.clear();
    return between(from, to);
  }
  while (line >= 0 && !best.empty() && best.back() != static_cast<std::uint32_t>(line))
    best.pop_back();
  calls = std::move(best_calls);
  return best;
}

CodePaths::Lines CodePaths::lines_to(std::uint32_t from, std::uint32_t to) const {
  return graph_ ? lines_in(*graph_, code_, line_[from], static_cast<std::int32_t>(to)) : Lines{};
}

CodePaths::Lines CodePaths::waits(std::uint32_t site) const {
  Lines out;
  const std::int32_t line = line_[site];
  for (std::int32_t k = line; k >= 0; --k) {
    const std::int32_t meet = code_[static_cast<std::size_t>(k)].meet;
    if (meet <= line || !code_[static_cast<std::size_t>(meet) - 1].rejoins) continue;
    const auto wait = static_cast<std::uint32_t>(meet) - 1;
    if (out.empty() || out.back() < wait) out.push_back(wait);
  }
  return out;
}

CodePaths::Lines CodePaths::round(const std::vector<std::int32_t>& points) const {
  Lines path;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Lines part =
        lines_between(points[k], k + 1 < points.size() ? points[k + 1] : points.front());
    path.insert(path.end(), part.begin(), part.end());
  }
  return path;
}

std::vector<std::int32_t> CodePaths::points(std::uint32_t site,
                                            std::span<const std::uint32_t> through) const {
  std::vector<std::int32_t> lines{line_[site]};
  const std::uint32_t loop = lines[0] < 0 || flow_.back_edge.empty()
                                 ? trace::kNowhere
                                 : flow_.back_edge[static_cast<std::size_t>(lines[0])];
  if (loop != trace::kNowhere)
    for (const std::uint32_t s : through)
      if (line_[s] >= 0 && line_[s] != lines[0] &&
          flow_.inside(loop, static_cast<std::uint32_t>(line_[s])))
        lines.push_back(line_[s]);
  return lines;
}

// The loops that a path goes through, and those that going round them goes through again, with how
// often in all. A loop that asks at its beginning whether to go on is passed there.
void CodePaths::find_loops(const Lines& lines, std::uint64_t times, std::size_t at, Lines& inside,
                           std::vector<Repeat>& out) const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  for (std::uint32_t l = 0; l < static_.loops.size(); ++l) {
    const StaticLoop& loop = static_.loops[l];
    if (!loop.rounds || *loop.rounds == 0) continue;
    if (std::find(inside.begin(), inside.end(), l) != inside.end()) continue;
    // A function on the path may be passed several times, and its loops with it.
    for (auto from = lines.begin(); from != lines.end();) {
      const auto header = std::find(from, lines.end(), loop.header);
      if (header == lines.end()) break;
      const auto next = std::find(header + 1, lines.end(), loop.header);
      const auto branch = std::find(header, next, loop.branch);
      const auto here = (branch == next ? header : branch) - lines.begin();
      const std::size_t place = inside.empty() ? static_cast<std::size_t>(here) : at;
      const std::uint64_t rounds = times > kMost / *loop.rounds ? kMost : times * *loop.rounds;
      out.push_back({loop.branch, place, rounds});
      inside.push_back(l);
      const auto back = static_cast<std::int32_t>(loop.branch);
      find_loops(lines_between(back, back), rounds, place, inside, out);
      inside.pop_back();
      from = next;
    }
  }
}

std::vector<CodePaths::Repeat> CodePaths::repeats(const Lines& path) const {
  std::vector<Repeat> out;
  Lines inside;
  find_loops(path, 1, 0, inside, out);
  std::stable_sort(out.begin(), out.end(),
                   [](const Repeat& x, const Repeat& y) { return x.at < y.at; });
  return out;
}

}  // namespace warpmem::sim
