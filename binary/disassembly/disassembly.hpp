// The instructions of a kernel, as nvdisasm prints them.
#pragma once

#include <cstdint>
#include <map>
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

// An instruction whose section begins `by` bytes further on: the places in its section that it
// names (BRA 0x310) move along.
std::string moved(std::string text, std::uint32_t by);

// A call by name, CALL.ABS.NOINC `(_Z1fv), of a function that is laid out at a known place: the
// name becomes the place. What a register is counted from, CALL.REL.NOINC R4 `(_Z1kv), stays.
std::string with_place(std::string text, const std::map<std::string, std::uint32_t>& starts);

// Runs `nvdisasm` on the image, restricted to the functions with these symbol indices. The child
// sees neither the injection variables nor LD_PRELOAD.
Result<Disassembly> disassemble(const std::string& nvdisasm, std::span<const unsigned char> image,
                                std::span<const std::uint32_t> symbols);

}  // namespace warpmem::record
