#include "traces/emulate/sass/shared_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace warpmem::emulate {
namespace {

class Sharing {
 public:
  explicit Sharing(CodePair& pair) : p_(pair) {}

  void run() {
    find_writers();
    for (std::uint32_t s = 0; s < p_.entry; ++s) {
      const std::vector<std::uint32_t> found = p_.of_statement[s];
      const PtxAccess::Sort sort = p_.ptx[s].sort;
      if (found.size() < 2 || (sort != PtxAccess::Sort::kLoad && sort != PtxAccess::Sort::kStore))
        continue;
      const auto mine = operand_of(s);
      if (!mine || !p_.ptx_flow.reached(s)) continue;
      if (share_scalars(s, found)) continue;
      bool alike = true;  // all in one place, and the place is no body of several iterations
      for (const std::uint32_t i : found)
        alike =
            alike && p_.sass_flow.block_of[i] == p_.sass_flow.block_of[found[0]] &&
            p_.sass_flow.depth(i) == p_.ptx_flow.depth(s) &&
            address_of(p_.code[i].line.text).first == address_of(p_.code[found[0]].line.text).first;
      if (!alike || (p_.ptx_flow.depth(s) > 0 && !has_single_neighbour(s))) continue;
      // By distance from s, and width.
      std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t> others;
      for (std::uint32_t t = 0; t < p_.entry; ++t) {
        if (t == s || !p_.ptx_flow.reached(t) || !p_.of_statement[t].empty() ||
            !comes_along(s, t) || p_.ptx[t].sort != sort || p_.ptx[t].space != p_.ptx[s].space)
          continue;
        const auto theirs = operand_of(t);
        if (theirs && theirs->first == mine->first)
          others.emplace(std::pair(theirs->second - mine->second, p_.ptx[t].bytes), t);
      }
      for (const std::uint32_t own : found) {
        if (p_.sass[own].bytes != p_.ptx[s].bytes) continue;
        const long here = address_of(p_.code[own].line.text).second;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> given;  // statement, instruction
        for (const std::uint32_t i : found) {
          const auto other =
              others.find({address_of(p_.code[i].line.text).second - here, p_.sass[i].bytes});
          if (i != own && other != others.end()) given.emplace_back(other->second, i);
        }
        if (given.size() + 1 != found.size()) continue;
        p_.of_statement[s] = {own};
        for (const auto& [statement, i] : given) p_.of_statement[statement] = {i};
        break;
      }
    }
  }

 private:
  // A register as what it is computed from, and a constant: "%r5 = %r3 + 4" is that of %r3, and 4.
  // Two that are the same are equal, as long as nothing that they come from is written twice.
  std::pair<std::string, std::int64_t> origin(const Operand& o, int depth) const {
    if (o.kind == Operand::Kind::kInteger) return {"#", static_cast<std::int64_t>(o.value)};
    if (o.kind == Operand::Kind::kVariable || o.kind == Operand::Kind::kSymbol)
      return {std::string(o.variable ? o.variable->name : o.name), o.offset};
    if (o.kind != Operand::Kind::kRegister) return {"?", 0};
    const std::string itself = fmt::format("%{}", o.number);
    const std::uint32_t at = o.number < written_.size() ? written_[o.number] : kNowhere;
    if (at == kNowhere || depth == 0) return {itself, 0};
    const Statement& s = p_.statement(at);
    if (s.guard >= 0) return {itself, 0};
    const std::string_view word = s.opcode.substr(0, s.opcode.find('.'));
    constexpr std::string_view kPure[] = {"add", "sub", "mul", "mad", "shl", "shr",
                                          "and", "or",  "mov", "cvt", "cvta"};
    if (std::find(std::begin(kPure), std::end(kPure), word) == std::end(kPure)) return {itself, 0};
    if (word == "mov") return origin(s.operands[1], depth - 1);
    if (word == "add" && s.operands.size() == 3 && s.operands[2].kind == Operand::Kind::kInteger) {
      auto from = origin(s.operands[1], depth - 1);
      from.second += static_cast<std::int64_t>(s.operands[2].value);
      return from;
    }
    std::string text(s.opcode);
    for (std::size_t i = 1; i < s.operands.size(); ++i) {
      const auto part = origin(s.operands[i], depth - 1);
      text += fmt::format(" ({}{:+})", part.first, part.second);
    }
    return {text, 0};
  }

  // What a statement reads or writes: where its address comes from, and the constant beside it.
  std::optional<std::pair<std::string, std::int64_t>> operand_of(std::uint32_t statement) const {
    for (const Operand& o : p_.statement(statement).operands) {
      if (o.kind != Operand::Kind::kMemory || o.items.empty()) continue;
      constexpr int kDeep = 8;
      auto from = origin(o.items[0], kDeep);
      from.second += o.offset;
      return from;
    }
    return {};
  }

