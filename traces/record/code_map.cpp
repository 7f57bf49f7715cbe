#include "traces/record/code_map.hpp"

#include <algorithm>

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

}  // namespace warpmem::record
