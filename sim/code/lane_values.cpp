#include "sim/code/lane_values.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <unordered_map>

#include "isa/sass/instruction.hpp"

namespace warpmem::sim {
namespace {

constexpr std::size_t kLanes = 32;
using Lanes = std::array<std::uint32_t, kLanes>;
using Value = std::optional<Lanes>;  // nullopt: not known

Lanes same(std::uint32_t v) {
  Lanes l;
  l.fill(v);
  return l;
}

std::optional<std::int64_t> number(std::string_view text) {
  const bool minus = text.starts_with('-');
  if (minus) text.remove_prefix(1);
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::int64_t v = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), v, hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return minus ? -v : v;
}

bool is_predicate(std::string_view operand) {
  if (operand.starts_with('!')) operand.remove_prefix(1);
  if (operand.starts_with('U')) operand.remove_prefix(1);
  return operand.starts_with('P') && operand.size() == 2;
}

struct ConstantOperand {
  std::uint32_t bank = 0, offset = 0;
  std::string_view index;  // register; empty: none
};

// "c[0x3][R4+0x10]"
std::optional<ConstantOperand> constant_operand(std::string_view text) {
  const std::size_t at = text.find("c[0x"), close = at == text.npos ? at : text.find(']', at);
  if (close == text.npos || close + 1 >= text.size() || text[close + 1] != '[') return std::nullopt;
  const std::size_t end = text.find(']', close + 1);
  if (end == text.npos) return std::nullopt;
  ConstantOperand c;
  const auto bank = number(text.substr(at + 2, close - at - 2));
  if (!bank) return std::nullopt;
  c.bank = static_cast<std::uint32_t>(*bank);
  std::string_view inside = text.substr(close + 2, end - close - 2);
  if (const std::size_t plus = inside.find('+'); plus != inside.npos) {
    c.index = inside.substr(0, plus);
    inside.remove_prefix(plus + 1);
  } else if (inside.starts_with('R') || inside.starts_with("UR")) {
    c.index = inside;
    inside = "0x0";
  }
  if (c.index == "RZ" || c.index == "URZ") c.index = {};
  const auto offset = number(inside);
  if (!offset) return std::nullopt;
  // An offset has 16 bits, which some disassemblers print with a sign.
  c.offset = static_cast<std::uint32_t>(*offset) & 0xffff;
  return c;
}

class Registers {
 public:
  explicit Registers(const trace::Launch& launch) : launch_(launch) {}

  Value read(std::string_view operand) const {
    bool minus = false, inverted = false;
    if (operand.starts_with('-') && operand.size() > 1 && !std::isdigit(operand[1]))
      minus = true, operand.remove_prefix(1);
    if (operand.starts_with('~')) inverted = true, operand.remove_prefix(1);
    if (const std::size_t dot = operand.find('.'); dot != operand.npos && operand[0] != 'c')
      operand = operand.substr(0, dot);
    Value v;
    if (operand == "RZ" || operand == "URZ") v = same(0);
    else if (const auto n = number(operand)) v = same(static_cast<std::uint32_t>(*n));
    else if (const auto c = constant_operand(operand)) v = constant(*c);
    else if (const auto it = values_.find(std::string(operand)); it != values_.end())
      v = it->second;
    if (v && inverted)
      for (std::uint32_t& x : *v) x = ~x;
    if (v && minus)
      for (std::uint32_t& x : *v) x = 0 - x;
    return v;
  }
  void write(std::string_view name, Value v) {
    if (name != "RZ" && name != "URZ") values_[std::string(name)] = std::move(v);
  }
  void forget(const trace::RegisterRange& r) {
    if (r.file != trace::RegisterFile::kUniform && r.file != trace::RegisterFile::kGeneral) return;
    const char* const file = r.file == trace::RegisterFile::kUniform ? "UR" : "R";
    for (unsigned k = 0; k < r.count; ++k) values_.erase(file + std::to_string(r.first + k));
  }
  // Thread numbers; what is the same in all lanes counts as zero.
  Value special(std::string_view name) const {
    const auto thread = [&](auto&& part) {
      Lanes l;
      for (std::uint32_t i = 0; i < kLanes; ++i) l[i] = part(i);
      return l;
    };
    const std::uint32_t x = std::max(1u, launch_.block[0]), y = std::max(1u, launch_.block[1]);
    if (name == "SR_TID.X") return thread([&](std::uint32_t i) { return i % x; });
    if (name == "SR_TID.Y") return thread([&](std::uint32_t i) { return i / x % y; });
    if (name == "SR_TID.Z") return thread([&](std::uint32_t i) { return i / x / y; });
    if (name == "SR_LANEID") return thread([&](std::uint32_t i) { return i; });
    if (name.starts_with("SR_CTAID")) return same(0);
    return std::nullopt;
  }

 private:
  // The launch's shape lies at the front of bank 0, behind it is what parameters there are.
  Value constant(const ConstantOperand& c) const {
    if (!c.index.empty() || c.bank != 0) return std::nullopt;
    const std::uint32_t word = c.offset / 4;
    if (word < 3) return same(launch_.block[word]);
    if (word < 6) return same(launch_.grid[word - 3]);
    return same(0);
  }

