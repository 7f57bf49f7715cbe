// A cubin as the executor sees it: its variables, its kernels with their parameters, its constant
// banks. Reads bytes of a foreign program: every offset is checked.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "binary/cubin/cubin.hpp"
#include "emulate/executor/syntax.hpp"

namespace warpmem::emulate {

struct CubinVariable {
  std::string name;
  std::uint64_t offset = 0, bytes = 0;  // in its section
  bool constant = false;                // of bank 3
  std::uint32_t align = 1;
  std::vector<std::byte> initial;  // empty: zeros
};

// A word of a section that the address of a symbol goes to.
struct CubinRelocation {
  std::uint32_t offset = 0, type = 0;
  std::int64_t addend = 0;
  std::string symbol;
};

struct CubinBank {
  std::uint32_t number = 0;
  std::string kernel;  // empty: of all
  std::vector<std::byte> bytes;
  std::vector<CubinRelocation> relocations;
};

struct CubinContents {
  record::Cubin cubin;
  std::vector<CubinVariable> variables;
  std::vector<CubinBank> banks;
  std::map<std::string, std::vector<CubinRelocation>> data_relocations;  // by variable
  std::map<std::string, std::vector<CubinRelocation>> code_relocations;  // by function
  std::uint32_t cc = 90;                                                 // compute capability x 10
  std::uint32_t reserved_shared = 0;  // bytes at the start of a CTA's window
};

Result<CubinContents> read_cubin(std::span<const unsigned char> image, const std::string& name);

// What the executor's front ends have of a module: variables and functions by name. Its texts are
// the module's own.
Module module_of(const CubinContents& contents, const std::string& name);

}  // namespace warpmem::emulate
