#include "sim/code/instruction_cost.hpp"

#include <string>
#include <vector>

namespace warpmem::sim {
namespace {

using model::PtxClass;

PtxClass class_of(ptx::CostClass c) {
  switch (c) {
    case ptx::CostClass::kSpecial: return PtxClass::kSpecial;
    case ptx::CostClass::kDivide: return PtxClass::kDivide;
    case ptx::CostClass::kConvert: return PtxClass::kConvert;
    case ptx::CostClass::kCount: return PtxClass::kCount;
    case ptx::CostClass::kExchange: return PtxClass::kExchange;
    case ptx::CostClass::kRedux: return PtxClass::kRedux;
    case ptx::CostClass::kMatrix: return PtxClass::kMatrix;
    case ptx::CostClass::kDouble: return PtxClass::kDouble;
    case ptx::CostClass::kFloat: return PtxClass::kFloat;
    case ptx::CostClass::kMultiply: return PtxClass::kMultiply;
    case ptx::CostClass::kConstant: return PtxClass::kConstant;
    case ptx::CostClass::kOther: break;
  }
  return PtxClass::kOther;
}

}  // namespace

InstructionCost sass_cost(const trace::SassInstruction& in, const model::InstructionTable& table) {
  const std::vector<std::string_view> modifiers = in.modifier_names();
  return table.sass(in.name(), std::vector<std::string>(modifiers.begin(), modifiers.end()));
}

InstructionCost ptx_cost(const ptx::Instruction& in, const model::InstructionTable& table) {
  return table.ptx(class_of(in.cost_class()));
}

}  // namespace warpmem::sim
