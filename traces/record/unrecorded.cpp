#include "traces/record/unrecorded.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "isa/sass/instruction.hpp"

namespace warpmem::record {
namespace {

struct Gap {
  std::string_view what, counters;
  std::vector<std::string_view> opcodes;
};

const Gap kGaps[] = {
    {"copies through tensor maps",
     "smsp__inst_executed_op_tma_*, l1tex__m_*, lts__* and dram__*",
     {"UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF"}},
    {"texture and surface accesses",
     "l1tex__*_pipe_tex_*, l1tex__m_*, lts__* and dram__*",
     {"TEX", "TLD", "TLD4", "TMML", "TXD", "SULD", "SUST", "SUATOM", "SURED"}},
};

}  // namespace

std::string unrecorded(std::span<const trace::Instruction> code) {
  std::string text;
  for (const Gap& gap : kGaps) {
    std::string found;
    for (const std::string_view opcode : gap.opcodes) {
      if (std::any_of(code.begin(), code.end(), [&](const trace::Instruction& i) {
            const auto decoded = trace::decode_instruction(i.text);
            return decoded && decoded->opcode == opcode;
          })) {
        found += (found.empty() ? "" : ", ") + std::string(opcode);
      }
    }
    if (found.empty()) continue;
    text += (text.empty() ? "" : "; ") + std::string(gap.what) + " (" + found + "), missing in " +
            std::string(gap.counters);
  }
  return text;
}

}  // namespace warpmem::record
