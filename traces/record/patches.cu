// Device code that the patching API puts in front of every instruction of interest. Compiled with
// nvcc --fatbin --compile-as-tools-patch and embedded in the recorder library.
//
// Each function runs with the lanes that execute the instruction. The lanes agree on how to
// describe their addresses, the first of them takes room in the multiprocessor's chunk, and the
// first two write half a 32-byte record each, with one instruction, so that it crosses the bus as
// one packet; only irregular addresses cost more. The argument lists are the oldest form of each
// callback: later versions append arguments, which are not read.
#include <cstdint>

#include "traces/record/wire.hpp"

using namespace warpmem::record;
using u32 = std::uint32_t;
using u64 = unsigned long long;

namespace {

__device__ __forceinline__ u32 lane_id() {
  u32 lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

__device__ __forceinline__ u32 sm_id() {
  u32 sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

// Not __all_sync: its code (CUDA 13.0) overwrites predicate 5, which the code around a patch of a
// generic load or atomic still needs; such kernels hung or faulted.
__device__ __forceinline__ bool all_lanes(u32 active, bool holds) {
  return __ballot_sync(active, !holds) == 0;
}

__device__ __forceinline__ u32 grid_id() {
  u64 id;
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(id));
  return static_cast<u32>(id);
}

// Nanoseconds, low half; the same on all multiprocessors.
__device__ __forceinline__ u32 clock_ns() {
  u32 now;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now));
  return now;
}

__device__ __forceinline__ void nap(u32 nanoseconds) {
  asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

// Uncached: the other side of the bus, or another multiprocessor, writes these.
__device__ __forceinline__ u64 load_now(const u64* p) {
  u64 value;
  asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
  return value;
}
__device__ __forceinline__ u32 load_now(const u32* p) {
  u32 value;
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
  return value;
}
__device__ __forceinline__ void store16(u64 p, u32 a, u32 b, u32 c, u32 d) {
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(a), "r"(b), "r"(c),
               "r"(d)
               : "memory");
}

// The slot's fields never change while a kernel runs.
template <class T>
__device__ __forceinline__ u64 fixed(T* const& field) {
  u64 value;
  asm("ld.global.nc.u64 %0, [%1];" : "=l"(value) : "l"(&field));
  return value;
}
__device__ __forceinline__ u32 fixed(const u32& field) {
  u32 value;
  asm("ld.global.nc.u32 %0, [%1];" : "=r"(value) : "l"(&field));
  return value;
}

struct Stream {
  u64 cursor;  // this multiprocessor's
  u64 chunks;
};
__device__ __forceinline__ Stream stream_of(const LaunchSlot* s) {
  u64 cursors, chunks;
  asm("ld.global.nc.v2.u64 {%0, %1}, [%2];" : "=l"(cursors), "=l"(chunks) : "l"(&s->cursors));
  return {cursors + sm_id() % kStreams * sizeof(u64), chunks};
}
struct Filter {
  u32 cta_limit, slot;
};
__device__ __forceinline__ Filter filter_of(const LaunchSlot* s) {
  Filter f;
  asm("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(f.cta_limit), "=r"(f.slot) : "l"(&s->cta_limit));
  return f;
}

__device__ __forceinline__ bool likely(bool holds) { return __builtin_expect(holds, true); }

__device__ __forceinline__ u64 advance(u64 cursor, u32 bytes) {
  u64 old;
  asm volatile("atom.global.add.u64 %0, [%1], %2;"
               : "=l"(old)
               : "l"(cursor), "l"(static_cast<u64>(bytes))
               : "memory");
  return old;
}
__device__ __forceinline__ void exchange(u64 cursor, u32 chunk, u32 at) {
  asm volatile("st.volatile.global.u64 [%0], %1;" ::"l"(cursor),
               "l"(static_cast<u64>(chunk) << 32 | at)
               : "memory");
}
__device__ __forceinline__ bool fits(u64 old, u32 bytes) {
  return static_cast<u32>(old) <= kChunkCapacity - bytes && static_cast<u32>(old >> 32) != kStopped;
}
__device__ __forceinline__ u64 address_of(u64 chunks, u64 cursor) {
  return chunks + (cursor >> 32) * kChunkBytes + static_cast<u32>(cursor);
}

// The next empty chunk; waits until the host has emptied one. kStopped when recording is over.
__device__ __forceinline__ u32 take_chunk(const LaunchSlot* s) {
  const u64 ticket = advance(fixed(s->ticket), 1);
  const u32 bits = fixed(s->chunk_bits);
  const u64 entry = fixed(s->free_queue) + (ticket & ((1u << bits) - 1)) * sizeof(u64);
  const u32 round = static_cast<u32>(ticket >> bits) + 1;
  for (u32 wait = 250;; wait = wait < 8000 ? wait * 2 : wait) {
    if (load_now(reinterpret_cast<const u32*>(fixed(s->stop))) != 0) return kStopped;
    const u64 value = load_now(reinterpret_cast<const u64*>(entry));
    if (static_cast<u32>(value >> 32) == round) return static_cast<u32>(value);
    nap(wait);
  }
}

// What reserve() does when the chunk is full: `old` is what the cursor was.
__device__ __forceinline__ u64 replace_chunk(const LaunchSlot* s, const Stream& stream, u64 old,
                                             u32 bytes) {
  const u64 cursor = stream.cursor;
  for (;;) {
    if (fits(old, bytes)) return address_of(stream.chunks, old);
    const u32 at = static_cast<u32>(old);
    if (static_cast<u32>(old >> 32) == kStopped) {
      exchange(cursor, kStopped, 0);  // or the offset would run over
      return 0;
    }
    if (at <= kChunkCapacity) {  // the first that does not fit closes the chunk
      const u32 next = take_chunk(s);
      const u64 end = address_of(stream.chunks, old);
      store16(end, next, 0, 0, kRawNext | kTag << kTagShift);
      store16(end + 16, 0, 0, 0, kTag << kTagShift);
      exchange(cursor, next, next == kStopped ? 0 : bytes);
      return next == kStopped ? 0 : address_of(stream.chunks, static_cast<u64>(next) << 32);
    }
    while (static_cast<u32>(load_now(reinterpret_cast<const u64*>(cursor))) > kChunkCapacity)
      nap(200);
    old = advance(cursor, bytes);
  }
}

// Room for `bytes` in this multiprocessor's stream, or 0 when recording is over.
__device__ __forceinline__ u64 reserve(const LaunchSlot* s, u32 bytes) {
  const Stream stream = stream_of(s);
  const u64 old = advance(stream.cursor, bytes);
  return likely(fits(old, bytes)) ? address_of(stream.chunks, old)
                                  : replace_chunk(s, stream, old, bytes);
}

__device__ __forceinline__ u32 linear_cta() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}
__device__ __forceinline__ u32 linear_warp() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) >> 5;
}

