#include "model/access/warp_lanes.hpp"

namespace warpmem::model {

void list_lines(const WarpLanes& w, std::uint32_t bytes, bool with_bytes, LineList& out,
                LineSize size) {
  if (!w.regular()) return touch_addresses(w.listed, w.active(), bytes, with_bytes, out, size);
  if (w.one_after_another(bytes))
    return touch_contiguous(w.base, std::uint64_t{kWarpLanes} * bytes, with_bytes, out, size);
  if (w.mask) {
    const int first = std::countr_zero(w.mask);
    const std::uint32_t run = w.mask >> first;
    if (w.stride == 0) return touch_contiguous(w.base, bytes, with_bytes, out, size);
    if (w.stride == static_cast<std::int32_t>(bytes) && (run & (run + 1)) == 0)
      return touch_contiguous(w.base + static_cast<std::uint64_t>(first) * bytes,
                              static_cast<std::uint64_t>(std::bit_width(run)) * bytes, with_bytes,
                              out, size);
  }
  touch_lines(expand(w, bytes), with_bytes, out, size);
}

}  // namespace warpmem::model
