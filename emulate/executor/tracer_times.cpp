// How often warps ran each instruction of what was traced, as the trace says it.
#include "emulate/executor/tracer.hpp"

namespace warpmem::emulate {

std::vector<trace::TimesRun> Tracer::times(const std::vector<std::uint64_t>& by_statement) {
  std::vector<trace::TimesRun> out;
  for (std::uint32_t s = 0; s < by_statement.size(); ++s) {
    if (!out.empty() && out.back().times == by_statement[s]) ++out.back().instructions;
    else out.push_back({16 * s, 1, 1, by_statement[s]});
  }
  return out;
}

}  // namespace warpmem::emulate
