#include "model/access/line_words.hpp"

#include "base/wide_words.hpp"

namespace warpmem::model {
namespace {

// One step; the bits in which the lines differ from the first.
WARPMEM_WIDE_HOSTS std::uint64_t whole_step(const std::uint64_t* __restrict line,
                                            std::uint64_t first, std::uint32_t* __restrict low) {
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < LineWords::kStep; ++i) {
    differ |= line[i] ^ first;
    low[i] = static_cast<std::uint32_t>(line[i]);
  }
  return differ;
}

}  // namespace

LineWords::LineWords(const LineList& lines)
    : upper(static_cast<std::uint32_t>(lines.line[0] >> 32)) {
  const auto there = static_cast<std::size_t>(lines.count);
  const std::uint64_t first = lines.line[0];
  std::uint64_t differ = 0;
  for (; count + kStep <= there; count += kStep)
    differ |= whole_step(lines.line.data() + count, first, low.data() + count);
  if (count < there) {
    std::size_t i = count;
    count += kStep;
    for (; i < there; ++i) {
      differ |= lines.line[i] ^ first;
      low[i] = static_cast<std::uint32_t>(lines.line[i]);
    }
    for (; i < count; ++i) low[i] = static_cast<std::uint32_t>(first);
  }
  alike = !(differ >> 32);
}

}  // namespace warpmem::model
