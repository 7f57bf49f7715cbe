#include "isa/sass/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "isa/sass/instruction.hpp"

namespace warpmem::trace {
namespace {

constexpr std::string_view kList = "BRANCH_TARGETS ";

std::string hex(std::uint32_t value) { return fmt::format("{:#x}", value); }

}  // namespace

std::string moved(std::string text, std::uint32_t by) {
  const auto decoded = decode_instruction(text);
  if (by == 0 || !decoded) return text;
  if (const std::size_t list = text.find(kList); list != text.npos) {
    for (std::size_t at = text.find("0x", list); at != text.npos;) {
      const std::size_t end =
          std::min(text.find_first_not_of("0123456789abcdef", at + 2), text.size());
      const std::string place = hex(
          static_cast<std::uint32_t>(std::strtoul(text.substr(at, end - at).c_str(), nullptr, 16)) +
          by);
      text.replace(at, end - at, place);
      at = text.find("0x", at + place.size());
    }
  } else if (decoded->target) {
    if (const std::size_t at = text.rfind(hex(*decoded->target)); at != text.npos)
      text.replace(at, hex(*decoded->target).size(), hex(*decoded->target + by));
  }
  return text;
}

std::string with_place(std::string text, const std::map<std::string, std::uint32_t>& starts) {
  const std::size_t call = text.find("CALL"), open = text.find("`("), close = text.find(')', open);
  if (call == text.npos || open == text.npos || close == text.npos) return text;
  if (text.find_first_not_of(' ', text.find(' ', call)) != open) return text;
  const auto at = starts.find(text.substr(open + 2, close - open - 2));
  if (at != starts.end()) text.replace(open, close + 1 - open, hex(at->second));
  return text;
}

void resolve_labels(std::string& text, const std::map<std::string, std::uint32_t>& labels) {
  for (std::size_t at = text.find(kList); at < text.size(); at = text.find_first_of(",\"", at)) {
    at = text.find(".L", at);
    if (at == text.npos) break;
    const auto label = labels.find(text.substr(at, text.find_first_of(",\"* ", at) - at));
    if (label != labels.end()) text.replace(at, label->first.size(), hex(label->second));
  }
  const std::size_t open = text.find("`(");
  if (open == text.npos) return;
  const std::size_t close = text.find(')', open);
  if (close == text.npos) return;
  const auto label = labels.find(text.substr(open + 2, close - open - 2));
  if (label == labels.end()) return;
  text.replace(open, close + 1 - open, hex(label->second));
}

}  // namespace warpmem::trace
