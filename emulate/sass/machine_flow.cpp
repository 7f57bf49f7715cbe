#include "emulate/sass/machine_flow.hpp"

#include <vector>

namespace warpmem::emulate {

trace::CodeFlow machine_flow(const Code& code) {
  const auto nowhere = static_cast<std::uint32_t>(code.code.size());
  std::vector<trace::FlowLine> lines(code.code.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Inst& in = code.code[i];
    trace::FlowLine& line = lines[i];
    const bool guarded = in.guard != kNoOffset;
    switch (in.kind) {
      case Kind::kMachineBranch:
        line.targets.push_back(in.target == kNoOffset ? nowhere : in.target);
        line.falls = guarded || in.a != kNoOffset || in.b != kNoOffset || in.extra == kIsCall;
        break;
      case Kind::kMachineJump:
      case Kind::kExit:
      case Kind::kTrap:
        line.targets.push_back(nowhere);
        line.falls = guarded;
        break;
      default: break;
    }
  }
  return trace::flow_of(lines);
}

}  // namespace warpmem::emulate
