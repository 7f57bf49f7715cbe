#include "emulate/executor/crossing.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

namespace warpmem::emulate {
namespace {

// What a register's value is made of: a bit for each parameter or variable (they share bits, beyond
// so many), and one for what is different in each CTA, or not known.
using Origin = std::uint64_t;
constexpr Origin kCta = Origin{1} << 63;
constexpr std::uint32_t kNames = 63;

// Of memory and of other lanes may come anything.
bool comes_from_memory(std::string_view opcode) {
  for (const std::string_view word : {"ld", "atom", "call", "tex", "tld4", "suld", "shfl"})
    if (opcode.starts_with(word)) return true;
  return false;
}

class Origins {
 public:
  explicit Origins(const Function& f) : f_(f), of_(f.registers.size()) {
    for (bool more = true; more;) {
      more = false;
      for (const Statement& s : f.body) more |= follow(s);
    }
  }

  Origin of(const Operand& o) const {
    switch (o.kind) {
      case Operand::Kind::kRegister: return of_[o.number];
      case Operand::Kind::kVariable: return named(o.variable);
      case Operand::Kind::kSymbol:
        return o.name.starts_with("%ctaid") || o.name.starts_with("%cluster") ||
                       o.name.starts_with("%clock") || o.name.starts_with("%smid")
                   ? kCta
                   : 0;
      case Operand::Kind::kVector:
      case Operand::Kind::kPair:
      case Operand::Kind::kMemory: {
        Origin all = 0;
        for (const Operand& item : o.items) all |= of(item);
        return all;
      }
      default: return 0;
    }
  }

 private:
  Origin named(const Variable* v) const {
    const auto at = std::find(f_.params.begin(), f_.params.end(), v) - f_.params.begin();
    if (static_cast<std::size_t>(at) < f_.params.size())
      return Origin{1} << static_cast<std::uint64_t>(at) % kNames;
    return Origin{1} << std::hash<std::string_view>()(v->name) % kNames;
  }

  bool follow(const Statement& s) {
    if (s.operands.empty() || s.opcode.starts_with("st.") || s.opcode.starts_with("bra"))
      return false;
    Origin all = 0;
    if (s.opcode.starts_with("ld.param") && s.operands.size() == 2) {
      const Operand& from = s.operands[1];
      const bool own = !from.items.empty() && std::find(f_.params.begin(), f_.params.end(),
                                                        from.items[0].variable) != f_.params.end();
      all = own ? of(from) : kCta;
    } else if (comes_from_memory(s.opcode)) {
      all = kCta;
    } else {
      all = sources(s);
    }
    return give(s.operands[0], all);
  }

  Origin sources(const Statement& s) const {
    Origin all = 0;
    for (std::size_t i = 1; i < s.operands.size(); ++i) all |= of(s.operands[i]);
    return all;
  }

  bool give(const Operand& to, Origin more) {
    if (to.kind == Operand::Kind::kVector || to.kind == Operand::Kind::kPair) {
      bool changed = false;
      for (const Operand& item : to.items) changed |= give(item, more);
      return changed;
    }
    if (to.kind != Operand::Kind::kRegister || (of_[to.number] | more) == of_[to.number])
      return false;
    of_[to.number] |= more;
    return true;
  }

  const Function& f_;
  std::vector<Origin> of_;
};

// Of global memory, as its name or a generic address says.
bool reaches_global(std::string_view opcode) {
  for (const std::string_view other : {".shared", ".local", ".param", ".const", ".nc"})
    if (opcode.find(other) != std::string_view::npos) return false;
  return true;
}

}  // namespace

bool reads_across(const Function& f) {
  const Origins origins(f);
  Origin written = 0;
  for (const Statement& s : f.body) {
    const bool store = s.opcode.starts_with("st."), load = s.opcode.starts_with("ld.");
    if ((!store && !load) || s.operands.size() < 2 || !reaches_global(s.opcode)) continue;
    const Origin at = origins.of(s.operands[store ? 0 : 1]);
    if (store && (at & kCta)) written |= at & ~kCta;
    if (load && !(at & kCta) && (at & written)) return true;
  }
  return false;
}

}  // namespace warpmem::emulate
