#include "traces/export/traced_line.hpp"

#include <fmt/format.h>

#include <bit>
#include <vector>

namespace warpmem::exports {
namespace {

using trace::RegisterFile;
using trace::RegisterRange;

std::string list_of(const std::vector<RegisterRange>& ranges) {
  std::string out;
  int count = 0;
  for (const RegisterRange& r : ranges) {
    if (r.file != RegisterFile::kGeneral) continue;
    out += fmt::format(" R{}", r.first);
    ++count;
  }
  return fmt::format("{}{}", count, out);
}

}  // namespace

LineText text_of(const trace::SassInstruction& in) {
  return {fmt::format("{} {} {}", list_of(in.destinations), in.mnemonic, list_of(in.sources)),
          in.kind == trace::InstructionKind::kAsyncCopy};
}

LineText text_of(const trace::Site& site) {
  using trace::Op;
  const bool global = site.space == trace::Space::kGlobal;
  const char* const space = global                                ? "G"
                            : site.space == trace::Space::kShared ? "S"
                            : site.space == trace::Space::kLocal  ? "L"
                                                                  : "";
  const std::string width = site.bytes > 4    ? fmt::format(".{}", 8 * site.bytes)
                            : site.bytes == 2 ? ".U16"
                            : site.bytes == 1 ? ".U8"
                                              : "";
  const char* const extended = global ? ".E" : "";
  switch (site.op) {
    case Op::kStore: return {fmt::format("0 ST{}{}{} 2 R2 R0", space, extended, width), false};
    case Op::kAtomic: return {fmt::format("1 R0 ATOM{}{}.ADD 2 R2 R4", space, extended), false};
    case Op::kReduction: return {fmt::format("0 RED{}.ADD 2 R2 R4", extended), false};
    case Op::kAsyncCopyRead: return {fmt::format("0 LDGSTS.E{} 2 R0 R2", width), true};
    case Op::kMatrixLoad: return {"1 R0 LDSM.16.M88.4 1 R2", false};
    default: return {fmt::format("1 R0 LD{}{}{} 1 R2", space, extended, width), false};
  }
}

std::string addresses_of(const trace::Record& record, std::span<const std::uint64_t> lanes,
                         std::uint64_t offset) {
  std::vector<std::uint64_t> all;
  std::size_t next = 0;
  for (std::uint32_t left = record.mask; left; left &= left - 1) {
    const auto lane = static_cast<std::uint64_t>(std::countr_zero(left));
    all.push_back(offset + (record.regular() ? record.base + lane * static_cast<std::uint64_t>(
                                                                        std::int64_t{record.stride})
                                             : lanes[record.lanes + next++]));
  }
  const std::uint32_t run = record.mask >> std::countr_zero(record.mask);
  if (record.regular() && (run & (run + 1)) == 0)
    return fmt::format("1 {:#x} {}", all.front(), all.size() > 1 ? record.stride : 0);
  std::string out = fmt::format("2 {:#x}", all.front());
  for (std::size_t i = 1; i < all.size(); ++i)
    out += fmt::format(" {}", static_cast<std::int64_t>(all[i] - all[i - 1]));
  return out;
}

}  // namespace warpmem::exports
