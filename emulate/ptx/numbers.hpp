// PTX's literals: decimal, octal, hexadecimal and binary integers with an optional U, decimal
// floats (double), and the exact forms 0f3F800000 and 0d3FF0000000000000.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpmem::emulate {

enum class NumberKind : std::uint8_t { kInteger, kFloat32, kFloat64 };
struct Number {
  NumberKind kind = NumberKind::kInteger;
  std::uint64_t bits = 0;
};

std::optional<std::uint64_t> parse_integer(std::string_view text);
std::optional<Number> parse_number(std::string_view text);
std::uint64_t negate(const Number& number);  // the bits of its negative; floats only

}  // namespace warpmem::emulate
