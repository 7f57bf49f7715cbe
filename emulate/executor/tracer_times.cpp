// How often warps ran each instruction of what was traced, as the trace says it.
#include "emulate/executor/tracer.hpp"

namespace warpmem::emulate {
std::vector<trace::TimesRun> Tracer::times(const std::vector<std::uint64_t>& by_statement,
                                           const std::vector<std::uint64_t>& own_calls) const {
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
    const bool known = o.statement < by_statement.size() && !o.meets;
    if (known)
      add(map_->program.code[i].pc, o.copies, (o.own_call ? own_calls : by_statement)[o.statement],
          follows);
    follows = known;
  }
  return out;
}

}  // namespace warpmem::emulate
