// What the recorder needs from a cubin (the ELF file that a module is loaded from): its functions
// and the resources of its kernels. Reads bytes that a foreign program hands over: every offset is
// checked, and a damaged file is an error, never a crash.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "binary/cubin/parameters.hpp"
#include "isa/program.hpp"

namespace warpmem::record {

struct CubinFunction {
  std::string name;          // mangled
  std::uint32_t symbol = 0;  // index in the symbol table, as nvdisasm -fun takes it
  std::uint32_t section = 0;
  std::uint64_t offset = 0;  // in its section
  std::uint64_t size = 0;    // bytes
  // Where its section's code lies in the image; no bytes when it is not in the file.
  std::uint64_t code_at = 0, code_bytes = 0;
  bool kernel = false;
  std::uint32_t registers = 0;      // per thread
  std::uint32_t static_shared = 0;  // bytes per CTA, without what the driver reserves
  std::uint32_t local_bytes = 0;    // stack frame and spills per thread
  // … with those of the functions it calls; 0: the file does not know.
  std::uint32_t stack_bytes = 0;
  KernelParameters parameters;
  // What launches it was compiled for, in threads and in CTAs; zeros: it does not say.
  std::array<std::uint32_t, 3> max_block{}, required_block{}, required_cluster{};
  // Offsets in its section of the instructions that store or load spilled registers, ascending, as
  // far as the file says (CUDA 13: EIATTR_ANNOTATIONS).
  std::vector<std::uint32_t> spills;
  // Offsets in its section of the words that a linker is still to fill in, ascending.
  std::vector<std::uint32_t> relocations;
};

struct Cubin {
  std::string arch;                // "sm_90"
  std::uint32_t virtual_arch = 0;  // 80: made of PTX for compute_80; 0: the file does not say
  std::vector<CubinFunction> functions;
  // Functions that are not in the file but the driver's own (malloc, free, vprintf): by the offset
  // in constant bank 4 where their address is put.
  std::map<std::uint32_t, std::string> driver_functions;
  const CubinFunction* find(const std::string& name) const;
};

Result<Cubin> parse_cubin(std::span<const unsigned char> image);

// The scheduling control (isa/program.hpp) of the instruction `offset` bytes into the function's
// section; kUnknownControl before sm_70, whose instructions have 64 bits, and outside the code.
std::uint32_t control_at(std::span<const unsigned char> image, const Cubin& cubin,
                         const CubinFunction& function, std::uint64_t offset);

// An instruction's text with the remark that disassemblers after CUDA 13.0's print for spilled
// registers: STL [R1+0x8], R4 (*"SpillRefill"*).
std::string with_spill_mark(const CubinFunction& function, std::uint64_t offset, std::string text);
bool has_spill_mark(const std::string& text);

}  // namespace warpmem::record