// False for CTAs left out by --ctas, and for launches that are not recorded.
__device__ __forceinline__ bool wanted(const LaunchSlot* s) {
  if (s == nullptr) return false;
  const u32 limit = filter_of(s).cta_limit;
  return likely(limit == ~0u) || warpmem::trace::cta_hash(linear_cta()) <= limit;
}

struct Header {
  u64 base;
  u32 mask, what, pc;
  std::int32_t stride;
};

// By one lane.
__device__ __forceinline__ void write_header(const LaunchSlot* s, u64 room, const Header& h) {
  store16(room, static_cast<u32>(h.base), static_cast<u32>(h.base >> 32), h.mask,
          h.what | kTag << kTagShift);
  store16(room + 16, h.pc, static_cast<u32>(h.stride), linear_cta(),
          linear_warp() | (grid_id() & kGridMask) << kGridShift | filter_of(s).slot << kSlotShift |
              kTag << kTagShift);
}

// A record without lane addresses; of the first active lane alone for what is issued once a warp.
__device__ __forceinline__ void emit_plain(void* user, u32 pc, u32 what, u64 base,
                                           std::int32_t stride, bool one_lane) {
  const auto* s = static_cast<const LaunchSlot*>(user);
  if (!wanted(s)) return;
  const u32 active = __activemask();
  const u32 leader = __ffs(active) - 1;
  if (lane_id() != leader) return;
  const u64 room = reserve(s, kRecordBytes);
  if (room != 0) write_header(s, room, {base, one_lane ? 1u << leader : active, what, pc, stride});
}

// Lanes 0..2^k-1 walk by `stride`, groups of 2^k lanes by `outer`. Full warps only.
__device__ __forceinline__ bool two_level(u64 address, u64 first, u32 lane, u32& k,
                                          std::int32_t& stride, std::int32_t& outer) {
  const u32 low = static_cast<u32>(address);
  const u32 step = low - __shfl_up_sync(~0u, low, 1);
  stride = static_cast<std::int32_t>(__shfl_sync(~0u, step, 1));
  const u32 breaks = __ballot_sync(~0u, lane != 0 && step != static_cast<u32>(stride));
  if (breaks == 0) return false;
  const u32 width = __ffs(breaks) - 1;
  if ((width & (width - 1)) != 0) return false;
  k = __ffs(width) - 1;
  outer = static_cast<std::int32_t>(__shfl_sync(~0u, low, static_cast<int>(width)) -
                                    static_cast<u32>(first));
  const u64 expected = first + static_cast<long long>(lane & (width - 1)) * stride +
                       static_cast<long long>(lane >> k) * outer;
  return all_lanes(~0u, expected == address);
}

