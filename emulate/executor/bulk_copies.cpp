#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulate/executor/atomic_values.hpp"
#include "emulate/executor/bulk.hpp"
#include "emulate/executor/bulk_copies.hpp"
#include "emulate/executor/faults.hpp"
#include "emulate/executor/lane_extent.hpp"

namespace warpmem::emulate {
namespace {

Mbarrier load_barrier(std::uint64_t at) {
  std::uint64_t v;
  std::memcpy(&v, reinterpret_cast<const void*>(at), 8);
  return Mbarrier::unpack(v);
}
void store_barrier(std::uint64_t at, const Mbarrier& b) {
  const std::uint64_t v = b.pack();
  std::memcpy(reinterpret_cast<void*>(at), &v, 8);
}

}  // namespace

void map_address(const Inst& in, std::byte* frame, std::uint32_t mask) {
  const auto* rank = reinterpret_cast<const std::uint32_t*>(frame + in.b);
  const bool wide = (in.sub & 15) == 8, shared = in.sub & 16;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    const std::uint64_t a = wide ? reinterpret_cast<const std::uint64_t*>(frame + in.a)[l]
                                 : reinterpret_cast<const std::uint32_t*>(frame + in.a)[l];
    const std::uint64_t window = shared ? 0 : kSharedWindow;
    const std::uint64_t r = window + ((a - window) & ((1u << kRankShift) - 1)) +
                            ((std::uint64_t{rank[l]} + 1) << kRankShift);
    if (wide) reinterpret_cast<std::uint64_t*>(frame + in.d)[l] = r;
    else reinterpret_cast<std::uint32_t*>(frame + in.d)[l] = static_cast<std::uint32_t>(r);
  }
}

void BulkCopies::mbarrier(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                          std::uint32_t mask) {
  const Access& a = code_of(warp, part).accesses[in.extra];
  const auto op = static_cast<MbarrierOp>(in.sub & 15);
  if (op == MbarrierOp::kPendingCount) {
    for (std::uint32_t l = 0; l < 32; ++l)
      if (mask >> l & 1)
        reinterpret_cast<std::uint32_t*>(frame + in.d)[l] =
            Mbarrier::unpack(reinterpret_cast<const std::uint64_t*>(frame + in.a)[l]).pending;
    return;
  }
  Lanes at;
  addresses(a, frame, at);
  own_shared(run_, a, at);
  if (a.space == Space::kGeneric)
    for (std::uint64_t& v : at) v -= kSharedWindow;
  memory_unit_.resolve(warp, in, mask, trace::Space::kShared, 8, "mbarrier access", at);
  std::uint32_t in_vain = 0;
  const auto* values =
      in.a == kNoOffset ? nullptr : reinterpret_cast<const std::uint32_t*>(frame + in.a);
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    Mbarrier b = load_barrier(at[l]);
    const std::uint32_t v = values && op != MbarrierOp::kTest ? values[l] : 1;
    switch (op) {
      case MbarrierOp::kInit: b = {v, v, false, 0}; break;
      case MbarrierOp::kInvalidate: b = {}; break;
      case MbarrierOp::kArriveDrop:
        b.count -= std::min(b.count, in.sub & 16 ? 1 : v);
        [[fallthrough]];
      case MbarrierOp::kArrive:
        if (in.d != kNoOffset) reinterpret_cast<std::uint64_t*>(frame + in.d)[l] = b.pack();
        if (in.sub & 16) b.bytes += static_cast<std::int32_t>(v);
        b.arrive(in.sub & 16 ? 1 : v);
        break;
      case MbarrierOp::kComplete: b.bytes -= static_cast<std::int32_t>(v), b.settle(); break;
      case MbarrierOp::kExpect: b.bytes += static_cast<std::int32_t>(v); break;
      default: {
        const bool phase =
            op == MbarrierOp::kTest
                ? Mbarrier::unpack(reinterpret_cast<const std::uint64_t*>(frame + in.a)[l]).parity
                : (v & 1) != 0;
        auto& p = *reinterpret_cast<std::uint32_t*>(frame + in.d2);
        p = (p & ~(1u << l)) | static_cast<std::uint32_t>(b.parity != phase)
                                   << l;  // that phase is over
        in_vain |= static_cast<std::uint32_t>(b.parity == phase);
        if (b.parity != phase && run_.options.report) run_.cta->check.barrier();
        continue;
      }
    }
    store_barrier(at[l], b);
  }
  warp.waits += in_vain;
}

