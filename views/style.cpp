#include "views/style.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpmem::views {
namespace {

const char* escape_code(Style style) {
  switch (style) {
    case Style::kBold: return "\x1b[1m";
    case Style::kDim: return "\x1b[2m";
    case Style::kRed: return "\x1b[1;31m";
    case Style::kYellow: return "\x1b[33m";
    case Style::kGreen: return "\x1b[32m";
  }
  return "";
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

}  // namespace

std::string styled(std::string_view text, Style style, bool colour) {
  if (!colour) return std::string(text);
  return std::string(escape_code(style)) + std::string(text) + "\x1b[0m";
}

std::size_t display_width(const std::string& text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == 0x1b) {  // skip "ESC [ … m"
      while (i < text.size() && text[i] != 'm') ++i;
    } else if (!continues(text[i])) {  // these belong to the character before
      ++width;
    }
  }
  return width;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string out, line;
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find(' ', at);
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(at, end - at);
    const std::size_t wide = display_width(word);
    if (used > 0 && used + 1 + wide > width) {
      while (line.ends_with(' ')) line.pop_back();
      out += line + "\n";
      // A word that has no room behind the indent takes some of it.
      used = wide + indent > width ? width - std::min(width, wide) : indent;
      line = std::string(used, ' ') + word;
    } else {
      line += (at == 0 ? "" : " ") + word;
      used += at == 0 ? 0 : 1;
    }
    used += wide;
    at = end + 1;
  }
  return out + line + "\n";
}

namespace {

// Where the second line of a long one begins.
std::size_t hanging_indent(std::string_view line) {
  constexpr std::size_t kMost = 24;
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", first);
  if (gap != line.npos) {
    const std::size_t second = line.find_first_not_of(' ', gap);
    if (second != line.npos && display_width(std::string(line.substr(0, second))) <= kMost)
      return display_width(std::string(line.substr(0, second)));
  }
  return std::min(first + 2, kMost);
}

}  // namespace

std::string fitted(std::string_view text, std::size_t width) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line(text.substr(0, end));
    if (display_width(line) <= width) {
      out += line + (end < text.size() ? "\n" : "");
    } else {
      out += wrapped(line, width, hanging_indent(line));
      if (end == text.size()) out.pop_back();  // as it came: without an end of line
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string shortened(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  std::string out;
  std::size_t used = 0;
  for (std::size_t i = 0; i < text.size() && used + 1 < width; ++used) {
    out += text[i++];
    while (i < text.size() && continues(text[i])) out += text[i++];
  }
  return out + "…";
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

}  // namespace warpmem::views
