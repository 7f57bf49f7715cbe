#include "emulate/executor/crossing.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "isa/ptx/instruction.hpp"

namespace warpmem::emulate {
namespace {

// What a register's value is made of: a bit for each parameter or variable (they share bits, beyond
// so many), and one for what is different in each CTA, or not known.
using Origin = std::uint64_t;
constexpr Origin kCta = Origin{1} << 63;
constexpr std::uint32_t kNames = 63;

// Statements by what their opcodes say.
std::vector<ptx::Instruction> decoded(const Function& f) {
  std::vector<ptx::Instruction> out;
  for (const Statement& s : f.body) out.push_back(ptx::decode_statement(s.opcode));
  return out;
}

class Origins {
 public:
  Origins(const Function& f, const std::vector<ptx::Instruction>& code)
      : f_(f), of_(f.registers.size()) {
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = 0; i < f.body.size(); ++i) more |= follow(f.body[i], code[i]);
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

  bool follow(const Statement& s, const ptx::Instruction& in) {
    if (s.operands.empty() || in.is_store() || in.is_branch()) return false;
    Origin all = 0;
    if (in.loads_parameter() && s.operands.size() == 2) {
      const Operand& from = s.operands[1];
      const bool own = !from.items.empty() && std::find(f_.params.begin(), f_.params.end(),
                                                        from.items[0].variable) != f_.params.end();
      all = own ? of(from) : kCta;
    } else if (in.takes_from_elsewhere()) {  // of which anything may come
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

}  // namespace

bool reads_across(const Function& f) {
  const std::vector<ptx::Instruction> code = decoded(f);
  const Origins origins(f, code);
  Origin written = 0;
  for (std::size_t i = 0; i < f.body.size(); ++i) {
    const Statement& s = f.body[i];
    const bool store = code[i].is_store(), load = code[i].is_load();
    if ((!store && !load) || s.operands.size() < 2 || !code[i].may_reach_global()) continue;
    const Origin at = origins.of(s.operands[store ? 0 : 1]);
    if (store && (at & kCta)) written |= at & ~kCta;
    if (load && !(at & kCta) && (at & written)) return true;
  }
  return false;
}

}  // namespace warpmem::emulate
