// Which set of a cache a line belongs to, by a rule (index/), of any number of sets.
#pragma once

#include <cstdint>

#include "model/cache/index/mixed_rows.hpp"
#include "model/cache/index/set_rule.hpp"

namespace warpmem::model {

class SetIndex {
 public:
  SetIndex() = default;
  SetIndex(SetRule rule, std::uint32_t sets)
      : rule_(rule), set_(policy_of(rule).set), sets_(sets) {}
  std::uint32_t sets() const { return sets_; }
  SetRule rule() const { return rule_; }
  // The cache is one of so many partitions that take blocks of so many lines by turns: lines that
  // are next to each other in it take sets in a row.
  void shared_by(std::uint32_t partitions, std::uint32_t block_lines) {
    partitions_ = partitions;
    block_lines_ = block_lines;
  }
  std::uint32_t operator()(std::uint64_t line) const {
    if (partitions_ > 1)
      line = line / block_lines_ / partitions_ * block_lines_ + line % block_lines_;
    return set_(line, sets_);
  }

 private:
  SetRule rule_ = SetRule::kLowBits;
  std::uint32_t (*set_)(std::uint64_t line, std::uint32_t sets) = policy_of(SetRule::kLowBits).set;
  std::uint32_t sets_ = 1;
  std::uint32_t partitions_ = 1, block_lines_ = 1;
};

}  // namespace warpmem::model
