#include "emulate/sass/warp_handlers.hpp"

#include <bit>

#include "emulate/executor/bulk.hpp"
#include "emulate/executor/warp_operation.hpp"
#include "emulate/executor/warp_values.hpp"

namespace warpmem::emulate {
namespace {

void carry_out(Inst in, Kind kind, std::byte* frame, std::uint32_t mask) {
  in.kind = kind;
  warp_operation(in, frame, mask, mask);
}

}  // namespace

void vote_lanes(std::byte* frame, const Inst& in, std::uint32_t mask) {
  std::uint32_t p = *reinterpret_cast<const std::uint32_t*>(frame + in.a);
  if (in.negate_c) p = ~p;
  p &= mask;
  const std::uint32_t to = in.sub & 16 ? ~0u : mask;
  if (in.d != kNoOffset) put_lanes(frame, in.d, to, p);
  if (in.d2 == kNoOffset) return;
  const std::uint32_t how = in.sub & 3;
  put_predicate(frame, in.d2, to, how == 0 ? p == mask : how == 1 ? p != 0 : p == mask || p == 0);
}

void shuffle_lanes(std::byte* frame, const Inst& in, std::uint32_t mask) {
  carry_out(in, Kind::kShuffle, frame, mask);
}
void match_lanes(std::byte* frame, const Inst& in, std::uint32_t mask) {
  carry_out(in, Kind::kMatch, frame, mask);
}
void reduce_lanes(std::byte* frame, const Inst& in, std::uint32_t mask) {
  carry_out(in, Kind::kReduceSync, frame, mask);
  first_lane_to_all(
      frame,
      [&] {
        Inst all = in;
        all.a = in.d;
        return all;
      }(),
      mask);
}
void elect_lane(std::byte* frame, const Inst& in, std::uint32_t mask) {
  const auto leader = static_cast<std::uint32_t>(std::countr_zero(mask));
  put_lanes(frame, in.d, ~0u, leader);
  if (in.d2 == kNoOffset) return;
  auto& p = *reinterpret_cast<std::uint32_t*>(frame + in.d2);
  p = (p & ~mask) | (1u << leader);
}
void first_lane_alone(std::byte* frame, const Inst& in, std::uint32_t mask) {
  *reinterpret_cast<std::uint32_t*>(frame + in.d) = mask & (0 - mask);
}
void first_lane_to_all(std::byte* frame, const Inst& in, std::uint32_t mask) {
  const auto* a = reinterpret_cast<const std::uint32_t*>(frame + in.a);
  put_lanes(frame, in.d, ~0u, a[std::countr_zero(mask)]);
}
void first_lane_and_others(std::byte* frame, const Inst& in, std::uint32_t mask) {
  const auto* a = reinterpret_cast<const std::uint32_t*>(frame + in.a);
  auto& p = *reinterpret_cast<std::uint32_t*>(frame + in.d2);
  const std::uint32_t first = a[std::countr_zero(mask)];
  std::uint32_t others = in.sub ? p & mask : 0;
  for (std::uint32_t l = 0; l < 32; ++l)
    others |= static_cast<std::uint32_t>((mask >> l & 1) != 0 && a[l] != first) << l;
  p = (p & ~mask) | others;
  put_lanes(frame, in.d, ~0u, first);
}
void state_of_mbarrier(std::byte* frame, const Inst& in, std::uint32_t mask) {
  const auto* state = reinterpret_cast<const std::uint64_t*>(frame + in.a);
  auto* low = reinterpret_cast<std::uint32_t*>(frame + in.d);
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    const Mbarrier b = Mbarrier::unpack(state[l]);
    low[l] = 0;
    low[l + 32] = static_cast<std::uint32_t>(b.parity) << 31 | ((1u << 20) - b.pending) << 11;
  }
}

}  // namespace warpmem::emulate
