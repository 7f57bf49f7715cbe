// A kernel's code, carried once by the trace: what the engines need to know about an instruction
// beside its addresses (opcode, cache operator, registers, where it came from).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmem::trace {

enum class Level : std::uint8_t { kSass, kPtx, kPtxSass };

struct Instruction {
  std::uint32_t pc = 0;    // byte offset in the function (SASS: 16 bytes apart), ascending
  std::string text;        // as the disassembler prints it: "@!P0 LDG.E.128.CONSTANT R4, [R2.64]"
  std::uint32_t file = 0;  // index into Program::files, 0 = not known
  std::uint32_t line = 0;  // 0 = not known
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

}  // namespace warpmem::trace
