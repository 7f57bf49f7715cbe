#include "sim/code/instruction_cost.hpp"

#include <algorithm>

namespace warpmem::sim {
namespace {

using model::PtxClass;

PtxClass class_of(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' '), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" ;"));
  const std::string_view op = word.substr(0, word.find('.'));
  const auto has = [&](std::string_view w) { return word.find(w) != word.npos; };
  const bool wide = has(".f64");
  if (op == "ex2" || op == "lg2" || op == "sin" || op == "cos" || op == "rcp" || op == "rsqrt" ||
      op == "sqrt" || op == "tanh")
    return PtxClass::kSpecial;
  if (op == "div" || op == "rem") return PtxClass::kDivide;
  if (op == "cvt" && (has(".f32") || has(".f64")) && (has(".s") || has(".u") || wide))
    return PtxClass::kConvert;
  if (op == "popc" || op == "clz" || op == "bfind" || op == "brev") return PtxClass::kCount;
  if (op == "shfl" || op == "match") return PtxClass::kExchange;
  if (op == "redux") return PtxClass::kRedux;
  if (op == "mma" || op == "wmma") return PtxClass::kMatrix;
  if (op == "fma" || op == "add" || op == "mul" || op == "sub") {
    if (wide) return PtxClass::kDouble;
    if (has(".f")) return PtxClass::kFloat;
  }
  if (op == "mad" || op == "mul") return PtxClass::kMultiply;
  if (op == "ld" && (has(".param") || has(".const"))) return PtxClass::kConstant;
  return PtxClass::kOther;
}

}  // namespace

InstructionCost sass_cost(const trace::SassInstruction& in, const model::InstructionTable& table) {
  return table.sass(in.opcode, in.modifiers);
}

InstructionCost ptx_cost(std::string_view text, const model::InstructionTable& table) {
  return table.ptx(class_of(text));
}

}  // namespace warpmem::sim
