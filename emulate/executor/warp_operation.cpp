#include <bit>
#include <cmath>
#include <limits>

#include "emulate/executor/warp_operation.hpp"
#include "emulate/executor/warp_values.hpp"

namespace warpmem::emulate {
namespace {

// redux.f32: the least or the greatest; a NaN loses, or wins with .NaN.
std::uint32_t reduce_floats(const float* v, std::uint32_t mask, bool least, bool absolute,
                            bool nan) {
  float r = std::numeric_limits<float>::quiet_NaN();
  bool met = false;
  for (std::uint32_t left = mask; left; left &= left - 1) {
    float x = v[std::countr_zero(left)];
    if (absolute) x = std::fabs(x);
    if (x != x) met = true;
    else if (r != r) r = x;
    else if (least ? x < r || (x == r && std::signbit(x)) : x > r || (x == r && !std::signbit(x)))
      r = x;
  }
  if ((met && nan) || r != r) return 0x7fffffffu;
  return std::bit_cast<std::uint32_t>(r);
}

void elect(const Inst& in, std::byte* frame, std::uint32_t members, std::uint32_t mask) {
  const auto leader = static_cast<std::uint32_t>(std::countr_zero(members & mask));
  if (in.d != kNoOffset) put_lanes(frame, in.d, mask, leader);
  auto& p = *reinterpret_cast<std::uint32_t*>(frame + in.d2);
  p = (p & ~mask) | (1u << leader);
}

void vote(const Inst& in, std::byte* frame, std::uint32_t mask) {
  std::uint32_t p = *reinterpret_cast<const std::uint32_t*>(frame + in.a);
  if (in.negate_c) p = ~p;
  p &= mask;
  if (in.sub == 3) return put_lanes(frame, in.d, mask, p);
  put_predicate(frame, in.d, mask,
                in.sub == 0   ? p == mask
                : in.sub == 1 ? p != 0
                              : p == mask || p == 0);
}

void match(const Inst& in, std::byte* frame, std::uint32_t mask) {
  const bool wide = in.sub >> 8 == 8;
  const auto value = [&](std::uint32_t l) {
    return wide ? reinterpret_cast<const std::uint64_t*>(frame + in.a)[l]
                : reinterpret_cast<const std::uint32_t*>(frame + in.a)[l];
  };
  std::uint32_t same[32] = {};
  bool all = true;
  for (std::uint32_t l = 0; l < 32; ++l)
    for (std::uint32_t k = 0; k < 32; ++k)
      if ((mask >> l & 1) && (mask >> k & 1))
        value(l) == value(k) ? same[l] |= 1u << k : all = false;
  for (std::uint32_t l = 0; l < 32; ++l)
    if (mask >> l & 1)
      reinterpret_cast<std::uint32_t*>(frame + in.d)[l] = in.sub & 1 ? (all ? mask : 0) : same[l];
  if (in.d2 != kNoOffset) put_predicate(frame, in.d2, mask, all);
}

void reduce(const Inst& in, std::byte* frame, std::uint32_t mask) {
  if (in.sub & 32)
    return put_lanes(frame, in.d, mask,
                     reduce_floats(reinterpret_cast<const float*>(frame + in.a), mask,
                                   (in.sub & 15) == 1, in.sub & 64, in.sub & 128));
  const auto* a = reinterpret_cast<const std::uint32_t*>(frame + in.a);
  std::uint32_t r = a[std::countr_zero(mask)];
  for (std::uint32_t left = mask & (mask - 1); left; left &= left - 1) {
    const std::uint32_t v = a[std::countr_zero(left)];
    const bool less =
        in.sub & 16 ? static_cast<std::int32_t>(v) < static_cast<std::int32_t>(r) : v < r;
    switch (in.sub & 15) {
      case 0: r += v; break;
      case 1: r = less ? v : r; break;
      case 2: r = less ? r : v; break;
      case 3: r &= v; break;
      case 4: r |= v; break;
      default: r ^= v;
    }
  }
  put_lanes(frame, in.d, mask, r);
}

void shuffle(const Inst& in, std::byte* frame, std::uint32_t mask) {
  // shfl: c = clamp | segment mask << 8.
  const auto* a = reinterpret_cast<const std::uint32_t*>(frame + in.a);
  const auto* by = reinterpret_cast<const std::uint32_t*>(frame + in.b);
  const auto* c = reinterpret_cast<const std::uint32_t*>(frame + in.c);
  std::uint32_t result[32], inside = 0;
  for (std::uint32_t l = 0; l < 32; ++l) {
    const std::uint32_t segment = c[l] >> 8 & 31, clamp = c[l] & 31, n = by[l] & 31;
    const std::uint32_t first = l & segment, last = (l & segment) | (clamp & ~segment);
    std::uint32_t from = l;
    bool ok = true;
    switch (in.sub) {
      case 0:
        ok = static_cast<std::int32_t>(l - n) >= static_cast<std::int32_t>(last);
        from = l - n;
        break;
      case 1:
        ok = l + n <= last;
        from = l + n;
        break;
      case 2:
        ok = (l ^ n) <= last;
        from = l ^ n;
        break;
      default:
        from = first | (n & ~segment);
        ok = from <= last;
        break;
    }
    if (!ok) from = l;
    inside |= static_cast<std::uint32_t>(ok) << l;
    result[l] = a[from & 31];
  }
  auto* d = reinterpret_cast<std::uint32_t*>(frame + in.d);
  for (std::uint32_t l = 0; l < 32; ++l)
    if (mask >> l & 1) d[l] = result[l];
  if (in.d2 != kNoOffset) {
    auto& p = *reinterpret_cast<std::uint32_t*>(frame + in.d2);
    p = (p & ~mask) | (inside & mask);
  }
}

}  // namespace

void warp_operation(const Inst& in, std::byte* frame, std::uint32_t members, std::uint32_t mask) {
  switch (in.kind) {
    case Kind::kElect: return elect(in, frame, members, mask);
    case Kind::kVote: return vote(in, frame, mask);
    case Kind::kMatch: return match(in, frame, mask);
    case Kind::kReduceSync: return reduce(in, frame, mask);
    default: return shuffle(in, frame, mask);
  }
}

}  // namespace warpmem::emulate
