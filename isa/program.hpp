// A kernel's code, carried once by the trace: what the engines need to know about an instruction
// beside its addresses (opcode, cache operator, registers, where it came from).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace warpmem::trace {

enum class Level : std::uint8_t { kSass, kPtx, kPtxSass };

// What ptxas told the scheduler about an instruction: bits 105 to 125 of its 128 (sm_70 and later),
// bit 0 being bit 105. Not documented by NVIDIA; the layout is that of Jia et al., "Dissecting the
// NVIDIA Volta GPU architecture via microbenchmarking" (2018), and holds for nvcc 13's sm_90 code.
//   0..3    stall: cycles until the warp may issue its next instruction
//   4       yield: 0 asks for another warp's turn, 1 to stay with this one
//   5..7    write barrier: scoreboard that clears when the result is there; 7 = none
//   8..10   read barrier: scoreboard that clears when the operands have been read; 7 = none
//   11..16  wait mask: scoreboards 0 to 5 that must be clear before this one issues
//   17..20  reuse: source operands 0 to 3 that the operand cache keeps
constexpr unsigned kControlBits = 21;
constexpr std::uint32_t kUnknownControl = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kNoBarrier = 7;

// From the upper 64 bits of an instruction.
constexpr std::uint32_t control_of(std::uint64_t upper) {
  return static_cast<std::uint32_t>(upper >> (105 - 64)) & ((1u << kControlBits) - 1);
}

struct Instruction {
  std::uint32_t pc = 0;    // byte offset in the function (SASS: 16 bytes apart), ascending
  std::string text;        // as the disassembler prints it: "@!P0 LDG.E.128.CONSTANT R4, [R2.64]"
  std::uint32_t file = 0;  // index into Program::files, 0 = not known
  std::uint32_t line = 0;  // 0 = not known
  std::uint32_t control = kUnknownControl;

  // The fields of `control`; meaningless when it is not known.
  bool has_control() const { return control != kUnknownControl; }
  std::uint32_t stall() const { return control & 15u; }  // cycles
  bool yield() const { return (control >> 4 & 1u) == 0; }
  std::uint32_t write_barrier() const { return control >> 5 & 7u; }  // kNoBarrier: none
  std::uint32_t read_barrier() const { return control >> 8 & 7u; }   // kNoBarrier: none
  std::uint32_t wait_mask() const { return control >> 11 & 63u; }    // bit b: scoreboard b
  std::uint32_t reuse_mask() const { return control >> 17 & 15u; }   // bit i: source operand i
};

struct Program {
  std::string name;  // mangled
  std::string demangled;
  Level level = Level::kSass;
  std::string arch;                 // "sm_90"
  std::uint32_t registers = 0;      // per thread
  std::uint32_t static_shared = 0;  // bytes
  std::uint32_t local_bytes = 0;    // stack frame and spills, per thread
  std::vector<std::string> files;   // [0] is ""
  std::vector<Instruction> code;    // empty when it could not be disassembled
};

// PTX, which a program of level kPtxSass holds behind its machine code: accesses that could not be
// found in it with certainty. PTX is written small, machine code is not.
inline bool is_ptx(const std::string& text) {
  const std::size_t at = text.starts_with('@') ? text.find(' ') : 0;
  const std::size_t first = at == text.npos ? at : text.find_first_not_of(' ', at);
  return first != text.npos && text[first] >= 'a' && text[first] <= 'z';
}

}  // namespace warpmem::trace