  // Of each register the only statement that writes it; kNowhere: none, or several.
  void find_writers() {
    const std::vector<Statement>& body = p_.kernel.functions[0]->function->body;
    std::vector<std::uint32_t> times;
    const auto note = [&](const Operand& o, std::uint32_t s, const auto& self) -> void {
      for (const Operand& item : o.items) self(item, s, self);
      if (o.kind != Operand::Kind::kRegister) return;
      if (o.number >= times.size()) times.resize(o.number + 1), written_.resize(o.number + 1);
      ++times[o.number];
      written_[o.number] = s;
    };
    for (std::uint32_t s = 0; s < p_.entry; ++s) {
      if (body[s].operands.empty() || body[s].operands[0].kind == Operand::Kind::kMemory) continue;
      note(body[s].operands[0], s, note);
      if (body[s].opcode.starts_with("call"))  // results stand elsewhere among the operands
        for (const Operand& o : body[s].operands) note(o, s, note);
    }
    for (std::uint32_t r = 0; r < written_.size(); ++r)
      if (times[r] != 1) written_[r] = kNowhere;
  }

  // Variables in shared memory, read by name: where ptxas put which is not known, but all lanes
  // read one word of each, so it is enough that there are as many as instructions.
  bool share_scalars(std::uint32_t first, const std::vector<std::uint32_t>& found) {
    if (p_.ptx[first].sort != PtxAccess::Sort::kLoad || !by_name(first)) return false;
    for (const std::uint32_t i : found)
      if (p_.sass_flow.depth(i) != p_.ptx_flow.depth(first) ||
          p_.sass[i].bytes != p_.ptx[first].bytes)
        return false;
    std::vector<std::uint32_t> readers{first};
    for (std::uint32_t t = 0; t < p_.entry; ++t) {
      if (t == first || !p_.ptx_flow.reached(t) || !p_.of_statement[t].empty() || !by_name(t) ||
          p_.ptx[t].sort != p_.ptx[first].sort || p_.ptx[t].bytes != p_.ptx[first].bytes)
        continue;
      const std::uint32_t a = p_.ptx_flow.block_of[first], b = p_.ptx_flow.block_of[t];
      bool parted = false;  // by a barrier
      for (std::uint32_t i = std::min(first, t); i < std::max(first, t); ++i)
        parted = parted || p_.ptx[i].sort == PtxAccess::Sort::kBarrier;
      if (!parted && (a == b || p_.ptx_flow.dominator[b] == a)) readers.push_back(t);
    }
    std::stable_sort(readers.begin() + 1, readers.end(), [&](std::uint32_t a, std::uint32_t b) {
      return p_.ptx_flow.order[p_.ptx_flow.block_of[a]] <
             p_.ptx_flow.order[p_.ptx_flow.block_of[b]];
    });
    if (readers.size() != found.size()) return false;
    for (std::size_t i = 0; i < readers.size(); ++i) p_.of_statement[readers[i]] = {found[i]};
    return true;
  }

  bool by_name(std::uint32_t statement) const {
    if (p_.ptx[statement].space != Space::kShared) return false;
    for (const Operand& o : p_.statement(statement).operands)
      if (o.kind == Operand::Kind::kMemory && !o.items.empty())
        return o.items[0].kind == Operand::Kind::kVariable ||
               o.items[0].kind == Operand::Kind::kSymbol;
    return false;
  }

  // Is the second in the first one's place, or for some of its lanes behind it? There ptxas may
  // load for all of them, before it has asked which.
  bool comes_along(std::uint32_t first, std::uint32_t second) const {
    const std::uint32_t a = p_.ptx_flow.block_of[first], b = p_.ptx_flow.block_of[second];
    return a == b || (p_.ptx[first].sort == PtxAccess::Sort::kLoad &&
                      p_.ptx_flow.loop_of[a] == p_.ptx_flow.loop_of[b] &&
                      (p_.ptx_flow.dominates(a, b) || p_.ptx_flow.dominates(b, a)));
  }

  // Is there a statement beside this one that became one instruction?
  bool has_single_neighbour(std::uint32_t statement) const {
    for (std::uint32_t t = 0; t < p_.entry; ++t)
      if (p_.of_statement[t].size() == 1 && p_.ptx_flow.reached(t) &&
          p_.ptx_flow.block_of[t] == p_.ptx_flow.block_of[statement] &&
          p_.sass_flow.depth(p_.of_statement[t][0]) == p_.ptx_flow.depth(statement))
        return true;
    return false;
  }

  CodePair& p_;
  std::vector<std::uint32_t> written_;  // of each register of the kernel: the statement
};

}  // namespace

void share_names(CodePair& pair) { Sharing(pair).run(); }

}  // namespace warpmem::emulate
