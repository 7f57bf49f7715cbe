#include "emulate/executor/recorder.hpp"

#include <algorithm>

namespace warpmem::emulate {

void Recorder::begin() {
  const Code& last = *run_.kernel.functions.back();
  entered_.assign(run_.tracer ? last.first_line + last.code.size() : 0, 0);
}

void Recorder::record(Warp& warp, const Inst& in, const Code& code, trace::Op op,
                      trace::Space space, std::uint32_t bytes, std::uint32_t mask,
                      const Lanes& lanes) {
  if (!run_.traced()) return;
  leave_rounds(warp, &code, static_cast<std::uint32_t>(&in - code.code.data()));
  run_.tracer->access(run_.cta->number, warp.index,
                      {16 * (code.first_pc + in.statement), op, space, bytes}, mask, lanes);
}

void Recorder::record_piece(Warp& warp, const Inst& in, const Code& code, trace::Op op,
                            trace::Space space, std::uint32_t bytes, std::uint32_t lane,
                            std::uint64_t address, bool& begun) {
  if (!run_.traced()) return;
  leave_rounds(warp, &code, static_cast<std::uint32_t>(&in - code.code.data()));
  run_.tracer->piece(run_.cta->number, warp.index,
                     {16 * (code.first_pc + in.statement), op, space, bytes}, lane, address,
                     begun ? trace::Piece::kFurther : trace::Piece::kFirst);
  begun = true;
}

void Recorder::record_barrier(Warp& warp, const Inst& in, std::uint32_t mask, std::uint32_t number,
                              std::uint32_t expected) {
  if (!run_.traced()) return;
  const Code& code = *run_.code;
  leave_rounds(warp, &code, static_cast<std::uint32_t>(&in - code.code.data()));
  run_.tracer->mark(
      run_.cta->number, warp.index,
      {16 * (code.first_pc + in.statement), trace::Op::kBarrier, trace::Space::kNone, 0}, mask,
      number, static_cast<std::int32_t>(expected));
}

void Recorder::record_branch(Warp& warp, const Inst& in, const Code& code, std::uint32_t line,
                             bool taken) {
  if (taken && !in.hidden && code.flow.back_edge[line] != kNowhere) count_round(warp, code, line);
}

// Loops that a warp goes round without leaving a record: how often is in the trace, so that the
// time they take is known. Counts are of the warp: an iteration of any of its lanes is one, and
// what diverged lanes do one after the other adds up.
void Recorder::count_round(Warp& warp, const Code& code, std::uint32_t line) {
  if (!code.polls.empty() && !entered_.empty())
    if (const auto poll = code.polls.find(line); poll != code.polls.end()) {
      for (const std::uint32_t leader : poll->second) --entered_[code.first_line + leader];
      return;
    }
  if (!run_.group->traced) return;
  for (Rounds& r : warp.rounds)
    if (r.line == line && r.code == &code) {
      ++r.taken;
      return;
    }
  warp.rounds.push_back({&code, line, 1});
}

void Recorder::leave_rounds(Warp& warp, const Code* code, std::uint32_t line) {
  // Inner loops before those around them.
  if (warp.rounds.size() > 1)
    std::stable_sort(warp.rounds.begin(), warp.rounds.end(), [](const Rounds& a, const Rounds& b) {
      return a.code == b.code && a.line != b.line && a.code->flow.behind(b.line, a.line);
    });
  for (const Rounds& r : warp.rounds) {
    // Once round is what leads from an access of the loop to an earlier one, or to itself.
    const std::uint32_t loop = r.code->flow.back_edge[r.line];
    const bool implied =
        code == r.code && warp.recorded_code == code && code->flow.inside(loop, line) &&
        code->flow.inside(loop, warp.recorded_line) && code->flow.behind(warp.recorded_line, line);
    if (r.taken <= (implied ? 1u : 0u)) continue;
    const std::uint32_t statement = r.code->first_pc + r.code->code[r.line].statement;
    run_.tracer->rounds(run_.cta->number, warp.index, 16 * statement, warp.exists, r.taken);
  }
  warp.rounds.clear();
  warp.recorded_code = code;
  warp.recorded_line = line;
}

void Recorder::add_entered(const std::vector<std::uint64_t>& more) {
  for (std::size_t i = 0; i < more.size(); ++i) entered_[i] += more[i];
}

void Recorder::end() {
  if (entered_.empty()) return;
  RunStatistics& out = run_.statistics;
  out.times.assign(run_.kernel.statements, 0);
  for (const auto& code : run_.kernel.functions) {
    std::uint64_t times = 0;
    for (std::uint32_t i = 0; i < code->code.size(); ++i) {
      const Inst& in = code->code[i];
      const std::size_t line = code->first_line + i;
      if (in.leader) times = entered_[line];
      if (!in.hidden) out.times[code->first_pc + in.statement] = times;
    }
  }
}

}  // namespace warpmem::emulate
