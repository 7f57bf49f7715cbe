#include "base/printable.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace warpmem {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
};

// The first character of `text`, which is not empty.
Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return {};
  std::uint32_t code = first & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0u) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {code, bytes};
}

// Second control set, line and paragraph separators, marks and overrides of direction, and the byte
// order mark.
bool invisible(std::uint32_t code) {
  return (code >= 0x80 && code < 0xa0) || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

bool plain(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) return false;
  return true;
}

std::string escaped(std::string_view text, bool keep_line_ends) {
  if (plain(text)) return std::string(text);
  std::string out;
  const auto put = std::back_inserter(out);
  while (!text.empty()) {
    const Character c = decode(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (c.bytes == 0) fmt::format_to(put, "\\x{:02x}", first);
    else if (c.code == '\n') out += keep_line_ends ? "\n" : "\\n";
    else if (c.code == '\t') out += keep_line_ends ? "\t" : "\\t";
    else if (c.code == '\r') out += "\\r";
    else if (c.code < 0x20 || c.code == 0x7f) fmt::format_to(put, "\\x{:02x}", c.code);
    else if (invisible(c.code)) fmt::format_to(put, "\\u{{{:x}}}", c.code);
    else out += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, false); }
std::string printable_lines(std::string_view text) { return escaped(text, true); }

}  // namespace warpmem
