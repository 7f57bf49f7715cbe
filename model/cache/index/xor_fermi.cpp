// The L1's of compute capability 2.x, for 32 or 64 sets: address bits 7 to 11, each with one of 13,
// 14, 15, 17, 19; with 64 sets bit 12 before them (measured by Nugteren et al. on Fermi).
#include "model/cache/index/set_rule.hpp"

namespace warpmem::model::set_rule {
namespace {

std::uint32_t set(std::uint64_t line, std::uint32_t sets) {
  const std::uint64_t a = line * 128;
  const auto bit = [a](int n) { return static_cast<std::uint32_t>(a >> n & 1); };
  const std::uint32_t low = static_cast<std::uint32_t>(line & 31) ^
                            (bit(13) | bit(14) << 1 | bit(15) << 2 | bit(17) << 3 | bit(19) << 4);
  return (low | bit(12) << 5) % sets;
}

}  // namespace

extern const SetRulePolicy xor_fermi;
const SetRulePolicy xor_fermi{.set = set, .of_l2 = false};

}  // namespace warpmem::model::set_rule
