#include "binary/cubin/code_map.hpp"

#include <algorithm>

namespace warpmem::record {

std::uint32_t CodeMap::offset_of(std::uint32_t pc_low) const {
  for (const CodeRange& range : ranges) {
    const std::uint32_t from_start = pc_low - static_cast<std::uint32_t>(range.pc);
    if (from_start < range.size) return range.offset + from_start;
  }
  return kForeignPc;
}

bool CodeMap::is_reduction(std::uint32_t offset) const {
  return std::binary_search(reductions.begin(), reductions.end(), offset);
}

void CodeMap::learn(std::uint32_t offset, const trace::DecodedLine& line, bool in_kernel) {
  const trace::SassInstruction* const in = line.sass();
  if (!in) return;
  if (record::is_reduction(*in))
    reductions.push_back(offset);  // instructions come in ascending order
  if (!in_kernel) return;          // a callee's stack pointer is another
  if (const auto at = frame_offset(*in)) frame_offsets[offset] = *at;
}

std::optional<std::uint32_t> frame_offset(const trace::SassInstruction& in) {
  using trace::Opcode;
  using trace::SassOperand;
  constexpr std::uint16_t kStackPointer = 1;  // R1
  if (in.opcode != Opcode::kLDL && in.opcode != Opcode::kSTL) return std::nullopt;
  const auto at = std::find_if(in.operands.begin(), in.operands.end(), [](const SassOperand& o) {
    return o.kind == SassOperand::Kind::kMemory && o.base == kStackPointer &&
           o.uniform == trace::kNoRegister && !o.wide;
  });
  if (at == in.operands.end()) return std::nullopt;
  return static_cast<std::uint32_t>(at->value);
}

bool is_reduction(const trace::SassInstruction& in) {
  return in.opcode == trace::Opcode::kRED || in.opcode == trace::Opcode::kREDG;
}

}  // namespace warpmem::record
