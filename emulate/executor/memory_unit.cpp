#include "emulate/executor/memory_unit.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulate/executor/atomic_values.hpp"
#include "emulate/executor/faults.hpp"
#include "emulate/executor/lane_extent.hpp"
#include "emulate/executor/lane_rows.hpp"
#include "emulate/executor/waits.hpp"

namespace warpmem::emulate {
namespace {

using trace::Op;

trace::Space trace_space(Space s) {
  switch (s) {
    case Space::kShared: return trace::Space::kShared;
    case Space::kLocal: return trace::Space::kLocal;
    case Space::kConst: return trace::Space::kConstant;
    default: return trace::Space::kGlobal;
  }
}

// Exchanges and compare-and-swaps. True: nobody changed anything, as when all lanes want a lock
// that another one has.
bool in_vain(const Access& a, trace::Space space, std::byte* frame, std::uint32_t mask,
             const Lanes& host) {
  std::byte before[32][16];
  const std::uint32_t bytes = a.bytes();
  for (std::uint32_t l = 0; l < 32; ++l)
    if (mask >> l & 1) std::memcpy(before[l], reinterpret_cast<const void*>(host[l]), bytes);
  atomics(a, space, frame, mask, host);
  for (std::uint32_t l = 0; l < 32; ++l)
    if ((mask >> l & 1) &&
        std::memcmp(before[l], reinterpret_cast<const void*>(host[l]), bytes) != 0)
      return false;
  return true;
}

}  // namespace

void MemoryUnit::access(Warp& warp, const Part& part, const Inst& in, const Access& a,
                        std::byte* frame, std::uint32_t mask) {
  Lanes lanes;
  if (a.waits && a.op == Op::kLoad && !run_.turns)
    ++warp.waits, warp.far_waits += a.space != Space::kShared;
  addresses(a, frame, lanes);
  own_shared(run_, a, lanes);
  if (a.space != Space::kGeneric)
    return space_access(warp, part, in, a, frame, mask, trace_space(a.space), lanes);
  // The address decides: shared window, local window, or global.
  const auto inside = [](std::uint64_t at, std::uint64_t window) {
    return at - window < kWindowBytes;
  };
  const Extent extent = extent_of(lanes, mask);
  if (extent.high < std::min(kSharedWindow, kLocalWindow))
    return space_access(warp, part, in, a, frame, mask, trace::Space::kGlobal, lanes);
  std::uint32_t shared = 0, local = 0;
  each_lane(mask, [&](std::uint32_t l) {
    shared |= static_cast<std::uint32_t>(inside(lanes[l], kSharedWindow)) << l;
    local |= static_cast<std::uint32_t>(inside(lanes[l], kLocalWindow)) << l;
  });
  const auto some = [&](std::uint32_t who, trace::Space space, std::uint64_t window) {
    if (!who) return;
    Lanes copy;
    for (std::uint32_t l = 0; l < 32; ++l) copy[l] = lanes[l] - window;
    if (a.machine && space == trace::Space::kShared)
      own_shared(a, run_.cta->rank, run_.cluster_size, copy);
    space_access(warp, part, in, a, frame, who, space, copy);
  };
  some(mask & ~shared & ~local, trace::Space::kGlobal, 0);
  some(mask & shared, trace::Space::kShared, kSharedWindow);
  some(mask & local, trace::Space::kLocal, kLocalWindow);
}

// A CTA's own shared memory by way of the cluster's window is local all the same.
void MemoryUnit::record_access(Warp& warp, const Part& part, const Inst& in, const Access& a,
                               std::uint32_t mask, trace::Space space, const Lanes& lanes) {
  const Code& code = code_of(warp, part);
  if (a.machine && space == trace::Space::kLocal && a.reserved) return;  // a spilled register
  if (space != trace::Space::kShared) {
    recorder_.record(warp, in, code, a.op, space, a.bytes(), mask, lanes);
    return;
  }
  std::uint32_t remote = 0;
  Lanes own;
  for (std::uint32_t l = 0; l < 32; ++l) {
    const std::uint64_t rank = lanes[l] >> kRankShift;
    own[l] = rank == run_.cta->rank + 1u ? lanes[l] & ((1u << kRankShift) - 1) : lanes[l];
    remote |= static_cast<std::uint32_t>((mask >> l & 1) && own[l] >> kRankShift != 0) << l;
  }
  Lanes away;
  for (std::uint32_t l = 0; l < 32; ++l) {
    away[l] = traced_shared(run_, a, lanes[l]);
    if (a.machine) own[l] = traced_shared(run_, a, own[l]);
  }
  if (mask & ~remote) recorder_.record(warp, in, code, a.op, space, a.bytes(), mask & ~remote, own);
  if (remote)
    recorder_.record(warp, in, code, a.op, trace::Space::kRemoteShared, a.bytes(), remote, away);
}

void MemoryUnit::space_access(Warp& warp, const Part& part, const Inst& in, const Access& a,
                              std::byte* frame, std::uint32_t mask, trace::Space space,
                              Lanes& lanes) {
  const std::uint32_t bytes = a.bytes();
  // Its own memory tells a thread nothing new.
  if (run_.turns && !a.waits && (space == trace::Space::kGlobal || space == trace::Space::kShared))
    warp.looks.clear(), warp.in_vain = false;
  if (a.op == Op::kPrefetch) {
    if (space == trace::Space::kGlobal)
      recorder_.record(warp, in, code_of(warp, part), a.op, space, 0, mask, lanes);
    return;
  }
  if (run_.traced()) record_access(warp, part, in, a, mask, space, lanes);
  const bool load = a.op == Op::kLoad, store = a.op == Op::kStore;
  if (!load && space == trace::Space::kGlobal) require_no_parameter(warp, in, mask, lanes);
  resolve(warp, in, mask, space, bytes,
          load    ? "load"
          : store ? "store"
                  : "atomic",
          lanes,
          load    ? Touch::kRead
          : store ? Touch::kWrite
                  : Touch::kOther);
  if (load) {
    for (std::uint32_t i = 0; i < a.elements; ++i)
      if (a.values[i] != kNoOffset)
        load_element(a.type, frame + a.values[i], a.value_bytes[i], lanes, mask,
                     i * a.element_bytes);
    if (run_.turns && a.waits && looks_again(warp, in, mask, bytes, lanes)) ++warp.waits;
    return;
  }
  if (store) {
    if (space == trace::Space::kConstant)
      fault(run_, warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)),
            "a store to constant memory", "copy it there from the host, with cudaMemcpyToSymbol");
    for (std::uint32_t i = 0; i < a.elements; ++i)
      store_element(a.type, frame + a.values[i], a.value_bytes[i], lanes, mask, i * a.element_bytes,
                    bytes);
    return;
  }
  if (!a.waits) {
    atomics(a, space, frame, mask, lanes);
  } else if (!in_vain(a, space, frame, mask, lanes)) {
    warp.looks.clear(), warp.in_vain = false;
  } else if (!run_.turns || looks_again(warp, in, mask, bytes, lanes)) {
    ++warp.waits, warp.far_waits += a.space != Space::kShared;
  }
}

