// Nobody of a group can ever run again: who waits, where, for whom.
#include <fmt/format.h>

#include "emulate/executor/cta_groups.hpp"
#include "emulate/executor/faults.hpp"

namespace warpmem::emulate {

void CtaGroups::report_deadlock(const Group& group) {
  std::string who;
  int listed = 0;
  for (const Cta& cta : group.ctas)
    for (const Warp& w : cta.warps)
      for (const Part& p : w.parts) {
        const char* at = p.state == Part::State::kAtBarrier   ? "barrier"
                         : p.state == Part::State::kTogether  ? ""
                         : p.state == Part::State::kAtCluster ? "cluster barrier"
                                                              : nullptr;
        if (!at) continue;
        if (++listed > 8) continue;
        const Code& code = code_of(w, p);
        if (p.state == Part::State::kTogether) {
          who += fmt::format(
              "\n    CTA ({},{},{}) warp {} lanes {:#010x}: its member mask {:#x} names lanes "
              "{:#x} that do not come to this instruction, {}",
              cta.id[0], cta.id[1], cta.id[2], w.index, p.mask, p.sync_members,
              p.sync_members & ~w.gone() & ~p.mask, place_of(run_.kernel, code, code.code[p.pc]));
          continue;
        }
        who += fmt::format("\n    CTA ({},{},{}) warp {} lanes {:#010x}: {}{}, {}", cta.id[0],
                           cta.id[1], cta.id[2], w.index, p.mask, at,
                           p.state == Part::State::kAtBarrier ? fmt::format(" {}", p.barrier) : "",
                           place_of(run_.kernel, code, code.code[p.pc - 1]));
      }
  if (listed > 8) who += fmt::format("\n    and {} more", listed - 8);
  run_.statistics.fault = FaultKind::kEndless;
  throw Fault{{ErrorKind::kMalformed,
               fmt::format("deadlock: all that is left of the kernel '{}' waits{}",
                           demangled(run_.kernel.entry->name), who),
               "",
               "make every thread of the CTA reach the same barrier, and every lane that a member "
               "mask names the same instruction"}};
}

}  // namespace warpmem::emulate
