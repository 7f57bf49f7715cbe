#include "isa/sass/operand.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace warpmem::trace {
namespace {

using Kind = SassOperand::Kind;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

Error malformed(std::string_view operand, const char* why) {
  return {ErrorKind::kMalformed,
          "the operand '" + std::string(operand) + "' of a machine instruction " + why, "",
          "the disassembly is damaged, or of a newer nvdisasm than this version knows"};
}

// Digits at the front of `text`, which loses them.
std::optional<std::uint16_t> take_number(std::string_view& text) {
  std::uint16_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end == text.data()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

struct Register {
  Kind kind;
  std::uint16_t number;
};

// R4, URZ, UP3, B0, SB5 at the front of `text`, which loses it.
std::optional<Register> take_register(std::string_view& text) {
  struct Family {
    std::string_view letters;
    Kind kind;
    std::string_view zero;  // what it is called behind the letters instead of a number
    std::uint16_t zero_number, limit;
  };
  static constexpr Family kFamilies[] = {
      {"UR", Kind::kUniformRegister, "Z", kZeroUniform, 255},
      {"UP", Kind::kUniformPredicate, "T", kTruePredicate, 7},
      {"SB", Kind::kScoreboard, "", 0, 63},
      {"R", Kind::kRegister, "Z", kZeroRegister, 255},
      {"P", Kind::kPredicate, "T", kTruePredicate, 7},
      {"B", Kind::kBarrierRegister, "", 0, 15},
  };
  for (const Family& f : kFamilies) {
    if (!text.starts_with(f.letters)) continue;
    std::string_view rest = text.substr(f.letters.size());
    std::optional<std::uint16_t> number;
    if (!f.zero.empty() && rest.starts_with(f.zero))
      number = f.zero_number, rest.remove_prefix(f.zero.size());
    else number = take_number(rest);
    if (!number || *number > f.limit) continue;
    if (!rest.empty() &&
        (std::isalnum(static_cast<unsigned char>(rest.front())) != 0 || rest.front() == '_'))
      continue;
    text = rest;
    return Register{f.kind, *number};
  }
  return std::nullopt;
}

// "0x10", "-0x7", "12", all of `text`.
std::optional<std::int64_t> integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x")) text.remove_prefix(2), base = 16;
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (failed != std::errc{} || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

// "1.5", "+INF", "-QNAN", "1.1e-38", all of `text`.
bool read_float(std::string_view text, SassOperand& out) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "INF" || text == "QNAN" || text == "SNAN") {
    out.kind = Kind::kFloat;
    out.nan = text != "INF", out.signalling = text == "SNAN";
    out.negative = out.nan && negative;
    out.real = out.nan ? std::numeric_limits<double>::quiet_NaN()
                       : std::copysign(std::numeric_limits<double>::infinity(), negative ? -1 : 1);
    return true;
  }
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if ((failed != std::errc{} && failed != std::errc::result_out_of_range) ||
      end != text.data() + text.size() || text.empty())
    return false;
  out.kind = Kind::kFloat;
  out.real = negative ? -value : value;
  return true;
}

void add_modifiers(std::string_view text, SassOperand& out) {
  while (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::string_view one = text.substr(0, text.find('.'));
    text.remove_prefix(one.size());
    if (one == "reuse") out.reuse = true;
    else out.modifiers.emplace_back(one);
  }
}

// "R2.64+UR4+0x10", "R4.X8+-0x8", "UR4", "" (an address of 0).
bool read_sum(std::string_view text, SassOperand& out) {
  while (!text.empty()) {
    std::size_t end = text.find('+', 1);
    if (end == text.npos) end = text.size();
    std::string_view term = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
    std::string_view rest = term;
    if (const auto reg = take_register(rest)) {
      SassOperand one;
      add_modifiers(rest, one);
      if (reg->kind == Kind::kRegister && out.base == kNoRegister) {
        out.base = reg->number;
        for (const std::string& m : one.modifiers) {
          if (m == "64") out.wide = true;
          else if (m == "U32") out.base_unsigned = true;
          else if (m == "S32") out.base_signed = true;
          else if (m == "X4") out.scale = 4;
          else if (m == "X8") out.scale = 8;
          else if (m == "X16") out.scale = 16;
          else return false;
        }
      } else if (reg->kind == Kind::kUniformRegister && out.uniform == kNoRegister) {
        out.uniform = reg->number;
        for (const std::string& m : one.modifiers) {
          if (m == "64") out.wide_uniform = true;
          else return false;
        }
      } else {
        return false;
      }
      continue;
    }
    const auto number = integer(term);
    if (!number) return false;
    out.value += *number;
  }
  return true;
}

// What stands between the bracket at the front and the one that closes it; `text` loses both.
std::optional<std::string_view> take_bracket(std::string_view& text) {
  if (!text.starts_with('[')) return std::nullopt;
  const std::size_t close = text.find(']');
  if (close == text.npos) return std::nullopt;
  const std::string_view inside = trimmed(text.substr(1, close - 1));
  text = trimmed(text.substr(close + 1));
  return inside;
}

std::optional<std::uint16_t> uniform_of(std::string_view text) {
  const auto reg = take_register(text);
  if (!reg || reg->kind != Kind::kUniformRegister || !(text.empty() || text.starts_with('.')))
    return std::nullopt;
  return reg->number;
}

// c[0x0][0x210], cx[UR4][R2+0x10]
Result<SassOperand> constant(std::string_view whole, std::string_view text, SassOperand out) {
  out.kind = Kind::kConstant;
  const bool indirect = text.starts_with("cx[");
  text.remove_prefix(indirect ? 2 : 1);
  const auto bank = take_bracket(text);
  if (!bank) return malformed(whole, "has a bracket that does not close");
  if (indirect) {
    const auto reg = uniform_of(*bank);
    if (!reg) return malformed(whole, "names its bank by what is no uniform register");
    out.descriptor = *reg;
  } else {
    const auto number = integer(*bank);
    if (!number || *number < 0 || *number > 31) return malformed(whole, "names no constant bank");
    out.bank = static_cast<std::uint16_t>(*number);
  }
  const auto at = take_bracket(text);
  if (!at || !read_sum(*at, out)) return malformed(whole, "has an address that cannot be read");
  add_modifiers(text, out);
  return out;
}

Result<SassOperand> memory(std::string_view whole, std::string_view text, SassOperand out) {
  out.kind = Kind::kMemory;
  out.group = text.starts_with("gdesc[");
  if (out.group || text.starts_with("desc[")) {
    text.remove_prefix(text.find('['));
    const auto descriptor = take_bracket(text);
    const auto reg = descriptor ? uniform_of(*descriptor) : std::nullopt;
    if (!reg) return malformed(whole, "has a descriptor that is no uniform register");
    out.descriptor = *reg;
    if (text.empty() || text.starts_with('.')) return add_modifiers(text, out), out;
  }
  const auto at = take_bracket(text);
  if (!at || !read_sum(*at, out)) return malformed(whole, "has an address that cannot be read");
  add_modifiers(text, out);
  return out;
}

}  // namespace

