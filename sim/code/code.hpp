// A kernel's code as the time engine reads it: when each instruction may issue, what it waits for
// and where it goes next. SASS carries that (control words); for code without it, PTX or older
// traces, the waits are worked out from the registers, as an assembler would.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "isa/decoded_program.hpp"
#include "sim/code/instruction_cost.hpp"
#include "sim/code/lane_values.hpp"
#include "sim/code/register_reads.hpp"

namespace warpmem::sim {

constexpr std::uint8_t kNoScoreboard = 7;
constexpr std::size_t kScoreboards = 6;

// A function of the driver's own, whose instructions no trace has.
enum class DriverCall : std::uint8_t { kNone, kMalloc, kFree, kPrint };

constexpr std::uint16_t kNoParameter = 0xffff;

struct CodeLine {
  std::uint32_t pc = 0;
  std::uint16_t stall = 1;              // cycles until the warp's next instruction
  std::uint8_t waits = 0;               // scoreboards that must be clear
  std::uint8_t sets = kNoScoreboard;    // cleared when the result is there
  std::uint8_t frees = kNoScoreboard;   // cleared when the operands have been read
  std::uint8_t drains = kNoScoreboard;  // DEPBAR.LE: waits until at most `leaves` …
  std::uint8_t leaves = 0;              //   … of this scoreboard's are out
  InstructionCost cost;
  RegisterReads reads{};           // of each bank of registers
  std::uint8_t taken_slots = 0;    // issue slots that are lost when it goes elsewhere than on
  std::uint16_t taken_cycles = 0;  // … and cycles more until the warp's next instruction
  bool commits = false;            // closes a group of asynchronous copies (LDGDEPBAR)
  bool waits_copies = false;       // waits on an mbarrier, as bulk copies are waited for
  bool fences = false;             // waits until what the warp wrote is there for all
  bool joins = false;              // arrives at its cluster's barrier
  bool meets = false;              // waits at it
  std::shared_ptr<const ConstantRead> constants;  // that it reads, where they are known
  std::uint16_t parameter = kNoParameter;         // offset in constant bank 0 that it reads
  bool loads_parameter = false;                   // … into a register (LDC), not as an operand
  bool memory = false;                            // leaves a record when some lane runs it
  bool accesses = false;  // … by its text, and not of a kind that recordings never hold
  bool guarded = false;
  std::int32_t meet = -1;  // of BSSY: line behind the BSYNC that lanes wait at
  bool rejoins = false;    // where lanes that have diverged wait for each other (BSYNC)
  bool falls = true;       // may go on to the next line
  bool ends = false;       // a warp may end here
  DriverCall driver = DriverCall::kNone;
  bool calls = false;        // its target is a function's beginning
  bool returns = false;      // … from which this goes back to behind the call
  std::int32_t target = -1;  // line it may jump to
  // Lines that a branch through a register may go to, and beginnings of functions that a call may
  // where it says no place (callees.hpp). Empty where there is a target, or nothing is known.
  std::vector<std::uint32_t> places, callees;
};

// Lines in the order of their pc; empty when the trace has no code. `table`: what instructions cost
// (the card's); `clusters`: the launch has some, which decides the branches that ptxas puts around
// a cluster's barriers; `launch`: its shape, which addresses of constants depend on (nullptr: those
// are left out).
std::vector<CodeLine> read_code(const trace::DecodedProgram& program,
                                const model::InstructionTable& table, bool clusters = false,
                                const trace::Launch* launch = nullptr);

// The same, without what instructions cost: where each goes.
std::vector<CodeLine> read_flow(const trace::DecodedProgram& program);

}  // namespace warpmem::sim