  const trace::Launch& launch_;
  std::unordered_map<std::string, Value> values_;
};

template <class F>
Value each(F f, const Value& a, const Value& b = same(0), const Value& c = same(0)) {
  if (!a || !b || !c) return std::nullopt;
  Lanes out;
  for (std::size_t i = 0; i < kLanes; ++i) out[i] = f((*a)[i], (*b)[i], (*c)[i]);
  return out;
}

std::uint32_t logic(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
  std::uint32_t out = 0;
  for (std::uint32_t k = 0; k < 8; ++k)
    if (table >> k & 1) out |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  return out;
}

// The result of an instruction whose operands after the destination are `in`; nullopt: not
// followed.
Value result(const trace::SassInstruction& i, const std::vector<std::string_view>& in,
             const Registers& r) {
  std::string_view op = i.opcode;
  if (op.starts_with('U') && op != "UP2UR") op.remove_prefix(1);
  const auto value = [&](std::size_t k) { return k < in.size() ? r.read(in[k]) : Value(same(0)); };
  using U = std::uint32_t;
  const bool is_unsigned = i.has("U32");
  if (i.has("X")) return std::nullopt;  // with a carry
  if (op == "S2R" || op == "S2UR") return in.empty() ? Value() : r.special(in[0]);
  if (op == "MOV" || op == "LDC" || op == "R2UR") return value(0);
  if (op == "IMAD" && i.has("HI"))
    return each(
        [&](U a, U b, U c) {
          const std::uint64_t product =
              is_unsigned ? std::uint64_t{a} * b
                          : static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)} *
                                                       static_cast<std::int32_t>(b));
          return static_cast<U>(product >> 32) + c;
        },
        value(0), value(1), value(2));
  if (op == "IMAD" && i.has("MOV")) return value(2);
  if (op == "IMAD")
    return each([](U a, U b, U c) { return a * b + c; }, value(0), value(1), value(2));
  if (op == "IADD3" || op == "IADD" || op == "VIADD" || op == "IADD32I")
    return each([](U a, U b, U c) { return a + b + c; }, value(0), value(1), value(2));
  if (op == "SHF" || op == "SHL" || op == "SHR") {
    const auto by = [](U n) { return std::min<U>(n, 63); };
    if (op == "SHL" || i.has("L"))
      return i.has("HI")
                 ? Value()
                 : each([&](U a, U n, U) { return static_cast<U>(std::uint64_t{a} << by(n)); },
                        value(0), value(1));
    const Value from = op == "SHR" ? value(0) : i.has("HI") ? value(2) : Value();
    return each(
        [&](U a, U n, U) {
          return i.has("S32") ? static_cast<U>(std::int64_t{static_cast<std::int32_t>(a)} >> by(n))
                              : static_cast<U>(std::uint64_t{a} >> by(n));
        },
        from, value(1));
  }
  if (op == "LEA" && !i.has("HI"))
    return each([](U a, U b, U n) { return (a << (n & 31)) + b; }, value(0), value(1), value(2));
  if (op == "LEA" && in.size() >= 4) {
    const Value high =
        each([](U low, U up,
                U n) { return static_cast<U>((std::uint64_t{up} << 32 | low) << (n & 31) >> 32); },
             value(0), value(2), value(3));
    return each([](U a, U b, U) { return a + b; }, high, value(1));
  }
  if (op == "LOP3" && in.size() >= 4)
    if (const auto table = number(in[3]))
      return each([&](U a, U b, U c) { return logic(a, b, c, static_cast<U>(*table)); }, value(0),
                  value(1), value(2));
  return std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> parameter_offset(std::string_view text) {
  const auto c = constant_operand(text);
  if (!c || c->bank != 0 || !c->index.empty()) return std::nullopt;
  return c->offset;
}

std::vector<ConstantRead> constant_reads(const trace::Program& program,
                                         const trace::Launch& launch) {
  std::vector<ConstantRead> out;
  if (program.level == trace::Level::kPtx) return out;
  Registers registers(launch);
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    const std::string& text = program.code[k].text;
    if (trace::is_ptx(text)) continue;
    const auto in = trace::decode_instruction(text);
    if (!in) continue;
    if (const auto c = constant_operand(text); c && c->bank != 0) {
      ConstantRead read;
      read.line = k;
      read.indexed = in->opcode == "LDC";
      const Value index = c->index.empty() ? Value(same(0)) : registers.read(c->index);
      if (index) {
        for (std::uint32_t v : *index)
          read.addresses.push_back(std::uint64_t{c->bank} << 32 | ((v + c->offset) & 0xffff));
        std::sort(read.addresses.begin(), read.addresses.end());
        read.addresses.erase(std::unique(read.addresses.begin(), read.addresses.end()),
                             read.addresses.end());
      }
      out.push_back(std::move(read));
    }
    // Operands behind the opcode, predicates in front of and behind the destination left out.
    std::string_view rest = text;
    if (rest.starts_with('@')) rest.remove_prefix(std::min(rest.find(' ') + 1, rest.size()));
    rest.remove_prefix(std::min(rest.find(' '), rest.size()));
    if (rest.ends_with(';')) rest.remove_suffix(1);
    std::vector<std::string_view> operands = trace::split_operands(rest);
    std::erase_if(operands, is_predicate);
    Value v;
    const bool always = in->guard.when == trace::Guard::When::kAlways;
    if (always && operands.size() > 1)
      v = result(*in, {operands.begin() + 1, operands.end()}, registers);
    for (const trace::RegisterRange& r : in->destinations) registers.forget(r);
    if (v && !in->destinations.empty()) registers.write(operands[0], std::move(v));
  }
  return out;
}

}  // namespace warpmem::sim
