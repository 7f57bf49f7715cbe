// The constant banks that a launch of machine code reads: 0 has the launch and its parameters, 2
// what the compiler put there, 3 the module's __constant__ variables, 4 addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace warpmem::emulate {

// Words of a constant bank that rows hold, put there when the kernel is launched.
struct BankRow {
  std::uint32_t row = 0;  // offset in the frame
  std::uint32_t bank = 0, offset = 0;
};

class Memory;

class ConstantBanks {
 public:
  struct Place {
    const std::byte* host = nullptr;  // null: outside
    std::uint64_t device = 0;         // 0: not in memory
  };
  // A variable of bank 3, which lies in memory.
  struct Variable {
    std::uint32_t offset = 0;
    std::uint64_t bytes = 0, address = 0;
  };

  std::vector<std::byte>& bank(std::uint32_t number) { return banks_[number]; }
  void add_variable(const Memory& memory, const Variable& variable);
  Place find(std::uint32_t bank, std::uint64_t at, std::uint32_t bytes) const;

 private:
  std::map<std::uint32_t, std::vector<std::byte>> banks_;
  const Memory* memory_ = nullptr;
  std::map<std::uint32_t, Variable> variables_;  // by offset
};

}  // namespace warpmem::emulate
