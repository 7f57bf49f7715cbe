#include "traces/import/lane_record.hpp"

#include <bit>
#include <limits>

namespace warpmem::imports {

trace::Record record_of(std::uint32_t mask, const std::vector<std::uint64_t>& addresses,
                        std::vector<std::uint64_t>& lanes) {
  trace::Record r;
  r.mask = mask;
  const int first = std::countr_zero(mask);
  std::int64_t stride = 0;
  if (addresses.size() > 1) {
    const int second = std::countr_zero(mask & (mask - 1));
    const auto distance = static_cast<std::int64_t>(addresses[1] - addresses[0]);
    stride = distance / (second - first);
  }
  bool regular = stride >= std::numeric_limits<std::int32_t>::min() &&
                 stride <= std::numeric_limits<std::int32_t>::max();
  std::size_t i = 0;
  for (std::uint32_t left = mask; left && regular; left &= left - 1, ++i)
    regular = addresses[i] ==
              addresses[0] + static_cast<std::uint64_t>(stride * (std::countr_zero(left) - first));
  if (regular) {
    r.base = addresses[0] - static_cast<std::uint64_t>(stride * first);
    r.stride = static_cast<std::int32_t>(stride);
    return r;
  }
  r.lanes = static_cast<std::uint32_t>(lanes.size());
  lanes.insert(lanes.end(), addresses.begin(), addresses.end());
  return r;
}

std::optional<trace::Op> op_of(trace::InstructionKind kind) {
  using trace::InstructionKind;
  using trace::Op;
  switch (kind) {
    case InstructionKind::kLoad: return Op::kLoad;
    case InstructionKind::kStore: return Op::kStore;
    case InstructionKind::kAtomic: return Op::kAtomic;
    case InstructionKind::kReduction: return Op::kReduction;
    case InstructionKind::kMatrixLoad: return Op::kMatrixLoad;
    case InstructionKind::kMatrixStore: return Op::kMatrixStore;
    case InstructionKind::kPrefetch: return Op::kPrefetch;
    default: return std::nullopt;
  }
}

}  // namespace warpmem::imports
