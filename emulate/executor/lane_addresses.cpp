#include "emulate/executor/lane_addresses.hpp"

#include <bit>
#include <limits>

namespace warpmem::emulate {

trace::Record pack_lanes(std::uint32_t mask, const std::uint64_t* lanes,
                         std::vector<std::uint64_t>& list) {
  trace::Record r;
  r.mask = mask;
  const int first = std::countr_zero(mask);
  const std::uint32_t rest = mask & (mask - 1);
  std::int64_t stride = 0;
  bool regular = true;
  if (rest != 0) {
    const int second = std::countr_zero(rest);
    const auto distance = static_cast<std::int64_t>(lanes[second] - lanes[first]);
    stride = distance / (second - first);
    regular = stride * (second - first) == distance &&
              stride >= std::numeric_limits<std::int32_t>::min() &&
              stride <= std::numeric_limits<std::int32_t>::max();
    if (regular && mask == ~0u) {
      std::uint64_t different = 0;
      for (std::uint32_t l = 0; l < 32; ++l)
        different |= lanes[l] ^ (lanes[0] + static_cast<std::uint64_t>(stride) * l);
      regular = different == 0;
    } else if (regular) {
      for (std::uint32_t left = rest; left && regular; left &= left - 1) {
        const int l = std::countr_zero(left);
        regular = lanes[l] == lanes[first] + static_cast<std::uint64_t>(stride * (l - first));
      }
    }
  }
  if (regular) {
    r.base = lanes[first] - static_cast<std::uint64_t>(stride * first);
    r.stride = static_cast<std::int32_t>(stride);
  } else {
    r.lanes = static_cast<std::uint32_t>(list.size());
    for (std::uint32_t left = mask; left; left &= left - 1)
      list.push_back(lanes[std::countr_zero(left)]);
  }
  return r;
}

}  // namespace warpmem::emulate