// A record of the lanes in `active`, each with its own address. Called by exactly those lanes.
__device__ __forceinline__ void emit(void* user, u64 pc, u32 what, u64 address, u32 active) {
  const auto* s = static_cast<const LaunchSlot*>(user);
  if (!wanted(s)) return;
  const u32 lane = lane_id(), leader = __ffs(active) - 1;
  const u64 first = __shfl_sync(active, address, static_cast<int>(leader));
  const u32 rest = active & (active - 1);
  const u32 next = rest != 0 ? __ffs(rest) - 1 : leader;
  std::int32_t stride = static_cast<std::int32_t>(
      __shfl_sync(active, static_cast<u32>(address), static_cast<int>(next)) -
      static_cast<u32>(first));
  if (!likely(next <= leader + 1)) stride /= static_cast<std::int32_t>(next - leader);
  const int from_leader = static_cast<int>(lane) - static_cast<int>(leader);
  const bool regular =
      all_lanes(active, address == first + static_cast<long long>(from_leader) * stride);

  u64 base = first - static_cast<long long>(leader) * stride;
  u32 mask = active, payload = 0;  // bytes
  bool narrow = false;
  if (!likely(regular)) {
    base = first;
    u32 k;
    std::int32_t outer;
    if (active == ~0u && two_level(address, first, lane, k, stride, outer)) {
      mask = static_cast<u32>(outer);
      what |= kFormTwoLevel << kFormShift | k << (kFlagsShift + kTwoLevelShift);
    } else {
      const long long offset = static_cast<long long>(address - first);
      constexpr long long kNarrow = 1ll << 30;
      narrow = all_lanes(active, offset >= -kNarrow && offset < kNarrow);
      payload = (__popc(active) * (narrow ? 4u : 8u) + kRecordBytes - 1) & ~(kRecordBytes - 1);
      what |= (narrow ? kFormOffsets : kFormAddresses) << kFormShift;
      stride = 0;
    }
  }
  u64 room = 0;
  if (lane == leader) {
    room = reserve(s, kRecordBytes + payload);
    if (room != 0) write_header(s, room, {base, mask, what, static_cast<u32>(pc), stride});
  }
  if (likely(payload == 0)) return;
  room = __shfl_sync(active, room, static_cast<int>(leader));
  if (room == 0) return;
  const u64 mine = room + kRecordBytes + __popc(active & ((1u << lane) - 1)) * (narrow ? 4u : 8u);
  if (narrow) {  // never zero: the host sees by that what has landed
    asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(mine),
                 "r"(offset_word(static_cast<std::int32_t>(address - first)))
                 : "memory");
  } else {
    asm volatile("st.volatile.global.u64 [%0], %1;" ::"l"(mine), "l"(address_word(address))
                 : "memory");
  }
}

__device__ __forceinline__ u32 describe(u32 kind, u32 bytes, u32 flags) {
  return kind | bytes << kBytesShift | (flags & 15u) << kFlagsShift;
}

}  // namespace

#define PATCH extern "C" __device__ __noinline__ int

PATCH warpmem_begin(void* user, u64) {
  u32 dynamic_shared;
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic_shared));
  emit_plain(user, clock_ns(), kRawBegin, sm_id() | static_cast<u64>(dynamic_shared) << 32,
             static_cast<std::int32_t>(grid_id()), false);
  return 0;
}

PATCH warpmem_exit(void* user, u64) {
  emit_plain(user, clock_ns(), kRawExit, 0, 0, false);
  return 0;
}

PATCH warpmem_global(void* user, u64 pc, void* p, u32 bytes, u32 flags, const void*) {
  emit(user, pc, describe(kRawGlobal, bytes, flags), reinterpret_cast<u64>(p), __activemask());
  return 0;
}

PATCH warpmem_shared(void* user, u64 pc, void* p, u32 bytes, u32 flags, const void*) {
  emit(user, pc, describe(kRawShared, bytes, flags), reinterpret_cast<u64>(p), __activemask());
  return 0;
}

PATCH warpmem_local(void* user, u64 pc, void* p, u32 bytes, u32 flags, const void*) {
  emit(user, pc, describe(kRawLocal, bytes, flags), reinterpret_cast<u64>(p), __activemask());
  return 0;
}

PATCH warpmem_remote(void* user, u64 pc, void* p, u32 bytes, u32 flags, const void*) {
  emit(user, pc, describe(kRawRemote, bytes, flags), reinterpret_cast<u64>(p), __activemask());
  return 0;
}

