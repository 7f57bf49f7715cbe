#include "emulate/executor/constant_banks.hpp"

#include "emulate/executor/memory.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint32_t kConstantVariables = 3;

}  // namespace

void ConstantBanks::add_variable(const Memory& memory, const Variable& variable) {
  memory_ = &memory;
  variables_[variable.offset] = variable;
}

ConstantBanks::Place ConstantBanks::find(std::uint32_t bank, std::uint64_t at,
                                         std::uint32_t bytes) const {
  if (bank == kConstantVariables && memory_) {
    auto next = variables_.upper_bound(static_cast<std::uint32_t>(at));
    if (next == variables_.begin()) return {};
    const Variable& v = std::prev(next)->second;
    const std::uint64_t within = at - v.offset;
    if (within + bytes > v.bytes) return {};
    return {memory_->host(v.address + within), v.address + within};
  }
  const auto found = banks_.find(bank);
  if (found == banks_.end() || at + bytes > found->second.size()) return {};
  return {found->second.data() + at, 0};
}

}  // namespace warpmem::emulate
