#include "sim/time/instruction_cost.hpp"

#include <array>

namespace warpmem::sim {
namespace {

struct Row {
  std::string_view opcode;
  InstructionCost cost;
};

// Longest match first where one opcode begins another.
constexpr Row kSass[] = {
    {"FFMA", {Pipe::kFma, 1, 4, false}},      {"FMUL", {Pipe::kFma, 1, 4, false}},
    {"FADD", {Pipe::kFma, 1, 4, false}},      {"FFMA2", {Pipe::kFma, 2, 4, false}},
    {"HFMA2", {Pipe::kFma, 1, 5, false}},     {"HMUL2", {Pipe::kFma, 1, 5, false}},
    {"HADD2", {Pipe::kFma, 1, 5, false}},     {"HMNMX2", {Pipe::kAlu, 2, 5, false}},
    {"IMAD", {Pipe::kFma, 2, 4, false}},      {"IDP", {Pipe::kFma, 2, 4, false}},
    {"IADD3", {Pipe::kAlu, 2, 4, false}},     {"IADD", {Pipe::kAlu, 2, 4, false}},
    {"LOP3", {Pipe::kAlu, 2, 4, false}},      {"PLOP3", {Pipe::kAlu, 2, 4, false}},
    {"SHF", {Pipe::kAlu, 2, 4, false}},       {"ISETP", {Pipe::kAlu, 2, 4, false}},
    {"FSETP", {Pipe::kAlu, 2, 4, false}},     {"FSEL", {Pipe::kAlu, 2, 4, false}},
    {"SEL", {Pipe::kAlu, 2, 4, false}},       {"LEA", {Pipe::kAlu, 2, 4, false}},
    {"PRMT", {Pipe::kAlu, 2, 4, false}},      {"MOV", {Pipe::kAlu, 2, 4, false}},
    {"FMNMX", {Pipe::kAlu, 2, 4, false}},     {"IMNMX", {Pipe::kAlu, 2, 4, false}},
    {"VIMNMX", {Pipe::kAlu, 2, 4, false}},    {"VIMNMX3", {Pipe::kAlu, 2, 4, false}},
    {"VIADDMNMX", {Pipe::kAlu, 2, 4, false}}, {"VIADD", {Pipe::kFma, 1, 4, false}},
    {"IABS", {Pipe::kAlu, 2, 4, false}},      {"I2FP", {Pipe::kAlu, 2, 4, false}},
    {"F2FP", {Pipe::kAlu, 2, 4, false}},      {"SGXT", {Pipe::kAlu, 2, 4, false}},
    {"BMSK", {Pipe::kAlu, 2, 4, false}},      {"VOTE", {Pipe::kAlu, 2, 6, false}},
    {"P2R", {Pipe::kAlu, 2, 6, false}},       {"R2P", {Pipe::kAlu, 2, 6, false}},
    {"FCHK", {Pipe::kXu, 8, 20, true}},       {"DFMA", {Pipe::kFp64, 2, 8, true}},
    {"DADD", {Pipe::kFp64, 2, 8, true}},      {"DMUL", {Pipe::kFp64, 2, 8, true}},
    {"DSETP", {Pipe::kFp64, 2, 10, true}},    {"MUFU", {Pipe::kXu, 8, 22, true}},
    {"I2F", {Pipe::kXu, 8, 18, true}},        {"F2I", {Pipe::kXu, 8, 18, true}},
    {"F2F", {Pipe::kXu, 8, 22, true}},        {"FRND", {Pipe::kXu, 8, 18, true}},
    {"POPC", {Pipe::kXu, 8, 18, true}},       {"FLO", {Pipe::kXu, 8, 18, true}},
    {"BREV", {Pipe::kXu, 8, 18, true}},       {"REDUX", {Pipe::kMio, 8, 24, true}},
    {"SHFL", {Pipe::kMio, 4, 24, true}},      {"MATCH", {Pipe::kMio, 8, 28, true}},
    {"S2R", {Pipe::kMio, 4, 26, true}},       {"S2UR", {Pipe::kMio, 4, 26, true}},
    {"CS2R", {Pipe::kNone, 1, 8, false}},     {"LDC", {Pipe::kMio, 8, 38, true}},
    {"ULDC", {Pipe::kNone, 1, 12, true}},     {"R2UR", {Pipe::kAlu, 2, 12, true}},
    {"HMMA", {Pipe::kTensor, 16, 33, false}}, {"IMMA", {Pipe::kTensor, 16, 33, false}},
    {"DMMA", {Pipe::kTensor, 16, 33, false}}, {"BMMA", {Pipe::kTensor, 16, 33, false}},
    {"HGMMA", {Pipe::kTensor, 64, 80, true}}, {"IGMMA", {Pipe::kTensor, 64, 80, true}},
    {"QGMMA", {Pipe::kTensor, 64, 80, true}}, {"MOVM", {Pipe::kNone, 2, 20, true}},
};

// Steps of a matrix multiply-add: "16816" is 16 x 8 x 16. Cycles of the tensor pipe at 512 16-bit
// multiply-adds a cycle and sub-partition.
std::uint8_t matrix_busy(const trace::SassInstruction& in) {
  for (const std::string& m : in.modifiers) {
    if (m.starts_with("16816")) return 8;
    if (m.starts_with("1688")) return in.has("TF32") ? 8 : 4;
    if (m.starts_with("16832")) return 8;
    if (m.starts_with("16864")) return 16;
  }
  return 8;
}

}  // namespace

InstructionCost sass_cost(const trace::SassInstruction& in) {
  for (const Row& r : kSass)
    if (in.opcode == r.opcode) {
      InstructionCost c = r.cost;
      if (c.pipe == Pipe::kTensor && !c.variable) c.busy = matrix_busy(in);
      if (in.opcode == "HFMA2" && in.has("MMA")) c.busy = 2;
      return c;
    }
  return {};
}

InstructionCost ptx_cost(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' '), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" ;"));
  const std::string_view op = word.substr(0, word.find('.'));
  const auto has = [&](std::string_view w) { return word.find(w) != word.npos; };
  const bool wide = has(".f64");
  if (op == "ex2" || op == "lg2" || op == "sin" || op == "cos" || op == "rcp" || op == "rsqrt" ||
      op == "sqrt" || op == "tanh")
    return {Pipe::kXu, 8, 22, true};
  if (op == "div" || op == "rem") return {Pipe::kXu, 16, 60, true};
  if (op == "cvt" && (has(".f32") || has(".f64")) && (has(".s") || has(".u") || wide))
    return {Pipe::kXu, 8, 18, true};
  if (op == "popc" || op == "clz" || op == "bfind" || op == "brev") return {Pipe::kXu, 8, 18, true};
  if (op == "shfl" || op == "match") return {Pipe::kNone, 2, 24, true};
  if (op == "redux") return {Pipe::kXu, 8, 24, true};
  if (op == "mma" || op == "wmma") return {Pipe::kTensor, 4, 33, false};
  if (op == "fma" || op == "add" || op == "mul" || op == "sub") {
    if (wide) return {Pipe::kFp64, 2, 8, true};
    if (has(".f")) return {Pipe::kFma, 1, 4, false};
  }
  if (op == "mad" || op == "mul") return {Pipe::kFma, 2, 4, false};
  if (op == "ld" && (has(".param") || has(".const"))) return {Pipe::kNone, 2, 38, true};
  return {Pipe::kAlu, 2, 4, false};
}

}  // namespace warpmem::sim
