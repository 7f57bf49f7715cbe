// What an access pattern's text says: declarations, and statements that every thread runs.
//
//   shared float tile[32][33]; tile[threadIdx.y][threadIdx.x] = in[y*n + x]; for k in 0..8: …
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpmem::sim::pattern {

enum class Op : std::uint8_t {
  kNumber,
  kName,
  kLoad,  // kLoad: an access whose value is used; it counts, and is 0
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kShl,
  kShr,
  kAnd,
  kOr,
  kXor,
  kNot,
  kNeg,
  kFlip,
  kLess,
  kMore,
  kLessEqual,
  kMoreEqual,
  kEqual,
  kUnequal,
  kBoth,
  kEither,
  kChoose,
  kMin,
  kMax,
  kRandom,
};

struct Expression {
  Op op = Op::kNumber;
  std::int64_t value = 0;    // of a number
  std::string name;          // of a name
  std::uint32_t access = 0;  // of a load: which one
  std::size_t at = 0;        // byte in the text
  std::uint32_t height = 1;  // of the tree below, indices of loads included
  std::vector<std::unique_ptr<Expression>> of;
};
using ExpressionPtr = std::unique_ptr<Expression>;

enum class MemorySpace : std::uint8_t { kGlobal, kShared, kConstant };

struct Array {
  std::string name;
  MemorySpace space = MemorySpace::kGlobal;
  std::string type = "float";
  std::uint32_t bytes = 4;  // of an element
  std::uint32_t part = 4;   // bytes that one instruction takes of it: a double3 is three of 8
  std::vector<std::int64_t> extents;  // empty: as many as are asked for
  std::size_t at = 0;
  bool declared = false;
};

enum class AccessKind : std::uint8_t { kLoad, kStore, kAtomic, kReduction, kMatrixLoad };

// One access that the text has: an instruction, or one for each part of an element.
struct Access {
  AccessKind kind = AccessKind::kLoad;
  std::uint32_t array = 0;
  std::vector<ExpressionPtr> index;
  std::string text;  // as written
  std::size_t at = 0;
};

struct Statement {
  enum class Kind : std::uint8_t { kExpression, kAccess, kSet, kFor, kIf };
  Kind kind = Kind::kExpression;
  ExpressionPtr value;       // of kExpression, kSet; the condition of kIf; the first of kFor
  ExpressionPtr end, step;   // of kFor
  std::string name;          // of kSet, kFor
  std::uint32_t access = 0;  // of kAccess
  std::vector<Statement> body, otherwise;
  std::size_t at = 0;
};

struct Program {
  std::string text;
  std::vector<Array> arrays;
  std::vector<Access> accesses;
  std::vector<Statement> statements;
};

}  // namespace warpmem::sim::pattern
