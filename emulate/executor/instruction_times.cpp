// How often warps ran each instruction, for the time engine: what they did between two accesses is
// not in the trace, and the ways there were are many. Blocks are counted as warps come to them.
#include "emulate/executor/execution.hpp"

namespace warpmem::emulate {
namespace {

bool meets(std::string_view text) { return text.find("BSYNC") != text.npos; }

}  // namespace

void Execution::begin_times() {
  const Code& last = *kernel_.functions.back();
  entered_.assign(tracer_ ? 2 * (last.first_line + last.code.size()) : 0, 0);
}

void Execution::add_times(const std::vector<std::uint64_t>& entered) {
  for (std::size_t i = 0; i < entered.size(); ++i) entered_[i] += entered[i];
}

void Execution::end_times() {
  if (entered_.empty()) return;
  stats_.times.assign(kernel_.statements, 0);
  stats_.own_calls.assign(kernel_.statements, 0);
  for (const auto& code : kernel_.functions) {
    std::uint64_t times = 0;
    for (std::uint32_t i = 0; i < code->code.size(); ++i) {
      const Inst& in = code->code[i];
      if (in.leader) times = entered_[code->first_line + i];
      if (!in.hidden) stats_.times[code->first_pc + in.statement] = times;
      if (in.kind == Kind::kComputeOwn)
        stats_.own_calls[code->first_pc + in.statement] = entered_[entered_.size() / 2 + code->first_line + i];
    }
  }
}

std::vector<trace::TimesRun> Tracer::times(const std::vector<std::uint64_t>& by_statement, const std::vector<std::uint64_t>& own_calls) const {
  std::vector<trace::TimesRun> out;
  if (by_statement.empty()) return out;
  const auto add = [&](std::uint32_t pc, std::uint32_t copies, std::uint64_t times, bool follows) {
    if (follows && out.back().copies == copies && out.back().times == times)
      ++out.back().instructions;
    else out.push_back({pc, 1, copies, times});
  };
  if (!map_) {
    for (std::uint32_t s = 0; s < by_statement.size(); ++s) add(16 * s, 1, by_statement[s], s > 0);
    return out;
  }
  bool follows = false;
  for (std::size_t i = 0; i < map_->origins.size(); ++i) {
    const CodeOrigin& o = map_->origins[i];
    // Where lanes meet again ptxas names the branch that they parted at.
    const bool known = o.statement < by_statement.size() && !meets(map_->program.code[i].text);
    if (known) add(map_->program.code[i].pc, o.copies, (o.own_call ? own_calls : by_statement)[o.statement], follows);
    follows = known;
  }
  return out;
}

}  // namespace warpmem::emulate
