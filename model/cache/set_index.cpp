#include "model/cache/set_index.hpp"

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

// Address bit 12 takes no part: it only says whose home a line is. Fewer sets than 1,024, as a
// partition of an early L2 has, are shuffled as one row.
std::uint32_t mixed_rows(std::uint64_t line, std::uint32_t sets) {
  const std::uint32_t rows = rows_of_sets(sets);
  const std::uint64_t folded = sets < kMostRows ? line : line / 64 * 32 + line % 32;
  const auto block = static_cast<std::uint32_t>(folded / rows);
  std::uint32_t shuffle = block * 0x9e3779b1u;
  shuffle = (shuffle ^ shuffle >> 15) * 0x85ebca77u;
  shuffle ^= shuffle >> 13;
  if (sets < kMostRows) return static_cast<std::uint32_t>((folded + shuffle) % sets);
  return block % (sets / rows) * rows + (static_cast<std::uint32_t>(folded) ^ shuffle) % rows;
}

std::uint32_t bit(std::uint64_t address, int n) {
  return static_cast<std::uint32_t>(address >> n & 1);
}

// Address bits 7 to 11, each with one of 13, 14, 15, 17, 19; with 64 sets bit 12 before them
// (measured by Nugteren et al. on Fermi).
std::uint32_t xor_fermi(std::uint64_t line, std::uint32_t sets) {
  const std::uint64_t a = line * 128;
  const std::uint32_t low =
      static_cast<std::uint32_t>(line & 31) ^
      (bit(a, 13) | bit(a, 14) << 1 | bit(a, 15) << 2 | bit(a, 17) << 3 | bit(a, 19) << 4);
  return (low | bit(a, 12) << 5) % sets;
}

// Address bits 7 and 8 and two parities of higher ones, added (reverse engineered on a
// GTX 1080 by the authors of gpucachesim).
std::uint32_t add_pascal(std::uint64_t line, std::uint32_t sets) {
  const std::uint64_t a = line * 128;
  const std::uint32_t first = bit(a, 10) ^ bit(a, 12) ^ bit(a, 14);
  const std::uint32_t second =
      (first ^ 1) ^ bit(a, 9) ^ bit(a, 10) ^ bit(a, 11) ^ bit(a, 12) ^ bit(a, 13) ^ bit(a, 14);
  return (static_cast<std::uint32_t>(line & 3) + (first | second << 1)) % 4 % sets;
}

}  // namespace

const std::vector<std::string>& set_rule_names() {
  static const std::vector<std::string> kNames{"xor_matrix", "mixed_rows", "low_bits", "xor_fermi",
                                               "add_pascal"};
  return kNames;
}

std::uint32_t SetIndex::operator()(std::uint64_t line) const {
  if (partitions_ > 1)
    line = line / block_lines_ / partitions_ * block_lines_ + line % block_lines_;
  switch (rule_) {
    case SetRule::kXorMatrix: return xor_matrix(line, sets_);
    case SetRule::kMixedRows: return mixed_rows(line, sets_);
    case SetRule::kXorFermi: return xor_fermi(line, sets_);
    case SetRule::kAddPascal: return add_pascal(line, sets_);
    case SetRule::kLowBits: break;
  }
  return static_cast<std::uint32_t>(line % sets_);
}

}  // namespace warpmem::model
