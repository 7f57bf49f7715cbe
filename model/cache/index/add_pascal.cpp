// The L1's of compute capability 6.x, for 4 sets: address bits 7 and 8 and two parities of higher
// ones, added (reverse engineered on a GTX 1080 by the authors of gpucachesim).
#include "model/cache/index/set_rule.hpp"

namespace warpmem::model::set_rule {
namespace {

std::uint32_t set(std::uint64_t line, std::uint32_t sets) {
  const std::uint64_t a = line * 128;
  const auto bit = [a](int n) { return static_cast<std::uint32_t>(a >> n & 1); };
  const std::uint32_t first = bit(10) ^ bit(12) ^ bit(14);
  const std::uint32_t second =
      (first ^ 1) ^ bit(9) ^ bit(10) ^ bit(11) ^ bit(12) ^ bit(13) ^ bit(14);
  return (static_cast<std::uint32_t>(line & 3) + (first | second << 1)) % 4 % sets;
}

}  // namespace

extern const SetRulePolicy add_pascal;
const SetRulePolicy add_pascal{.set = set, .of_l2 = false};

}  // namespace warpmem::model::set_rule
