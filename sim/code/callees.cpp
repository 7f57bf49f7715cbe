#include "sim/code/callees.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace warpmem::sim {
namespace {

using trace::InstructionKind;
using trace::SassInstruction;

class Functions {
 public:
  Functions(const trace::DecodedProgram& program, std::vector<CodeLine>& code) : code_(code) {
    for (const trace::DecodedLine& l : program.lines()) in_.push_back(l.sass());
    find_starts();
    find_names();
    const std::set<std::uint32_t> placed = called_by_place();
    for (const std::uint32_t s : starts_) {
      if (!placed.contains(s)) through_registers_.push_back(s);
      if (!names_.contains(s)) nameless_.push_back(s);
    }
  }

  void resolve() {
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      CodeLine& l = code_[i];
      if (!in_[i] || in_[i]->kind != InstructionKind::kCall || l.target >= 0 ||
          l.driver != DriverCall::kNone)
        continue;
      const bool relative =
          in_[i]->has(trace::Modifier::kREL);  // the label is what the register counts from
      const bool by_register = !in_[i]->sources.empty();
      if (!in_[i]->labels.empty() && !(relative && by_register)) by_name(l, in_[i]->labels.front());
      else if (by_register && !of_driver(i)) l.callees = through_registers_;
    }
  }

 private:
  bool pads(std::uint32_t i) const {
    return (in_[i] && in_[i]->opcode == trace::Opcode::kNOP) ||
           (code_[i].target == static_cast<std::int32_t>(i) && !code_[i].falls);
  }

  void find_starts() {
    const auto n = static_cast<std::uint32_t>(code_.size());
    std::vector<bool> named(n, false);  // as a place that a branch or what joins lanes goes to
    bool anywhere = false;              // a branch of which nobody knows where it goes
    for (std::uint32_t i = 0; i < n; ++i) {
      if (!in_[i]) continue;
      const SassInstruction& in = *in_[i];
      for (const std::uint32_t t : code_[i].places) named[t] = true;
      if (in.kind == InstructionKind::kBranch && code_[i].target < 0 && code_[i].places.empty() &&
          !in.target)
        anywhere = true;
      if (in.kind == InstructionKind::kCall || !in.target) continue;
      const auto it =
          std::lower_bound(code_.begin(), code_.end(), *in.target,
                           [](const CodeLine& l, std::uint32_t pc) { return l.pc < pc; });
      if (it != code_.end() && it->pc == *in.target)
        named[static_cast<std::size_t>(it - code_.begin())] = true;
    }
    bool behind = false, padded = false;  // what never goes on; and padding
    for (std::uint32_t i = 0; i < n; ++i) {
      constexpr std::uint32_t kAlignment = 128;  // of functions that stand apart
      if (behind && pads(i)) {
        padded = true;
        continue;
      }
      const bool apart = padded && code_[i].pc % kAlignment == 0;
      if (i > 0 && behind && !named[i] && (!anywhere || apart) && returns_from(i))
        starts_.push_back(i);
      behind = !code_[i].falls && in_[i] != nullptr;
      padded = false;
    }
  }

  std::vector<std::uint32_t> within(std::uint32_t start) const {
    std::vector<std::uint32_t> out{start};
    std::vector<bool> seen(code_.size(), false);
    seen[start] = true;
    const auto add = [&](std::uint32_t i) {
      if (i < code_.size() && !seen[i]) seen[i] = true, out.push_back(i);
    };
    for (std::size_t k = 0; k < out.size(); ++k) {
      const CodeLine& l = code_[out[k]];
      if (l.falls) add(out[k] + 1);
      if (l.target >= 0 && !l.calls) add(static_cast<std::uint32_t>(l.target));
      for (const std::uint32_t t : l.places) add(t);
    }
    return out;
  }
  bool returns_from(std::uint32_t start) const {
    const auto lines = within(start);
    return std::any_of(lines.begin(), lines.end(),
                       [&](std::uint32_t i) { return code_[i].returns; });
  }

  // A function that calls says its name: where it is to be returned to counts from there.
  void find_names() {
    for (const std::uint32_t s : starts_)
      for (const std::uint32_t i : within(s))
        if (in_[i] && !in_[i]->counted_from.empty()) names_[s] = in_[i]->counted_from;
  }

  std::set<std::uint32_t> called_by_place() const {
    std::set<std::uint32_t> out;
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (!code_[i].calls || code_[i].target < 0 || !in_[i] || !in_[i]->has(trace::Modifier::kREL))
        continue;
      const auto t = static_cast<std::uint32_t>(code_[i].target);
      const auto own = within(t);
      if (std::find(own.begin(), own.end(), i) == own.end()) out.insert(t);
    }
    return out;
  }

  void by_name(CodeLine& l, const std::string& name) {
    if (!name.starts_with("_Z")) return;
    for (const auto& [start, known] : names_)
      if (known == name) {
        l.target = static_cast<std::int32_t>(start);
        return;
      }
    l.callees = nameless_;
  }

  // Whether the register that a call goes through was read from constant bank 4.
  bool of_driver(std::uint32_t call) const {
    const std::uint32_t reg = in_[call]->sources.back().first;
    for (std::uint32_t i = call; i-- > 0 && code_[i].falls && !code_[i].calls;) {
      if (!in_[i]) continue;
      for (const trace::RegisterRange& r : in_[i]->destinations)
        if (r.file == trace::RegisterFile::kGeneral && r.first <= reg && reg < r.first + r.count)
          return in_[i]->constant_operand() && in_[i]->constant_operand()->bank == 4;
    }
    return false;
  }

  std::vector<CodeLine>& code_;
  std::vector<const SassInstruction*> in_;  // nullptr: no machine code
  std::vector<std::uint32_t> starts_;       // but the kernel's own
  std::map<std::uint32_t, std::string> names_;
  std::vector<std::uint32_t> through_registers_, nameless_;
};

}  // namespace

void find_callees(const trace::DecodedProgram& program, std::vector<CodeLine>& code) {
  const bool any = std::any_of(code.begin(), code.end(), [](const CodeLine& l) {
    return l.calls && l.target < 0 && l.driver == DriverCall::kNone;
  });
  if (any) Functions(program, code).resolve();
}

}  // namespace warpmem::sim