PATCH warpmem_barrier(void* user, u64 pc, u32 index, u32 threads, u32) {
  emit_plain(user, static_cast<u32>(pc), kRawBarrier, index, static_cast<std::int32_t>(threads),
             false);
  return 0;
}

// Lanes without a source (all zero fill) read nothing, and still write shared memory.
PATCH warpmem_async_copy(void* user, u64 pc, void* source, u32 target, u32 bytes) {
  const u32 active = __activemask();
  const u32 reading = __ballot_sync(active, source != nullptr);
  if (source != nullptr) {
    emit(user, pc, describe(kRawAsyncCopyRead, bytes, kFlagRead), reinterpret_cast<u64>(source),
         reading);
  }
  __syncwarp(active);
  emit(user, pc, describe(kRawAsyncCopyWrite, bytes, kFlagWrite), target, active);
  return 0;
}

PATCH warpmem_matrix(void* user, u64 pc, u32 address, u32 bytes, u32 flags, u32 count,
                     const void*) {
  const u32 rows = count >= 4 ? ~0u : (1u << count * 8) - 1;
  const u32 active = __activemask() & rows;
  if ((active >> lane_id() & 1) != 0) {
    emit(user, pc, describe(kRawMatrix, bytes, flags), address, active);
  }
  return 0;
}

PATCH warpmem_prefetch(void* user, u64 pc, void* p, u32 level) {
  emit(user, pc, describe(kRawPrefetch, 0, level), reinterpret_cast<u64>(p), __activemask());
  return 0;
}

PATCH warpmem_async_store(void* user, u64 pc, u32 address, u32, void*, u32 bytes) {
  emit(user, pc, describe(kRawRemote, bytes, kFlagWrite), address, __activemask());
  return 0;
}

PATCH warpmem_async_reduction(void* user, u64 pc, u32 address, u32, u32 bytes) {
  emit(user, pc, describe(kRawRemote, bytes, kFlagRead | kFlagWrite), address, __activemask());
  return 0;
}

// Bulk operations are issued once a warp; all active lanes hold the same arguments.
__device__ __forceinline__ void emit_bulk(void* user, u64 pc, u32 read_kind, u64 source,
                                          u32 write_kind, u64 target, u32 blocks, u32 flags) {
  const auto bytes = static_cast<std::int32_t>((blocks & 0xffffu) * 16);
#pragma unroll 1  // one copy of the code: less of it, and fewer registers and predicates
  for (u32 side = 0; side < 2; ++side) {
    const u32 what = side == 0 ? describe(read_kind, 0, kFlagRead) : describe(write_kind, 0, flags);
    emit_plain(user, static_cast<u32>(pc), what, side == 0 ? source : target, bytes, true);
  }
}

PATCH warpmem_bulk_load(void* user, u64 pc, u64 source, u32 target, u32, u32 blocks, u32) {
  emit_bulk(user, pc, kRawBulkReadGlobal, source, kRawBulkWriteShared, target, blocks, kFlagWrite);
  return 0;
}

PATCH warpmem_bulk_store(void* user, u64 pc, u64 target, u32 source, u32 blocks) {
  emit_bulk(user, pc, kRawBulkReadShared, source, kRawBulkWriteGlobal, target, blocks, kFlagWrite);
  return 0;
}

PATCH warpmem_bulk_shared(void* user, u64 pc, u32 source, u32 target, u32, u32 blocks) {
  emit_bulk(user, pc, kRawBulkReadShared, source, kRawBulkWriteShared, target, blocks, kFlagWrite);
  return 0;
}

PATCH warpmem_bulk_reduce(void* user, u64 pc, u64 target, u32 source, u32 blocks) {
  emit_bulk(user, pc, kRawBulkReadShared, source, kRawBulkWriteGlobal, target, blocks,
            kFlagRead | kFlagWrite);
  return 0;
}

PATCH warpmem_bulk_reduce_shared(void* user, u64 pc, u32 source, u32 target, u32, u32 blocks) {
  emit_bulk(user, pc, kRawBulkReadShared, source, kRawBulkWriteShared, target, blocks,
            kFlagRead | kFlagWrite);
  return 0;
}

// One record a warp of what all four of them read. `warps` is 0 where the product is switched off.
PATCH warpmem_group_product(void* user, u64 pc, u32, u32 bytes_of_a, u32 b, u32 bytes_of_b, u32,
                            u32 warps) {
  if (warps == 0) return 0;
  emit_plain(user, static_cast<u32>(pc), describe(kRawBulkReadShared, 0, kFlagRead | kFlagProduct),
             b, static_cast<std::int32_t>(bytes_of_a + bytes_of_b), false);
  return 0;
}
