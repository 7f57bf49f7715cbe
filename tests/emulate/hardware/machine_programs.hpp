// Kernels given as PTX, run from PTX and from the machine code that ptxas makes of it: for what an
// element-wise form cannot say, such as products of a warpgroup and copies to a cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "emulate/executor/executor.hpp"
#include "emulate/toolkit/toolkit.hpp"

namespace warpmem::emulate::hardware {

// `body` has %t, %out and %in (128 KiB each, of which every thread may use all), %s (the start of
// 48 KiB of shared memory with the bytes of `in`), and what it declares.
struct MachineProgram {
  std::string name, body;
  std::uint32_t threads = 128, ctas = 1, cluster = 1;
};

struct ProgramResult {
  std::vector<std::uint32_t> out;
  std::vector<std::string> unknown;  // instructions without a row
};

constexpr std::uint32_t kProgramBytes = 131072;

std::string module_text(const std::vector<MachineProgram>& programs, const std::string& target);

// All of one module, in order. An error is that of the first program that has one.
Result<std::vector<ProgramResult>> run_from_ptx(const std::vector<MachineProgram>& programs,
                                                const std::string& target);
Result<std::vector<ProgramResult>> run_from_machine_code(
    const Toolkit& toolkit, const std::vector<MachineProgram>& programs, const std::string& target);

}  // namespace warpmem::emulate::hardware
