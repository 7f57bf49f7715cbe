// The tools of the CUDA toolkit that say what the hardware will execute: ptxas makes machine
// code (a cubin) of PTX, nvlink puts that of several objects together, nvdisasm prints it. None
// needs a GPU or a driver.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "binary/disassembly/cuda_tools.hpp"

namespace warpmem::emulate {

struct Toolkit {
  std::string ptxas;     // WARPMEM_PTXAS, the PATH, a toolkit's folder; empty: none
  std::string nvdisasm;  // WARPMEM_NVDISASM, …
  std::string nvlink{};  // WARPMEM_NVLINK, …
  bool complete() const { return !ptxas.empty() && !nvdisasm.empty(); }
};
Toolkit find_toolkit();
// kEnvironment: there is none, or what the variable names cannot be run.
Result<std::string> find_nvdisasm();

using Cubin = std::vector<unsigned char>;

// What a kernel takes, as its machine code says.
struct Resources {
  std::uint32_t registers = 0;      // per thread
  std::uint32_t static_shared = 0;  // bytes per CTA
  std::uint32_t local_bytes = 0;    // stack frame and spills per thread
};
Result<Resources> resources_of(const Cubin& code, const std::string& kernel);

// Which ptxas made the code, as it says itself.
record::ToolVersion made_by(const Cubin& code);
// Another ptxas makes other code, of which nothing can be learned about this: where the machine has
// the one that made it, that one is taken, unless WARPMEM_PTXAS says which.
void take_ptxas_of(const Cubin& code, Toolkit& toolkit);

// Machine code for `arch` ("sm_90"), with ptxas's options as given; what an earlier run has kept of
// the same is taken (tool_cache.hpp). kEnvironment with the tool's first complaint when it makes
// none.
Result<Cubin> assemble(const std::string& ptxas, std::string_view ptx, const std::string& arch,
                       const std::vector<std::string>& options);

// A device object: its PTX, and ptxas's options for it; or its machine code.
struct DeviceObject {
  std::string name, ptx;
  std::vector<std::string> options;
  Cubin code{};
};
// Whether an earlier run has kept that.
bool is_kept(const std::string& ptxas, std::string_view ptx, const std::string& arch,
             const std::vector<std::string>& options);

// ptxas's options and the one that keeps the source's lines, if the PTX names any: no instruction
// changes by it.
std::vector<std::string> with_lines(std::vector<std::string> options, std::string_view ptx);

// One program of objects (-rdc=true), with CUDA's own device library where kernels launch kernels.
Result<Cubin> assemble_and_link(const Toolkit& toolkit, const std::vector<DeviceObject>& objects,
                                const std::string& arch);

// Whether this ptxas makes code for `arch`: each knows some generations, that of CUDA 13 7.5 and
// later. Asked once of each.
bool assembles(const std::string& ptxas, const std::string& arch);

// What ptxas says of it, whether it likes it or not. kEnvironment: it could not be asked. Code that
// it makes is kept for assemble().
struct PtxasAnswer {
  std::string text;
  bool good = true;
  Cubin code;
};
Result<PtxasAnswer> try_assembling(const std::string& ptxas, std::string_view ptx,
                                   const std::string& arch,
                                   const std::vector<std::string>& options);

// The options in the text that a fat binary carries beside its PTX ("-O2  -maxrregcount=24
// --generate-line-info "): those that shape the code. Lines are asked for where they are wanted.
std::vector<std::string> code_options(std::string_view text);

// What PTX for `target` is assembled for on compute capability `cc`. Where this ptxas makes no code
// for that, the oldest that it does stands in: its registers, held to what a thread can have, are
// the kernel's.
struct CodeTarget {
  std::string arch;
  std::vector<std::string> options;  // of ptxas
  std::string stand_in;              // why, in words; empty: it is the GPU's own code
};
CodeTarget code_target(const Toolkit& toolkit, const std::string& target, std::uint32_t cc);

// What a trace says where machine code of 7.5 runs on a card of compute capability `cc`,
// before 7.5.
std::string stands_in_for(std::uint32_t cc);

// What to assemble PTX for `target` for on compute capability `cc` (90): code of an
// architecture-specific target ("sm_90a") runs as that only.
std::string assembled_arch(const std::string& target, std::uint32_t cc);

}  // namespace warpmem::emulate
