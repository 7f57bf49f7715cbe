// Loops that a warp goes round without leaving a record: how often is in the trace, so that the
// time they take is known. Counts are of the warp: a round of any of its lanes is one, and what
// diverged lanes do one after the other adds up.
#include <algorithm>

#include "emulate/executor/execution.hpp"

namespace warpmem::emulate {

void Execution::count_round(Warp& warp, const Code& code, std::uint32_t line, bool taken) {
  if (!code.polls.empty() && !entered_.empty())
    if (const auto poll = code.polls.find(line); poll != code.polls.end()) {
      for (const std::uint32_t leader : poll->second)
        if (taken) --entered_[code.first_line + leader];
      return;
    }
  if (!group_->traced) return;
  for (Rounds& r : warp.rounds)
    if (r.line == line && r.code == &code) {
      ++(taken ? r.taken : r.passed);
      return;
    }
  warp.rounds.push_back({&code, line, taken ? 1u : 0u, taken ? 0u : 1u});
}

void Execution::leave_rounds(Warp& warp, const Code* code, std::uint32_t line) {
  // Inner loops before those around them.
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
    tracer_->rounds(cta_->number, warp.index, 16 * statement, warp.exists, r.taken, r.passed);
  }
  warp.rounds.clear();
  warp.recorded_code = code;
  warp.recorded_line = line;
}

}  // namespace warpmem::emulate
