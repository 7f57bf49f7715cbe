#include "emulate/ptx/numbers.hpp"

#include <bit>
#include <cstdlib>
#include <string>

namespace warpmem::emulate {
namespace {

std::optional<std::uint64_t> digits(std::string_view text, unsigned base) {
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    unsigned digit = 99;
    if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
    else if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a' + 10);
    else if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A' + 10);
    if (digit >= base) return std::nullopt;
    if (value > (~std::uint64_t{0} - digit) / base) return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

bool starts(std::string_view text, char second) {
  return text.size() > 2 && text[0] == '0' && (text[1] == second || text[1] == second - 'a' + 'A');
}

}  // namespace

std::optional<std::uint64_t> parse_integer(std::string_view text) {
  if (!text.empty() && text.back() == 'U') text.remove_suffix(1);
  if (starts(text, 'x')) return digits(text.substr(2), 16);
  if (starts(text, 'b')) return digits(text.substr(2), 2);
  if (text.size() > 1 && text[0] == '0') return digits(text.substr(1), 8);
  return digits(text, 10);
}

std::optional<Number> parse_number(std::string_view text) {
  if (starts(text, 'f') && text.size() == 10) {
    if (const auto bits = digits(text.substr(2), 16)) return Number{NumberKind::kFloat32, *bits};
    return std::nullopt;
  }
  if (starts(text, 'd') && text.size() == 18) {
    if (const auto bits = digits(text.substr(2), 16)) return Number{NumberKind::kFloat64, *bits};
    return std::nullopt;
  }
  if (const auto value = parse_integer(text)) return Number{NumberKind::kInteger, *value};
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos ||
      text.find_first_of(".eE") == std::string_view::npos)
    return std::nullopt;
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size()) return std::nullopt;
  return Number{NumberKind::kFloat64, std::bit_cast<std::uint64_t>(value)};
}

std::uint64_t negate(const Number& number) {
  return number.bits ^
         (number.kind == NumberKind::kFloat32 ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63);
}

}  // namespace warpmem::emulate
