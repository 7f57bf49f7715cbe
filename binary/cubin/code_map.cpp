#include "binary/cubin/code_map.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace warpmem::record {

std::uint32_t CodeMap::offset_of(std::uint32_t pc_low) const {
  for (const CodeRange& range : ranges) {
    const std::uint32_t from_start = pc_low - static_cast<std::uint32_t>(range.pc);
    if (from_start < range.size) return range.offset + from_start;
  }
  return kForeignPc;
}

bool CodeMap::is_reduction(std::uint32_t offset) const {
  return std::binary_search(reductions.begin(), reductions.end(), offset);
}

void CodeMap::learn(std::uint32_t offset, const std::string& text, bool in_kernel) {
  if (is_reduction_text(text))
    reductions.push_back(offset);  // instructions come in ascending order
  if (!in_kernel) return;          // a callee's stack pointer is another
  if (const auto at = frame_offset(text)) frame_offsets[offset] = *at;
}

namespace {

// "@!P0 STL.64 [R1], R4" → "STL.64"
std::string_view opcode_of(std::string_view text) {
  if (!text.empty() && text[0] == '@')
    text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
  return text.substr(0, text.find(' '));
}

}  // namespace

std::optional<std::uint32_t> frame_offset(const std::string& text) {
  const std::string_view opcode = opcode_of(text);
  if (!opcode.starts_with("LDL") && !opcode.starts_with("STL")) return std::nullopt;
  const std::size_t at = text.find("[R1");
  if (at == std::string::npos) return std::nullopt;
  const char* rest = text.c_str() + at + 3;
  if (*rest == ']') return 0;
  if (*rest != '+') return std::nullopt;  // R10, R1-…
  char* end = nullptr;
  const unsigned long value = std::strtoul(rest + 1, &end, 16);
  if (end == rest + 1 || *end != ']') return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

bool is_reduction_text(const std::string& text) {
  const std::string_view opcode = opcode_of(text);
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  return name == "RED" || name == "REDG" || name == "REDS";
}

}  // namespace warpmem::record
