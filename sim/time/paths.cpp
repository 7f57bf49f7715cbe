#include "sim/time/paths.hpp"

#include <algorithm>

#include "sim/time/parameter_lines.hpp"

namespace warpmem::sim {

Paths::Paths(std::span<const trace::Site> sites, const trace::DecodedProgram& program,
             const model::InstructionTable& table, std::uint64_t code_piece, bool clusters,
             const trace::Launch* launch, std::span<const SpillSlot> slots,
             std::span<const trace::TimesRun> times)
    : sites_(sites.size()),
      code_piece_(static_cast<std::uint32_t>(code_piece)),
      code_paths_(sites, program, read_code(program, table, clusters, launch), launch, slots,
                  times) {
  if (sites_ <= 512) table_.resize((sites_ + 1) * (sites_ + 1));
}

void Paths::add_steps(Segment& segment, const std::vector<CodeLine>& code, const Lines& lines,
                      const Lines& cut, Lines& ends, bool round) {
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
    const std::uint32_t piece = l.pc / code_piece_;
    if (piece != step.piece || l.waits || operand || l.drains != kNoScoreboard || l.waits_copies ||
        l.fences || l.meets)
      close();
    if (step.issues == 0) {
      step.piece = piece;
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
    const bool last = k + 1 == lines.size();
    if (last ? round && lines.front() != lines[k] + 1 : lines[k + 1] != lines[k] + 1) {
      step.cycles = static_cast<std::uint16_t>(step.cycles + l.taken_cycles);
      step.lost = static_cast<std::uint16_t>(step.lost + l.taken_slots);
    }
    for (std::size_t b = 0; b < kRegisterBanks; ++b) {
      auto& busy = step.busy[static_cast<std::size_t>(Pipe::kEvenRegisters) + b];
      busy = static_cast<std::uint16_t>(busy + l.reads[b]);
    }
    if (l.cost.pipe != Pipe::kNone) {
      auto& busy = step.busy[static_cast<std::size_t>(l.cost.pipe)];
      busy = static_cast<std::uint16_t>(busy + l.cost.busy);
    }
    if (const std::uint32_t line = l.parameter / kParameterLine; line < kParameterLines)
      (l.loads_parameter ? step.loads_parameters : step.parameters) |= std::uint64_t{1} << line;
    step.latency = l.cost.latency;
    step.commits = l.commits;
    step.joins = l.joins;
    step.driver = l.driver;
    if (constants && !operand) step.loads = constants;
    step.sets = l.sets;
    step.frees = l.frees;
    const bool here = std::find(cut.begin(), cut.end(), k) != cut.end();
    // Long runs are cut, so that warps take turns.
    if (l.sets != kNoScoreboard || l.frees != kNoScoreboard || l.commits || l.joins || step.loads ||
        l.driver != DriverCall::kNone || step.issues >= 32 || here)
      close();
    if (here) ends.push_back(static_cast<std::uint32_t>(segment.steps.size()));
  }
  close();
  for (const Step& s : segment.steps) segment.instructions += s.issues;
}

const Segment Paths::kNothing;

std::unique_ptr<Paths::Passages> Paths::make(std::uint32_t from, std::uint32_t to, bool anew) {
  auto out = std::make_unique<Passages>();
  CodePaths::Passages found = code_paths_.passages(from, to, anew);
  for (const Lines& lines : found.paths)
    out->paths.push_back(segment_of(lines, !anew && code_paths_.same(from, to)));
  out->turns = std::move(found.turns);
  return out;
}

Segment Paths::segment_of(const Lines& lines, bool same) {
  Segment segment;
  const std::vector<CodeLine>& code = code_paths_.code();
  const std::vector<CodePaths::Repeat> loops = code_paths_.repeats(lines);
  Lines cut, ends;
  for (const CodePaths::Repeat& r : loops)
    if (cut.empty() || cut.back() != r.at) cut.push_back(static_cast<std::uint32_t>(r.at));
  add_steps(segment, code, lines, cut, ends, false);
  for (const CodePaths::Repeat& r : loops) {
    const auto k = std::find(cut.begin(), cut.end(), r.at) - cut.begin();
    segment.repeats.push_back({ends[static_cast<std::size_t>(k)],
                               &round_at({static_cast<std::int32_t>(r.branch)}), r.rounds});
  }
  if (segment.steps.empty() && !same) {
    // Nothing is known of what lies in between: a few instructions.
    Step step;
    step.issues = code.empty() ? 4 : 1;
    step.to_last = static_cast<std::uint16_t>(step.issues * 4 - 4);
    step.cycles = static_cast<std::uint16_t>(step.issues * 4);
    if (code.empty()) step.waits = 63, step.sets = 0;  // what the one before left
    segment.steps.push_back(step);
    segment.instructions = step.issues;
  }
  return segment;
}

const Round& Paths::round(std::uint32_t site, std::span<const std::uint32_t> through) {
  return round_at(code_paths_.points(site, through));
}

// `points`: the branch back, and branches that are passed on the path.
const Round& Paths::round_at(const std::vector<std::int32_t>& points) {
  auto& entry = rounds_[points];
  if (entry) return *entry;
  entry = std::make_unique<Round>();
  Round& round = *entry;
  const std::int32_t line = points.front();
  if (line < 0) return round;  // not in the code: nothing is known of it
  const std::vector<CodeLine>& code = code_paths_.code();
  round.always_taken = !code[static_cast<std::size_t>(line)].falls;
  CodePaths::Passages found = code_paths_.rounds(points, Round::kRounds);
  for (const Lines& path : found.paths) {
    Lines none;
    Segment segment;
    add_steps(segment, code, path, {}, none, true);
    if (segment.steps.empty()) return round;
    round.paths.push_back(std::move(segment));
  }
  round.turns = std::move(found.turns);
  for (std::uint32_t n = 0; n < Round::kRounds; ++n)
    for (const Step& s : round.segment(n).steps) {
      round.pieces.push_back(s.piece);
      round.stepwise |= s.driver != DriverCall::kNone || s.commits || s.waits_copies || s.fences ||
                        s.meets || s.joins || s.drains != kNoScoreboard ||
                        (s.loads && s.loads->addresses.size() > 1);
      round.work.issues += s.issues;
      round.work.lost += s.lost;
      for (std::size_t p = 0; p < kPipes; ++p) round.work.busy[p] += s.busy[p];
    }
  std::sort(round.pieces.begin(), round.pieces.end());
  round.pieces.erase(std::unique(round.pieces.begin(), round.pieces.end()), round.pieces.end());
  // A few rounds until each takes as long as the next, then some that count.
  constexpr std::uint64_t kFirst = 8, kCounted = Round::kRounds;
  std::uint64_t now = 0, idle = 0, began = 0, idle_before = 0;
  std::array<std::uint64_t, kScoreboards> clear{};
  std::array<std::uint64_t, kPipes> pipe{};
  for (std::uint64_t n = 0; n < kFirst + kCounted; ++n) {
    if (n == kFirst) began = now, idle_before = idle;
    for (const Step& s : round.segment(n).steps) {
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
  const Step& last = round.segment(kFirst + kCounted - 1).steps.back();
  const std::uint64_t behind =
      Round::kRounds * (std::uint64_t{last.cycles} - std::uint64_t{last.to_last});
  round.work.to_last = round.work.cycles - std::min(round.work.cycles, behind);
  for (std::size_t b = 0; b < kScoreboards; ++b)
    round.later[b] = static_cast<std::uint16_t>(clear[b] - std::min(clear[b], now));
  return round;
}

}  // namespace warpmem::sim
