#include "model/cache/tag_banks.hpp"

#include "base/wide_hosts.hpp"

namespace warpmem::model {

// How many of sixteen are in each bank, a byte each: vectorised.
WARPMEM_WIDE_HOSTS static std::uint32_t in_banks_of_16(const std::uint32_t* __restrict set) {
  std::uint32_t in_bank = 0;
  for (std::size_t i = 0; i < 16; ++i) in_bank += 1u << set[i] % 4 * 8;
  return in_bank;
}

int tag_passes_of_sets(const std::uint32_t* set, std::size_t count) {
  TagPasses passes;
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) passes.add_all(in_banks_of_16(set + i));
  for (; i < count; ++i) passes.add(set[i] % 4);
  return passes.count();
}

}  // namespace warpmem::model