bool SassOperand::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

Result<SassOperand> decode_operand(std::string_view whole) {
  std::string_view text = trimmed(whole);
  SassOperand out;
  out.text = std::string(text);
  if (const auto number = integer(text)) {
    out.kind = Kind::kInteger;
    out.value = *number, out.real = static_cast<double>(*number);
    return out;
  }
  if (read_float(text, out)) return out;
  if (text.starts_with('-') || text.starts_with('+'))
    out.negative = text.front() == '-', text.remove_prefix(1);
  if (text.starts_with('~') || text.starts_with('!')) out.complement = true, text.remove_prefix(1);
  std::string joined;  // without the bars: "|R4.H0_H0|.reuse"
  if (text.starts_with('|')) {
    const std::size_t close = text.find('|', 1);
    if (close == text.npos) return malformed(whole, "has a bar that does not close");
    out.absolute = true;
    joined = std::string(text.substr(1, close - 1)) + std::string(text.substr(close + 1));
    text = joined;
  }
  if (text.starts_with("c[") || text.starts_with("cx["))
    return constant(whole, text, std::move(out));
  if (text.starts_with('[') || text.starts_with("desc[") || text.starts_with("gdesc["))
    return memory(whole, text, std::move(out));
  if (text.starts_with("SR_") || text == "SRZ") {
    out.kind = Kind::kSpecial;
    return out;
  }
  if (text.starts_with("`(")) {
    const std::size_t close = text.rfind(')');
    if (close == text.npos) return malformed(whole, "has a bracket that does not close");
    out.kind = Kind::kLabel;
    out.text = std::string(text.substr(2, close - 2));
    return out;
  }
  if (const auto reg = take_register(text)) {
    out.kind = reg->kind, out.number = reg->number;
    add_modifiers(text, out);
  }
  return out;
}

}  // namespace warpmem::trace
