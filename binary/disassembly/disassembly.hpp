// The instructions of a kernel, as nvdisasm prints them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "isa/program.hpp"

namespace warpmem::record {

// One section of code. Branch targets inside it are written as offsets (BRA 0x310), not as labels.
struct CodeSection {
  std::string name;  // ".text._Z4copyPf"
  std::vector<trace::Instruction> code;
};

struct Disassembly {
  std::vector<std::string> files{""};  // [0]: not known
  std::vector<CodeSection> sections;
  const CodeSection* find(const std::string& name) const;
};

Disassembly parse_disassembly(const std::string& text);

// What `nvdisasm` prints of the image, restricted to the functions with these symbol indices; it is
// run if no earlier run has kept that (tool_cache.hpp). The child sees neither the injection
// variables nor LD_PRELOAD.
Result<Disassembly> disassemble(const std::string& nvdisasm, std::span<const unsigned char> image,
                                std::span<const std::uint32_t> symbols);

}  // namespace warpmem::record
