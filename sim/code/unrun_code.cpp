#include "sim/code/unrun_code.hpp"

#include <algorithm>

namespace warpmem::sim {
namespace {

// Of these the recorder misses none (docs/how-to/record.md); generic ones may go to local memory.
bool always_recorded(trace::Opcode opcode) {
  using trace::Opcode;
  switch (opcode) {
    case Opcode::kLDG:
    case Opcode::kSTG:
    case Opcode::kLDS:
    case Opcode::kSTS:
    case Opcode::kATOMG:
    case Opcode::kATOMS:
    case Opcode::kRED:
    case Opcode::kREDG:
    case Opcode::kLDSM:
    case Opcode::kSTSM:
    case Opcode::kLDGSTS: return true;
    default: return false;
  }
}

}  // namespace

void cut_unrun(const trace::DecodedProgram& program, const std::vector<bool>& traced,
               std::vector<CodeLine>& code) {
  const std::size_t n = code.size();
  std::vector<bool> unrun(n, false);
  std::vector<bool> goes_anywhere(n, false);  // jumps by a register
  for (std::size_t i = 0; i < n; ++i) {
    const trace::SassInstruction* const in = program[i].sass();
    if (!in) continue;
    unrun[i] = code[i].accesses && !code[i].guarded && !traced[i] && always_recorded(in->opcode);
    goes_anywhere[i] =
        in->is_branch() && code[i].target < 0 && (code[i].places.empty() || code[i].falls);
  }
  const auto to = [&](std::size_t i) { return static_cast<std::size_t>(code[i].target); };
  // What goes nowhere but there has not been run either. Backwards, until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = n; i-- > 0;) {
      const CodeLine& l = code[i];
      if (unrun[i] || goes_anywhere[i] || (l.ends && !l.falls)) continue;
      if (!l.falls && l.target < 0) {
        if (l.places.empty() || !std::all_of(l.places.begin(), l.places.end(),
                                             [&](std::uint32_t t) { return unrun[t]; }))
          continue;
        unrun[i] = changed = true;
        continue;
      }
      const bool jump = l.target >= 0;
      const bool on = !l.falls || i + 1 >= n || unrun[i + 1];
      // A call comes back; a guarded one may not have been made.
      const bool nowhere = l.calls  ? (jump && !l.guarded && unrun[to(i)]) || (l.falls && on)
                           : l.ends ? false
                                    : on && (!jump || unrun[to(i)]);
      if (nowhere) unrun[i] = changed = true;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    CodeLine& l = code[i];
    const auto not_run = [&](std::uint32_t t) { return unrun[t]; };
    std::erase_if(l.callees, not_run);
    // All of them: then so many lanes ran it that were none.
    if (!std::all_of(l.places.begin(), l.places.end(), not_run)) std::erase_if(l.places, not_run);
    if (unrun[i] || l.calls || l.ends || l.target < 0 || !l.falls || i + 1 >= n) continue;
    if (unrun[to(i)]) l.target = -1;
    else if (unrun[i + 1]) l.falls = false;
  }
}

}  // namespace warpmem::sim
