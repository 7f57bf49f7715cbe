#include "base/printable.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

#include "base/utf8.hpp"

namespace warpmem {
namespace {

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
    const Utf8 c = first_utf8(text);
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
