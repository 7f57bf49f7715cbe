// What SASS says by itself of the path that warps take, where a trace does not: branches that
// constants decide, and how often the loops without traced instructions go round.
//
// A loop's rounds are known when whether it goes on depends only on integers that begin with
// something known (static_values.hpp) and change by instructions that every round runs: these are
// run, round after round. Unrolled loops and those that count down, in shifts or by parameters
// come out alike, and what a loop leaves behind is known to those that follow it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isa/flow/code_flow.hpp"
#include "sim/code/code.hpp"
#include "sim/code/static_values.hpp"

namespace warpmem::sim {

struct StaticLoop {
  std::uint32_t branch = 0;             // line of the branch back, the last where there are several
  std::uint32_t header = 0;             // first line
  std::optional<std::uint64_t> rounds;  // times that the branch back is taken; none: not known
};

struct StaticFlow {
  // By line, of branches: is it taken? None: not known, or sometimes.
  std::vector<std::optional<bool>> taken;
  std::vector<StaticLoop> loops;  // those that hold no traced instruction
};

// A place of the stack frame that a spilled register is kept in: to whoever follows values it is
// one more register.
struct SpillSlot {
  std::uint32_t line = 0;
  bool load = false;
  StaticOperand data{};     // the first register that is stored or loaded
  std::uint32_t words = 1;  // 4 bytes each
  std::uint32_t slot = 0;   // number of the first word
};

trace::CodeFlow flow_of_code(const std::vector<CodeLine>& code);

// `code` as read_code gives it for `program`, with `memory` set for what the trace has records of.
StaticFlow static_flow(const trace::DecodedProgram& program, const std::vector<CodeLine>& code,
                       const trace::Launch& launch, std::span<const SpillSlot> slots = {});

}  // namespace warpmem::sim
