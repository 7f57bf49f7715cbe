// Which set of a cache a line belongs to: one of some rules, of any number of sets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmem::model {

enum class SetRule : std::uint8_t {
  kXorMatrix,  // the L1's of compute capability 9.0 (cache/l1_index.hpp), for a power of two sets
  kMixedRows,  // rows of up to 1,024 sets, shuffled by block (l2/l2_side.hpp): the L2's of an H200
  kLowBits,    // the line's number modulo the sets
  kXorFermi,   // the L1's of compute capability 2.x, for 32 or 64 sets
  kAddPascal,  // the L1's of compute capability 6.x, for 4 sets
};
const std::vector<std::string>& set_rule_names();

// Of kMixedRows: how many sets a row has. The most that divide their number, up to as many as were
// measured; fewer sets than that are one row.
inline constexpr std::uint32_t kMostRows = 1024;
constexpr std::uint32_t rows_of_sets(std::uint32_t sets) {
  if (sets < kMostRows) return sets;
  const std::uint32_t divides = sets & (~sets + 1);  // a power of two
  return divides < kMostRows ? divides : kMostRows;
}

class SetIndex {
 public:
  SetIndex() = default;
  SetIndex(SetRule rule, std::uint32_t sets) : rule_(rule), sets_(sets) {}
  std::uint32_t sets() const { return sets_; }
  SetRule rule() const { return rule_; }
  // The cache is one of so many partitions that take blocks of so many lines by turns: lines that
  // are next to each other in it take sets in a row.
  void shared_by(std::uint32_t partitions, std::uint32_t block_lines) {
    partitions_ = partitions;
    block_lines_ = block_lines;
  }
  std::uint32_t operator()(std::uint64_t line) const;

 private:
  SetRule rule_ = SetRule::kLowBits;
  std::uint32_t sets_ = 1;
  std::uint32_t partitions_ = 1, block_lines_ = 1;
};

}  // namespace warpmem::model
