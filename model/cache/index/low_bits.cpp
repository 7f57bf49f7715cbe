// The line's number modulo the sets.
#include "model/cache/index/set_rule.hpp"

namespace warpmem::model::set_rule {
namespace {

std::uint32_t set(std::uint64_t line, std::uint32_t sets) {
  return static_cast<std::uint32_t>(line % sets);
}

}  // namespace

extern const SetRulePolicy low_bits;
const SetRulePolicy low_bits{.set = set};

}  // namespace warpmem::model::set_rule
