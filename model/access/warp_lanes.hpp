// The lanes of one warp access: who takes part, and at which addresses. The trace's records are
// read through it, so that the model knows no trace.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "model/access/access.hpp"

namespace warpmem::model {

struct WarpLanes {
  std::uint32_t mask = 0;   // active lanes
  std::int32_t stride = 0;  // bytes: lane l has address base + l * stride, where nothing is listed
  std::uint64_t base = 0;
  const std::uint64_t* listed = nullptr;  // addresses of the active lanes, lowest lane first

  bool regular() const { return listed == nullptr; }
  // (std::popcount is a library call where the host's instruction may not be assumed.)
  int active() const {
    std::uint32_t n = mask - (mask >> 1 & 0x55555555u);
    n = (n & 0x33333333u) + (n >> 2 & 0x33333333u);
    return static_cast<int>(((n + (n >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
  }
  // All lanes, each on the word behind its neighbour's: what most accesses are.
  bool one_after_another(std::uint32_t bytes) const {
    return regular() && mask == ~0u && stride == static_cast<std::int32_t>(bytes);
  }
  // Of the lowest active lane.
  std::uint64_t first_address() const {
    if (!regular()) return listed[0];
    return base + static_cast<std::uint64_t>(std::int64_t{stride} * std::countr_zero(mask));
  }
};

inline WarpAccess expand(const WarpLanes& w, std::uint32_t bytes) {
  WarpAccess a;
  a.mask = w.mask;
  a.bytes = bytes;
  if (w.regular()) {
    for (int l = 0; l < kWarpLanes; ++l)
      a.address[l] = w.base + static_cast<std::uint64_t>(static_cast<std::int64_t>(w.stride) * l);
  } else if (w.mask == ~0u) {
    std::copy_n(w.listed, kWarpLanes, a.address.begin());
  } else {
    const std::uint64_t* next = w.listed;
    for (std::uint32_t rest = w.mask; rest; rest &= rest - 1)
      a.address[std::countr_zero(rest)] = *next++;
  }
  return a;
}

// Lines of an access; a run of neighbouring lanes on neighbouring words is listed without looking
// at each.
void list_lines(const WarpLanes& w, std::uint32_t bytes, bool with_bytes, LineList& out,
                LineSize size = {});

}  // namespace warpmem::model
