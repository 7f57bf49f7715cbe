// What the program counters of one kernel mean. A record's PC becomes an offset in the program
// section: bytes from the kernel's start, or, for functions that it calls outside its own code,
// from where their code was appended behind it.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmem::record {

// A pc that lies in no known function of the module (device-side printf, malloc, another module).
constexpr std::uint32_t kForeignPc = 0xfffffff0u;

struct CodeRange {
  std::uint64_t pc = 0;      // where it was loaded
  std::uint32_t size = 0;    // bytes
  std::uint32_t offset = 0;  // in the program section
};

class CodeMap {
 public:
  std::uint32_t program = 0;            // index in the trace
  std::vector<CodeRange> ranges;        // the kernel first
  std::vector<std::uint32_t> reductions;  // offsets of RED instructions, ascending

  std::uint32_t offset_of(std::uint32_t pc_low) const;
  // Atomics that return nothing. The patching API does not tell them from those that do.
  bool is_reduction(std::uint32_t offset) const;
};

}  // namespace warpmem::record
