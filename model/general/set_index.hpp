// Which set of a cache a line belongs to: one of some rules, of any number of sets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmem::model {

enum class SetRule : std::uint8_t {
  kXorMatrix,  // the L1's of compute capability 9.0 (cache/l1_index.hpp), for a power of two sets
  kMixedRows,  // rows of 1,024 sets, shuffled by block (l2/l2_side.hpp): the L2's of an H200
  kLowBits,    // the line's number modulo the sets
};
const std::vector<std::string>& set_rule_names();

class SetIndex {
 public:
  SetIndex() = default;
  SetIndex(SetRule rule, std::uint32_t sets) : rule_(rule), sets_(sets) {}
  std::uint32_t sets() const { return sets_; }
  std::uint32_t operator()(std::uint64_t line) const;

 private:
  SetRule rule_ = SetRule::kLowBits;
  std::uint32_t sets_ = 1;
};

}  // namespace warpmem::model
