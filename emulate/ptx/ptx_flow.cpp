#include "emulate/ptx/ptx_flow.hpp"

#include <cstdint>
#include <string_view>

namespace warpmem::emulate {

std::optional<std::vector<trace::FlowLine>> flow_lines(const Function& f) {
  std::vector<trace::FlowLine> lines(f.body.size());
  for (std::size_t i = 0; i < f.body.size(); ++i) {
    const Statement& s = f.body[i];
    const std::string_view word = std::string_view(s.opcode).substr(0, s.opcode.find('.'));
    if (word == "bra") {
      lines[i].targets.push_back(f.labels[s.operands[0].number]);
      lines[i].falls = s.guard >= 0;
    } else if (word == "brx") {
      if (s.operands.size() < 2) return std::nullopt;
      const auto list = f.branch_targets.find(s.operands[1].name);
      if (list == f.branch_targets.end()) return std::nullopt;
      for (const std::uint32_t label : list->second) lines[i].targets.push_back(f.labels[label]);
      lines[i].falls = s.guard >= 0;
    } else if (word == "ret" || word == "exit" || word == "trap") {
      lines[i].falls = s.guard >= 0;
      lines[i].targets.push_back(static_cast<std::uint32_t>(f.body.size()));  // nowhere
    }
  }
  return lines;
}

}  // namespace warpmem::emulate