// The copy is done at once, lane by lane; its bytes count towards the mbarrier right away.
void BulkCopies::bulk_copy(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                           std::uint32_t mask) {
  const Code& code = code_of(warp, part);
  const Access& read = code.accesses[in.extra];
  if (in.sub == kBulkPrefetch) return bulk_prefetch(warp, in, code, frame, mask);
  const Access& write = code.accesses[in.extra + 1];
  Lanes from, to, barrier;
  addresses(read, frame, from);
  addresses(write, frame, to);
  own_shared(run_, read, from), own_shared(run_, write, to);
  if (in.sub & 1) {
    addresses(code.accesses[in.extra + 2], frame, barrier);
    own_shared(run_, code.accesses[in.extra + 2], barrier);
  }
  const auto* bytes = reinterpret_cast<const std::uint32_t*>(frame + in.a);
  const trace::Space source = read.space == Space::kGlobal ? trace::Space::kGlobal
                                                           : trace::Space::kShared,
                     target = write.space == Space::kGlobal ? trace::Space::kGlobal
                                                            : trace::Space::kShared;
  if (target == trace::Space::kGlobal && write.op != trace::Op::kBulkReduction)
    mask = makers_of_copies(mask, [&](std::uint32_t a, std::uint32_t b) {
      return from[a] == from[b] && to[a] == to[b] && bytes[a] == bytes[b];
    });
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1) || bytes[l] == 0) continue;
    const std::uint32_t lane = 1u << l, n = bytes[l];
    if (n % 16)
      fault(run_, warp, in, l,
            fmt::format("a bulk copy of {} bytes: it must be a multiple of 16", n),
            "round the size up, and pad the arrays, or copy the rest with plain loads and stores");
    bool begun = false;
    recorder_.record_piece(
        warp, in, code, trace::Op::kBulkRead, source, n, l,
        source == trace::Space::kShared ? traced_shared(run_, read, from[l]) : from[l], begun);
    const auto arrive_at = [&](const Lanes& place, const Lanes& counter) {
      const std::uint64_t owner =
          target == trace::Space::kShared ? place[l] >> kRankShift : 0;  // one more than its rank
      recorder_.record_piece(
          warp, in, code, write.op,
          owner != 0 && owner != run_.cta->rank + 1u ? trace::Space::kRemoteShared : target, n, l,
          target == trace::Space::kShared ? traced_shared(run_, write, place[l]) : place[l], begun);
      Lanes a, b;
      std::memcpy(a, from, sizeof a), std::memcpy(b, place, sizeof b);
      memory_unit_.resolve(warp, in, lane, source, n, "bulk read", a);
      memory_unit_.resolve(warp, in, lane, target, n, "bulk write", b);
      if (write.op == trace::Op::kBulkReduction) reduce_bytes(write, target, a[l], b[l], n);
      else std::memmove(reinterpret_cast<void*>(b[l]), reinterpret_cast<const void*>(a[l]), n);
      if (in.sub & 1) complete_bytes(warp, in, l, counter, n);
    };
    if (in.b == kNoOffset) {
      arrive_at(to, barrier);
      continue;
    }
    // Multicast: the same place of each CTA named, and its mbarrier.
    const std::uint32_t targets = reinterpret_cast<const std::uint16_t*>(frame + in.b)[l];
    for (std::uint32_t rank = 0; rank < run_.cluster_size; ++rank) {
      if (!(targets >> rank & 1)) continue;
      Lanes c, d;
      std::memcpy(c, to, sizeof c), std::memcpy(d, barrier, sizeof d);
      for (Lanes* v : {&c, &d})
        if (rank != run_.cta->rank || (*v)[l] >> kRankShift != 0)
          (*v)[l] = ((*v)[l] & ((1u << kRankShift) - 1)) | (std::uint64_t{rank} + 1) << kRankShift;
      arrive_at(c, d);
    }
  }
}

// To the L2, which is not emulated: records alone.
void BulkCopies::bulk_prefetch(Warp& warp, const Inst& in, const Code& code, std::byte* frame,
                               std::uint32_t mask) {
  const auto* bytes = reinterpret_cast<const std::uint32_t*>(frame + in.a);
  Lanes at;
  addresses(code.accesses[in.extra], frame, at);
  for (std::uint32_t l = 0; l < 32; ++l)
    if ((mask >> l & 1) && bytes[l] > 0)
      recorder_.record(warp, in, code, trace::Op::kPrefetch, trace::Space::kGlobal, bytes[l],
                       1u << l, at);
}

void BulkCopies::async_store(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                             std::uint32_t mask) {
  const Code& code = code_of(warp, part);
  const Access &a = code.accesses[in.extra], &b = code.accesses[in.extra + 1];
  Lanes to, barrier;
  addresses(a, frame, to);
  addresses(b, frame, barrier);
  own_shared(run_, a, to), own_shared(run_, b, barrier);
  memory_unit_.space_access(warp, part, in, a, frame, mask, trace::Space::kShared, to);
  for (std::uint32_t l = 0; l < 32; ++l)
    if (mask >> l & 1) complete_bytes(warp, in, l, barrier, a.bytes());
}

// Bytes of an asynchronous copy arrive at the mbarrier of lane l.
void BulkCopies::complete_bytes(Warp& warp, const Inst& in, std::uint32_t l, const Lanes& barrier,
                                std::uint32_t bytes) {
  Lanes c;
  std::memcpy(c, barrier, sizeof c);
  memory_unit_.resolve(warp, in, 1u << l, trace::Space::kShared, 8, "mbarrier access", c);
  Mbarrier m = load_barrier(c[l]);
  m.bytes -= static_cast<std::int32_t>(bytes);
  m.settle();
  store_barrier(c[l], m);
}

void rank_of(const Running& run, const Inst& in, std::byte* frame, std::uint32_t mask) {
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    const std::uint64_t a =
        in.sub == 8 ? reinterpret_cast<const std::uint64_t*>(frame + in.a)[l] - kSharedWindow
                    : reinterpret_cast<const std::uint32_t*>(frame + in.a)[l];
    const auto rank = static_cast<std::uint32_t>(a >> kRankShift);
    reinterpret_cast<std::uint32_t*>(frame + in.d)[l] = rank ? rank - 1 : run.cta->rank;
  }
}

}  // namespace warpmem::emulate
