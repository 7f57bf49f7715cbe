// A kernel's program, put together from the instructions that its warps ran. What none of them ran
// is not in it. Where branches lead is seen from what came next; a branch that always went one way
// has that alone.
//
// Functions that a kernel calls have pcs of their own that begin at 0 again: an instruction that
// differs from another one of the same pc is put behind all of the first function.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/flow/code_flow.hpp"
#include "isa/program.hpp"
#include "isa/sass/instruction.hpp"
#include "traces/format/launch.hpp"
#include "traces/import/accel_sim_line.hpp"

namespace warpmem::imports {

class TracedCode {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // The number of a line's instruction, which it gets when it comes for the first time.
  std::uint32_t number_of(const AccelSimLine& line);
  // A warp ran `next` behind `number`.
  void follows(std::uint32_t number, std::uint32_t next);
  void runs(std::uint32_t number) { ++all_[number].times; }

  // All have come. `place`: of the file, for errors.
  Result<void> finish(const std::string& place);
  // From then on. The code has them in the order of their pcs: position() is that.
  const trace::Program& program() const { return program_; }
  const trace::SassInstruction& instruction(std::uint32_t number) const {
    return all_[number].decoded;
  }
  std::uint32_t pc(std::uint32_t number) const { return program_.code[position(number)].pc; }
  std::uint32_t position(std::uint32_t number) const { return all_[number].position; }
  const trace::CodeFlow& flow() const { return flow_; }
  std::vector<trace::TimesRun> times() const;

 private:
  struct One {
    std::uint32_t pc = 0, function = 0, position = 0, line = 0;
    std::string opcode;
    std::vector<std::string> destinations, sources;
    std::map<std::uint32_t, std::uint64_t> next;  // numbers, and how often each came
    std::uint64_t times = 0;
    trace::SassInstruction decoded;
  };
  // Where a branch leads: what came next most often, and does not stand behind it.
  std::uint32_t target_of(std::uint32_t number, const std::vector<std::uint32_t>& order) const;

  std::vector<One> all_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::unordered_map<std::uint32_t, std::uint32_t> functions_;  // by pc: how many have it
  std::string key_;
  trace::Program program_;
  trace::CodeFlow flow_;
};

}  // namespace warpmem::imports
