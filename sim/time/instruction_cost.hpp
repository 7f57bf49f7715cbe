// What an instruction takes of its SM sub-partition: the pipe it goes through, how long it keeps
// it, and, where a scoreboard waits for it, when its result is there. Memory instructions are the
// memory system's business.
//
// Sources: issue rates are the throughput table of the CUDA programming guide (results a cycle and
// SM, a quarter of it a sub-partition); latencies are measured, kernels/micro/sm_timing.cu on an
// H200 (model/gpus/h200/README.md).
#pragma once

#include <cstdint>
#include <string_view>

#include "traces/instruction.hpp"

namespace warpmem::sim {

enum class Pipe : std::uint8_t { kFma, kAlu, kFp64, kXu, kTensor, kMio, kNone };
constexpr std::size_t kPipes = 6;  // that can be busy

struct InstructionCost {
  Pipe pipe = Pipe::kNone;
  std::uint8_t busy = 1;      // cycles of the pipe for a warp
  std::uint16_t latency = 6;  // cycles from issue to the result
  bool variable = false;      // a scoreboard waits for it, not a stall count
};

// Of a SASS instruction; `opcode` without modifiers, and the whole text for those that need it.
InstructionCost sass_cost(const trace::SassInstruction& in);
// Of a PTX instruction by its text: what ptxas usually makes of it.
InstructionCost ptx_cost(std::string_view text);

}  // namespace warpmem::sim
