// A kernel's PTX beside the machine code that ptxas made of it: the flow of both, the accesses of
// both, and which of the machine's come from which statement. The line that ptxas gives an
// instruction says most of it (machine_code.hpp); textures, which have no line of their own, are
// shared out by order.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "isa/flow/code_flow.hpp"
#include "emulate/ptx/program.hpp"
#include "emulate/mapping/machine_code.hpp"
#include "emulate/mapping/ptx_access.hpp"

namespace warpmem::emulate {

struct CodePair {
  const Kernel& kernel;
  const std::vector<MachineInstruction>& code;

  std::uint32_t entry = 0;  // statements of the kernel itself; behind them functions' follow
  CodeFlow ptx_flow{}, sass_flow{};
  std::vector<FlowLine> sass_lines{};
  std::vector<PtxAccess> ptx{};                            // by statement
  std::vector<trace::SassInstruction> sass{};              // by machine instruction
  std::vector<std::vector<std::uint32_t>> of_statement{};  // machine instructions that access
  std::map<std::uint32_t, std::vector<std::uint32_t>> swap_loads{};  // of compare-and-swap loops
  // Of an atomic on half a word, which is done by compare-and-swap of the word: its first load.
  std::map<std::uint32_t, std::vector<std::uint32_t>> word_loads{};
  // Of an atomic by a generic address: loads and stores for lanes whose words lie where the memory
  // does no atomics of this kind.
  std::map<std::uint32_t, std::vector<std::uint32_t>> generic_ways{};
  std::vector<std::uint32_t> elects{};  // statements whose code elects a lane, or makes one value of the warp's
  std::uint32_t spills = 0;             // instructions that spill registers
  bool uses_local = false;

  const Statement& statement(std::uint32_t s) const {
    return kernel.functions[0]->function->body[s];
  }
  // A place in the order in which machine instructions run, loops aside.
  std::uint32_t rank(std::uint32_t instruction) const {
    return sass_flow.order[sass_flow.block_of[instruction]] << 16 | (instruction & 0xffffu);
  }
  // "'ld.global.f32' in line 12 of the PTX"
  std::string shown(std::uint32_t s) const;
};

// Why a kernel's machine code cannot be used; it is traced as PTX then.
inline Error unmappable(const std::string& why) { return {ErrorKind::kEnvironment, why, "", ""}; }

Result<CodePair> pair_code(const Kernel& kernel, const std::vector<MachineInstruction>& code);

// "[R12.64+0x14]" -> the text before the constant, and the constant.
std::pair<std::string_view, long> address_of(std::string_view text);

}  // namespace warpmem::emulate
