#include "traces/record/unrecorded.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace warpmem::record {
namespace {

using O = trace::Opcode;

struct Gap {
  std::string_view what;
  std::vector<std::string_view> counters;
  std::vector<trace::Opcode> opcodes;
};

const Gap kGaps[] = {
    {"copies through tensor maps",
     {"smsp__inst_executed_op_tma_*", "l1tex__m_*", "lts__*", "dram__*"},
     {O::kUTMALDG, O::kUTMASTG, O::kUTMAREDG, O::kUTMAPF}},
    {"prefetches by the copy engine",
     {"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "lts__t_sectors_srcunit_ltcfabric.sum"},
     {O::kUBLKPF}},
    {"texture and surface accesses",
     {"l1tex__*_pipe_tex_*", "l1tex__m_*", "lts__*", "dram__*"},
     {O::kTEX, O::kTLD, O::kTLD4, O::kTMML, O::kTXD, O::kSULD, O::kSUST, O::kSUATOM, O::kSURED}},
};

// The gap's opcodes that are in the code: "TEX, TLD".
std::string found_in(const std::vector<trace::DecodedLine>& code, const Gap& gap) {
  std::string found;
  for (const trace::Opcode opcode : gap.opcodes)
    if (std::ranges::any_of(code, [&](const trace::DecodedLine& l) {
          return l.sass() && l.sass()->opcode == opcode;
        }))
      found += (found.empty() ? "" : ", ") + std::string(trace::form_of(opcode).name);
  return found;
}

}  // namespace

std::string unrecorded(const std::vector<trace::DecodedLine>& code) {
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

std::vector<UnrecordedCounters> unrecorded_counters(const std::vector<trace::DecodedLine>& code) {
  std::vector<UnrecordedCounters> out;
  for (const Gap& gap : kGaps)
    if (!found_in(code, gap).empty()) out.push_back({gap.what, gap.counters});
  return out;
}

}  // namespace warpmem::record
