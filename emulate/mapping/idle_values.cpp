#include "emulate/mapping/idle_values.hpp"

#include <algorithm>

namespace warpmem::emulate {
namespace {

std::string_view word_of(const Statement& s) { return s.opcode.substr(0, s.opcode.find('.')); }

// What has a result, which is its first operand, and does nothing else.
bool only_computes(const CodePair& p, std::uint32_t s) {
  constexpr std::string_view kPure[] = {"add",  "sub", "mul", "mad", "shl", "shr",  "and",  "or", "xor",
                                        "not",  "neg", "mov", "cvt", "min", "max",  "cvta", "abs",
                                        "setp", "set", "selp"};
  const Statement& statement = p.statement(s);
  return p.ptx[s].sort == PtxAccess::Sort::kNone && !statement.operands.empty() &&
         std::ranges::find(kPure, word_of(statement)) != std::end(kPure);
}

template <typename Each>
void registers_of(const Operand& o, const Each& each) {
  if (o.kind == Operand::Kind::kRegister) each(o.number);
  for (const Operand& item : o.items) registers_of(item, each);
}

}  // namespace

IdleValues::IdleValues(const CodePair& pair) : p_(pair), has_code_(pair.entry, false) {
  for (const MachineInstruction& i : p_.code)
    if (i.statement < p_.entry) has_code_[i.statement] = true;
  readers_.resize(p_.kernel.functions[0]->function->registers.size());
  const auto read = [&](std::uint32_t number, std::uint32_t s) {
    if (number >= readers_.size()) readers_.resize(number + 1);
    if (readers_[number].empty() || readers_[number].back() != s) readers_[number].push_back(s);
  };
  for (std::uint32_t s = 0; s < p_.entry; ++s) {
    const Statement& statement = p_.statement(s);
    if (statement.guard >= 0) read(static_cast<std::uint32_t>(statement.guard), s);
    // A load's result and what only computes has one: others may read their first operand too.
    const bool writes = p_.ptx[s].sort == PtxAccess::Sort::kLoad || only_computes(p_, s);
    for (std::size_t o = writes ? 1 : 0; o < statement.operands.size(); ++o)
      registers_of(statement.operands[o], [&](std::uint32_t number) { read(number, s); });
  }
}

std::uint32_t IdleValues::first_with_code(std::uint32_t from, std::vector<std::uint32_t>& passed) const {
  for (std::uint32_t steps = 0; from < p_.entry && steps < p_.entry; ++steps) {
    if (has_code_[from]) return from;
    const Statement& s = p_.statement(from);
    if (word_of(s) == "bra") {
      if (s.guard >= 0) return kNowhere;
      from = p_.kernel.functions[0]->function->labels[s.operands[0].number];
    } else {
      if (!only_computes(p_, from)) return kNowhere;
      passed.push_back(from++);
    }
  }
  return kNowhere;
}

bool IdleValues::idle(std::uint32_t load) const {
  std::vector<std::uint32_t> waiting{load};  // statements whose results are looked after
  std::vector<bool> seen(p_.entry, false);
  seen[load] = true;
  while (!waiting.empty()) {
    const std::uint32_t s = waiting.back();
    waiting.pop_back();
    bool needed = false;
    const auto look = [&](std::uint32_t number) {
      if (number >= readers_.size()) return;
      for (const std::uint32_t reader : readers_[number]) {
        if (seen[reader] || !p_.ptx_flow.reached(reader)) continue;
        seen[reader] = true;
        if (has_code_[reader]) {
          needed = true;
        } else if (only_computes(p_, reader)) {
          waiting.push_back(reader);
        } else if (word_of(p_.statement(reader)) == "bra") {
          const std::uint32_t target =
              p_.kernel.functions[0]->function->labels[p_.statement(reader).operands[0].number];
          std::vector<std::uint32_t> passed;
          const std::uint32_t one = first_with_code(reader + 1, passed);
          if (one == kNowhere || one != first_with_code(target, passed)) needed = true;
          for (const std::uint32_t on_the_way : passed) {
            if (!seen[on_the_way]) waiting.push_back(on_the_way);
            seen[on_the_way] = true;
          }
        } else {
          needed = true;
        }
        if (needed) return;
      }
    };
    registers_of(p_.statement(s).operands[0], look);
    if (needed) return false;
  }
  return true;
}

}  // namespace warpmem::emulate
