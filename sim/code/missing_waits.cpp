#include "sim/code/missing_waits.hpp"

#include <algorithm>

namespace warpmem::sim {

void MissingWaits::line(CodeLine& l, CodeLine* before, const std::vector<std::uint32_t>& reads,
                        const std::vector<std::uint32_t>& writes) {
  std::uint64_t earliest = now_;
  for (std::uint32_t r : reads) {
    const auto it = registers_.find(r);
    if (it == registers_.end()) continue;
    if (it->second.scoreboard != kNoScoreboard)
      l.waits = static_cast<std::uint8_t>(l.waits | 1u << it->second.scoreboard);
    earliest = std::max(earliest, it->second.ready);
  }
  // A result of fixed latency is waited for by the stall of the instruction in front.
  if (before && earliest > now_)
    before->stall =
        static_cast<std::uint16_t>(std::min<std::uint64_t>(15, before->stall + (earliest - now_)));
  now_ = earliest;
  Result result{now_ + l.cost.latency, kNoScoreboard};
  if ((l.memory || l.cost.variable) && !writes.empty()) {
    l.sets = result.scoreboard = static_cast<std::uint8_t>(next_++ % kScoreboards);
    result.ready = 0;
  }
  for (std::uint32_t r : writes) registers_[r] = result;
  now_ += l.stall;
}

}  // namespace warpmem::sim
