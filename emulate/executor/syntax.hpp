// PTX as the parser leaves it: functions, variables and statements, with registers, local
// variables and labels already resolved to numbers. Texts are parts of the Source.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulate/executor/types.hpp"
#include "isa/ptx/lexer.hpp"

namespace warpmem::emulate {

using ptx::Lexer;
using ptx::Source;
using ptx::Token;
using ptx::TokenKind;

enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kConst, kParam, kTexture };

// The largest variable of a space, in bytes: what a thread, a CTA, a kernel or a GPU has.
constexpr std::uint64_t kMostOfAny = std::uint64_t{1} << 40, kMostLocal = 512u << 10;
constexpr std::uint64_t most_bytes(Space space) {
  switch (space) {
    case Space::kShared: return 16u << 20;
    case Space::kLocal:
    case Space::kParam: return kMostLocal;
    case Space::kConst: return 64u << 10;
    default: return kMostOfAny;
  }
}
constexpr const char* most_is(Space space) {
  switch (space) {
    case Space::kShared: return "a CTA can have of shared memory";
    case Space::kLocal:
    case Space::kParam: return "a thread has";
    case Space::kConst: return "there is of constant memory";
    default: return "a GPU has";
  }
}

// One value of an initialiser: a number, or the address of a variable or function plus an offset.
struct Initial {
  std::uint64_t value = 0;
  std::string_view symbol;
  std::size_t at = 0;
  std::uint32_t mask_shift = 255;  // mask(0xFF…) operator: which byte of the address; 255: all
};

struct Variable {
  std::string_view name;
  Space space = Space::kGlobal;
  Type type = Type::kB8;
  std::uint32_t align = 1;
  std::uint64_t bytes = 0;
  bool is_extern = false;
  bool unsized = false;  // `extern .shared x[]`: begins where static shared memory ends
  std::vector<Initial> initial;
  std::size_t at = 0;
  std::uint32_t offset =
      0;  // filled by the layout: in shared memory, the local frame or parameters
};

struct Operand {
  enum class Kind : std::uint8_t {
    kRegister,
    kSymbol,
    kVariable,
    kInteger,
    kFloat32,
    kFloat64,
    kVector,
    kMemory,
    kPair,
    kLabel,
    kSink
  };
  Kind kind = Kind::kSink;
  bool negated = false;      // !%p
  bool minus = false;        // -%r, as vmad has it
  std::uint8_t part = 0;     // of a video operand: 1-4 its .b0-.b3, 5-6 its .h0-.h1
  std::uint32_t number = 0;  // register; or label, once resolved
  const Variable* variable = nullptr;
  std::string_view name;       // symbol, special register or label
  std::uint64_t value = 0;     // integer, or the bits of a float
  std::int64_t offset = 0;     // memory: [base + offset]; symbol + offset
  std::vector<Operand> items;  // vector, pair; memory: [0] the base, further ones coordinates
  std::size_t at = 0;
};

struct Statement {
  std::string_view opcode;  // with its modifiers
  std::vector<Operand> operands;
  std::int64_t guard = -1;  // predicate register
  bool guard_negated = false;
  std::uint32_t file = 0, line = 0;  // source position from .loc
  std::size_t at = 0, end = 0;       // in the PTX
};

struct Function {
  std::string_view name;
  bool is_entry = false;
  bool has_body = false;
  std::vector<Variable*> params;
  std::vector<Variable*> returns;
  std::vector<Type> registers;     // by number
  std::deque<Variable> variables;  // parameters, locals, call parameters, static shared
  std::vector<Statement> body;
  std::vector<std::uint32_t> labels;  // label number -> statement
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> branch_targets;  // labels
  std::array<std::uint32_t, 3> required_block{0, 0, 0};
  std::array<std::uint32_t, 3> max_block{0, 0, 0};
  std::array<std::uint32_t, 3> required_cluster{0, 0, 0};
  std::size_t at = 0;
  std::size_t opened = 0, closed = 0;  // the braces of its body, in the PTX
};

struct Module {
  std::unique_ptr<Source> source;
  std::uint32_t version_major = 0, version_minor = 0;
  std::string target;              // "sm_90"
  bool debug = false;              // .target's option
  std::deque<std::string> joined;  // opcodes that are written in pieces
  std::deque<Variable> variables;
  std::deque<Function> functions;
  std::unordered_map<std::string_view, Variable*> variable_named;
  std::unordered_map<std::string_view, Function*> function_named;
  std::vector<std::string> files;  // by .file number; [0] is ""
};

}  // namespace warpmem::emulate
