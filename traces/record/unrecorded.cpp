#include "traces/record/unrecorded.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "isa/sass/instruction.hpp"

namespace warpmem::record {
namespace {

struct Gap {
  std::string_view what;
  std::vector<std::string_view> counters, opcodes;
};

const Gap kGaps[] = {
    {"copies through tensor maps",
     {"smsp__inst_executed_op_tma_*", "l1tex__m_*", "lts__*", "dram__*"},
     {"UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF"}},
    {"prefetches by the copy engine",
     {"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "lts__t_sectors_srcunit_ltcfabric.sum"},
     {"UBLKPF"}},
    {"texture and surface accesses",
     {"l1tex__*_pipe_tex_*", "l1tex__m_*", "lts__*", "dram__*"},
     {"TEX", "TLD", "TLD4", "TMML", "TXD", "SULD", "SUST", "SUATOM", "SURED"}},
};

// The gap's opcodes that are in the code: "TEX, TLD".
std::string found_in(std::span<const trace::Instruction> code, const Gap& gap) {
  std::string found;
  for (const std::string_view opcode : gap.opcodes)
    if (std::ranges::any_of(code, [&](const trace::Instruction& i) {
          const auto decoded = trace::decode_instruction(i.text);
          return decoded && decoded->opcode == opcode;
        }))
      found += (found.empty() ? "" : ", ") + std::string(opcode);
  return found;
}

}  // namespace

std::string unrecorded(std::span<const trace::Instruction> code) {
  std::string text;
  for (const Gap& gap : kGaps) {
    const std::string found = found_in(code, gap);
    if (found.empty()) continue;
    text += (text.empty() ? "" : "; ") + std::string(gap.what) + " (" + found + "), missing in ";
    for (std::size_t i = 0; i < gap.counters.size(); ++i)
      text += (i == 0                         ? ""
               : i + 1 == gap.counters.size() ? " and "
                                              : ", ") +
              std::string(gap.counters[i]);
  }
  return text;
}

std::vector<UnrecordedCounters> unrecorded_counters(std::span<const trace::Instruction> code) {
  std::vector<UnrecordedCounters> out;
  for (const Gap& gap : kGaps)
    if (!found_in(code, gap).empty()) out.push_back({gap.what, gap.counters});
  return out;
}

}  // namespace warpmem::record
