// What the program counters of one kernel mean. A record's PC becomes an offset in the program
// section: bytes from the kernel's start, or, for functions that it calls outside its own code,
// from where their code was appended behind it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "isa/decoded_program.hpp"

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
  std::uint32_t program = 0;              // index in the trace
  std::vector<CodeRange> ranges;          // the kernel first
  std::vector<std::uint32_t> reductions;  // offsets of RED instructions, ascending
  // Of local accesses through the stack pointer, where in the frame they are: [R1+0x10] → 16.
  std::map<std::uint32_t, std::uint32_t> frame_offsets;

  std::uint32_t offset_of(std::uint32_t pc_low) const;
  // Atomics that return nothing. The patching API does not tell them from those that do.
  bool is_reduction(std::uint32_t offset) const;
  // Notes what matters above of one instruction of the program section.
  void learn(std::uint32_t offset, const trace::DecodedLine& line, bool in_kernel);
};

// 16 for "STL.64 [R1+0x10], R4"; nothing when the address is not the stack pointer's.
std::optional<std::uint32_t> frame_offset(const trace::SassInstruction& in);
// RED, in global or generic memory.
bool is_reduction(const trace::SassInstruction& in);

}  // namespace warpmem::record
