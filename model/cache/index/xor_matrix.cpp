// The L1's of compute capability 9.0 (cache/index/l1_index.hpp), for a power of two sets. More than
// 512 sets take further bits; in fewer, lines in a row take all sets by turns, within the bank that
// the matrix says.
#include "model/cache/index/l1_index.hpp"
#include "model/cache/index/set_rule.hpp"

namespace warpmem::model::set_rule {
namespace {

std::uint32_t set(std::uint64_t line, std::uint32_t sets) {
  const std::uint32_t of_512 = l1_set(line);
  if (sets == kL1Sets) return of_512;
  if (sets > kL1Sets) {
    const std::uint64_t further = line / kL1Sets ^ line / (kL1Sets * kL1Sets);
    return static_cast<std::uint32_t>((of_512 + further / kL1Sets * kL1Sets) % sets);
  }
  const auto row = static_cast<std::uint32_t>(line) ^ l1_set(line / sets * sets);
  return of_512 % 4 + row % sets / 4 * 4;
}

}  // namespace

extern const SetRulePolicy xor_matrix;
const SetRulePolicy xor_matrix{.set = set, .of_l2 = false};

}  // namespace warpmem::model::set_rule
