#include "model/general/set_index.hpp"

#include "model/cache/l1_index.hpp"

namespace warpmem::model {
namespace {

// More than 512 sets take further bits; in fewer, lines in a row take all sets by turns, within the
// bank that the matrix says.
std::uint32_t xor_matrix(std::uint64_t line, std::uint32_t sets) {
  const std::uint32_t of_512 = l1_set(line);
  if (sets == kL1Sets) return of_512;
  if (sets > kL1Sets) {
    const std::uint64_t further = line / kL1Sets ^ line / (kL1Sets * kL1Sets);
    return static_cast<std::uint32_t>((of_512 + further / kL1Sets * kL1Sets) % sets);
  }
  const auto row = static_cast<std::uint32_t>(line) ^ l1_set(line / sets * sets);
  return of_512 % 4 + row % sets / 4 * 4;
}

// Address bit 12 takes no part: it only says whose home a line is.
std::uint32_t mixed_rows(std::uint64_t line, std::uint32_t sets) {
  constexpr std::uint32_t kRows = 1024;
  const std::uint64_t folded = line / 64 * 32 + line % 32;
  const auto block = static_cast<std::uint32_t>(folded / kRows);
  std::uint32_t shuffle = block * 0x9e3779b1u;
  shuffle = (shuffle ^ shuffle >> 15) * 0x85ebca77u;
  shuffle ^= shuffle >> 13;
  return block % (sets / kRows) * kRows + (static_cast<std::uint32_t>(folded) ^ shuffle) % kRows;
}

}  // namespace

const std::vector<std::string>& set_rule_names() {
  static const std::vector<std::string> names{"xor_matrix", "mixed_rows", "low_bits"};
  return names;
}

std::uint32_t SetIndex::operator()(std::uint64_t line) const {
  switch (rule_) {
    case SetRule::kXorMatrix: return xor_matrix(line, sets_);
    case SetRule::kMixedRows: return mixed_rows(line, sets_);
    case SetRule::kLowBits: break;
  }
  return static_cast<std::uint32_t>(line % sets_);
}

}  // namespace warpmem::model
