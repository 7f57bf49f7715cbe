// What an instruction takes of its SM sub-partition: the pipe it goes through, how long it keeps
// it, and when its result is there. Memory instructions are the memory system's business.
//
// One table a compute capability (cards/isa/*.toml), which a card names; each row with its source.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpmem::model {

// The banks of registers are no pipe of any instruction's, but are kept busy like one.
enum class Pipe : std::uint8_t {
  kFma,
  kAlu,
  kFp64,
  kXu,
  kTensor,
  kMio,
  kUniform,
  kEvenRegisters,
  kOddRegisters,
  kNone
};
constexpr std::size_t kPipes = 9;  // that can be busy

struct InstructionCost {
  Pipe pipe = Pipe::kNone;
  std::uint8_t busy = 1;      // cycles of the pipe for a warp
  std::uint16_t latency = 6;  // cycles from issue to the result
  bool variable = false;      // a scoreboard waits for it, not a stall count
};

const char* pipe_name(Pipe pipe);

// PTX instructions by what ptxas makes of them.
enum class PtxClass : std::uint8_t {
  kSpecial,
  kDivide,
  kConvert,
  kCount,  // bits: popc, clz, bfind, brev
  kExchange,
  kRedux,
  kMatrix,
  kDouble,
  kFloat,
  kMultiply,
  kConstant,
  kOther,
  kClasses
};

class InstructionTable {
 public:
  static Result<InstructionTable> parse(std::string_view text, const std::string& file);

  // Of a SASS instruction: the row of its opcode that asks for most of its modifiers, or the
  // default.
  InstructionCost sass(std::string_view opcode, std::span<const std::string> modifiers) const;
  InstructionCost ptx(PtxClass c) const { return ptx_[static_cast<std::size_t>(c)]; }
  // Of a branch that is taken: `busy` issue slots behind it are lost, and the warp goes on
  // `latency` cycles later than its stall count says.
  const InstructionCost& taken() const { return flow_[0]; }
  // … of a jump to where a register says (returns, calls of pointers), and of lanes that have come
  // to where the others of their warp have not yet: those go on where they diverged.
  const InstructionCost& by_register() const { return flow_[1]; }
  const InstructionCost& rejoined() const { return flow_[2]; }

  // Overrides one number: set("sass.FFMA.latency", "6"); pipe, issue, latency or wait.
  Result<void> set(const std::string& key, const std::string& value);

  struct Row {
    std::string key;    // "sass.HMMA.1688"
    std::string value;  // "tensor, issue 4, latency 33, stall"
    std::string source;
    bool overridden = false;
    InstructionCost cost = {};
  };
  const std::vector<Row>& rows() const { return rows_; }  // sorted by key

 private:
  struct Sass {
    std::vector<std::string> modifiers;  // that it asks for
    InstructionCost cost;
  };
  Result<void> put(const std::string& key, const InstructionCost& cost);
  InstructionCost* find(const std::string& key);

  std::map<std::string, std::vector<Sass>, std::less<>> sass_;  // those with most modifiers first
  std::array<InstructionCost, static_cast<std::size_t>(PtxClass::kClasses)> ptx_{};
  std::array<InstructionCost, 3> flow_;
  std::vector<Row> rows_;
};

std::vector<std::string> instruction_table_names();                        // built in, sorted
Result<InstructionTable> load_instruction_table(const std::string& name);  // one of those

}  // namespace warpmem::model