void MemoryUnit::param_load(const Inst& in, const Access& a, std::byte* frame,
                            std::uint32_t mask) const {
  Lanes host;
  const auto offset = static_cast<std::uint64_t>(a.offset);
  if (a.base == kNoOffset) {  // the kernel's own: every lane's
    const Memory& memory = run_.memory;
    std::fill_n(host, 32,
                reinterpret_cast<std::uint64_t>(memory.host(memory.param_base())) + offset);
  } else {
    const std::uint64_t base = reinterpret_cast<std::uint64_t>(frame + a.base) + offset;
    for (std::uint32_t l = 0; l < 32; ++l) host[l] = base + std::uint64_t{l} * in.sub;
  }
  for (std::uint32_t i = 0; i < a.elements; ++i)
    if (a.values[i] != kNoOffset)
      load_element(a.type, frame + a.values[i], a.value_bytes[i], host, mask, i * a.element_bytes);
}

void MemoryUnit::param_store(const Inst& in, const Access& a, std::byte* frame,
                             std::uint32_t mask) {
  Lanes host;
  for (std::uint32_t l = 0; l < 32; ++l)
    host[l] = reinterpret_cast<std::uint64_t>(frame + a.base) +
              static_cast<std::uint64_t>(a.offset) + std::uint64_t{l} * in.sub;
  for (std::uint32_t i = 0; i < a.elements; ++i)
    store_element(a.type, frame + a.values[i], a.value_bytes[i], host, mask, i * a.element_bytes,
                  a.bytes());
}

// Done at once: nothing may read the destination before the wait, nor change the source.
void MemoryUnit::async_copy(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                            std::uint32_t mask) {
  const Code& code = code_of(warp, part);
  const Access& read = code.accesses[in.extra];
  const Access& write = code.accesses[in.extra + 1];
  const std::uint32_t bytes = read.element_bytes;
  Lanes from, to;
  addresses(read, frame, from);
  addresses(write, frame, to);
  const auto* limits =
      in.a == kNoOffset ? nullptr : reinterpret_cast<const std::uint32_t*>(frame + in.a);
  const std::uint32_t ignored =
      in.b == kNoOffset ? 0 : *reinterpret_cast<const std::uint32_t*>(frame + in.b);
  std::uint32_t reads = mask & ~ignored;
  for (std::uint32_t l = 0; l < 32 && limits; ++l)
    if (limits[l] == 0) reads &= ~(1u << l);
  if (reads)
    recorder_.record(warp, in, code, Op::kAsyncCopyRead, trace::Space::kGlobal, bytes, reads, from);
  recorder_.record(warp, in, code, Op::kAsyncCopyWrite, trace::Space::kShared, bytes, mask, to);
  own_shared(run_, write, to);
  if (reads)
    resolve(warp, in, reads, trace::Space::kGlobal, bytes, "asynchronous read", from, Touch::kRead);
  resolve(warp, in, mask, trace::Space::kShared, bytes, "asynchronous write", to);
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    const std::uint32_t n = !(reads >> l & 1) ? 0 : limits ? std::min(bytes, limits[l]) : bytes;
    auto* d = reinterpret_cast<std::byte*>(to[l]);
    if (n) std::memcpy(d, reinterpret_cast<const std::byte*>(from[l]), n);
    std::memset(d + n, 0, bytes - n);
  }
}

}  // namespace warpmem::emulate
