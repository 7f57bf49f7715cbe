#include "emulate/mapping/address_origins.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpmem::emulate {

AddressOrigins::AddressOrigins(const CodePair& pair) : p_(pair) {
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

AddressOrigins::Origin AddressOrigins::origin(const Operand& o, int depth) const {
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

std::optional<AddressOrigins::Origin> AddressOrigins::of(std::uint32_t statement) const {
  for (const Operand& o : p_.statement(statement).operands) {
    if (o.kind != Operand::Kind::kMemory || o.items.empty()) continue;
    constexpr int kDeep = 8;
    auto from = origin(o.items[0], kDeep);
    from.second += o.offset;
    return from;
  }
  return {};
}

}  // namespace warpmem::emulate
