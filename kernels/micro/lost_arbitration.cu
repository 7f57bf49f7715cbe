// Who takes the L1's data stage from accesses to shared memory. What the profiler counts of their
// wavefronts beyond instructions times passes was lost to somebody else and came again.
//   beside   victims (warps that load or store in shared memory, at random times or as fast as they
//   can) beside
//            other warps of their CTA that do one kind of access
//   coming   victims beside CTAs that come to their SM, and go at once or after a while
//   later    as beside, by a CTA that comes to an SM after another one (`first` CTAs come and go
//   before) joined   victims in the first CTA of an SM, the others in one that came later pair a
//   victim that stores, or loads, at random times beside one other warp that does so as fast as it
//            can, by the sub-partitions of the two
// One launch a case. The label: part, other, its warps, victim, its warps, then cycles that the
// others took. Run under ncu with --cache-control none.
#include "micro.cuh"

constexpr u32 kTile = 4096;
extern __shared__ __align__(128) u8 shared_bytes[];
__device__ u32 arrived;

enum Other {
  kNothing,
  kMiss4,
  kMiss16,
  kHit16,
  kStore16,
  kAtomic,
  kStoreShared,
  kLoadShared,
  kAsync16Lanes32,
  kAsync16Lanes8,
  kAsync16Lanes2,
  kAsync16Apart,
  kAsync4,
  kAsyncHit16,
  kBulkLoad,
  kBulkStore,
  kBulkReduce,
  kOthers
};
const char* const kOtherNames[] = {
    "nothing",      "miss4",       "miss16",     "hit16",      "store16",    "atomic",
    "store_shared", "load_shared", "async16_32", "async16_8",  "async16_2",  "async16_apart",
    "async4",       "async_hit16", "bulk_load",  "bulk_store", "bulk_reduce"};
enum Victim {
  kNone,
  kLoadNow,
  kLoadNow16,
  kStoreNow,
  kStoreNow16,
  kLoadSometimes,
  kStoreSometimes,
  kLoadSometimes16,
  kStoreSometimes16,
  kVictims
};
const char* const kVictimNames[] = {
    "none",           "load_now",        "load_now_16",       "store_now",         "store_now_16",
    "load_sometimes", "store_sometimes", "load_sometimes_16", "store_sometimes_16"};

__device__ __forceinline__ u32 at(const void* p) {
  return static_cast<u32>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ u32 load_shared(u32 a) {
  u32 v;
  asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v) : "r"(a) : "memory");
  return v;
}
__device__ __forceinline__ u32 load_shared16(u32 a) {
  u32 v, b, c, d;
  asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3},[%4];"
               : "=r"(v), "=r"(b), "=r"(c), "=r"(d)
               : "r"(a)
               : "memory");
  return v + b + c + d;
}
__device__ __forceinline__ void store_shared(u32 a, u32 v) {
  asm volatile("st.shared.u32 [%0],%1;" ::"r"(a), "r"(v) : "memory");
}
__device__ __forceinline__ void store_shared16(u32 a, u32 v) {
  asm volatile("st.shared.v4.u32 [%0],{%1,%1,%1,%1};" ::"r"(a), "r"(v) : "memory");
}
__device__ __forceinline__ u32 load16(const void* p) {
  u32 v, b, c, d;
  asm volatile("ld.global.v4.u32 {%0,%1,%2,%3},[%4];"
               : "=r"(v), "=r"(b), "=r"(c), "=r"(d)
               : "l"(p)
               : "memory");
  return v + b + c + d;
}
__device__ __forceinline__ void copy16(u32 to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(from) : "memory");
}

// One access of a victim, then, if it is one that comes sometimes, 16 to 79 steps of something
// else.
__device__ __forceinline__ void probe(int victim, u32 place, u32 lane, u32& random, u32& sum) {
  switch (victim) {
    case kLoadNow:
#pragma unroll
      for (int i = 0; i < 16; ++i) sum += load_shared(place + i * 128 + lane * 4);
      return;
    case kLoadNow16:
#pragma unroll
      for (int i = 0; i < 4; ++i) sum += load_shared16(place + i * 512 + lane * 16);
      return;
    case kStoreNow:
#pragma unroll
      for (int i = 0; i < 16; ++i) store_shared(place + i * 128 + lane * 4, i);
      return;
    case kStoreNow16:
#pragma unroll
      for (int i = 0; i < 4; ++i) store_shared16(place + i * 512 + lane * 16, i);
      return;
    case kLoadSometimes: sum += load_shared(place + lane * 4); break;
    case kLoadSometimes16: sum += load_shared16(place + lane * 16); break;
    case kStoreSometimes: store_shared(place + lane * 4, lane); break;
    case kStoreSometimes16: store_shared16(place + lane * 16, lane); break;
  }
  random = random * 1664525 + 1013904223;
#pragma unroll 1
  for (u32 k = 16 + random / (1u << 26); k > 0; --k) asm volatile("" ::: "memory");
}

__device__ void act(int other, int ops, u32 warp, u32 lane, u8* mine, u32 bar, u64 region,
                    u32& sum) {
  const u32 tile = at(shared_bytes) + warp % 8 * kTile;
  u8* stream = mine + 65536 + u64(warp) * ops * 512;
  switch (other) {
    case kNothing: wait_cycles(40000); break;
    case kMiss4:
#pragma unroll 8
      for (int i = 0; i < ops; ++i) sum += load_ca(stream + i * 128 + lane * 4);
      break;
    case kMiss16:
#pragma unroll 4
      for (int i = 0; i < ops; ++i) sum += load16(stream + i * 512 + lane * 16);
      break;
    case kHit16:
#pragma unroll 4
      for (int i = 0; i < ops; ++i) sum += load16(mine + i % 16 * 512 + lane * 16);
      break;
    case kStore16:
#pragma unroll 4
      for (int i = 0; i < ops; ++i)
        asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(stream + i * 512 + lane * 16),
                     "r"(i)
                     : "memory");
      break;
    case kAtomic:
#pragma unroll 8
      for (int i = 0; i < ops; ++i) {
        u32 v;
        asm volatile("atom.global.add.u32 %0,[%1],%2;"
                     : "=r"(v)
                     : "l"(stream + i * 128 + lane * 4), "r"(i)
                     : "memory");
        sum += v;
      }
      break;
    case kStoreShared:
#pragma unroll 8
      for (int i = 0; i < ops * 8; ++i) store_shared(tile + i % 16 * 128 + lane * 4, i);
      break;
    case kLoadShared:
#pragma unroll 8
      for (int i = 0; i < ops * 8; ++i) sum += load_shared(tile + i % 16 * 128 + lane * 4);
      break;
    case kAsync16Lanes32:
#pragma unroll 4
      for (int i = 0; i < ops; ++i)
        copy16(tile + i % 8 * 512 + lane * 16, stream + i * 512 + lane * 16);
      break;
    case kAsync16Lanes8:
      if (lane < 8)
#pragma unroll 4
        for (int i = 0; i < ops; ++i)
          copy16(tile + i % 8 * 512 + lane * 16, stream + i * 512 + lane * 16);
      break;
    case kAsync16Lanes2:
      if (lane < 2)
#pragma unroll 4
        for (int i = 0; i < ops; ++i)
          copy16(tile + i % 8 * 512 + lane * 16, stream + i * 512 + lane * 16);
      break;
    case kAsync16Apart:  // a sector from each of sixteen lines
#pragma unroll 4
      for (int i = 0; i < ops / 4; ++i)
        copy16(tile + i % 8 * 512 + lane * 16, stream + i * 2048 + lane / 2 * 128 + lane % 2 * 16);
      break;
    case kAsync4:
#pragma unroll 8
      for (int i = 0; i < ops; ++i)
        asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"(tile + i % 16 * 128 + lane * 4),
                     "l"(stream + i * 128 + lane * 4)
                     : "memory");
      break;
    case kAsyncHit16:
#pragma unroll 4
      for (int i = 0; i < ops; ++i)
        asm volatile(
            "cp.async.ca.shared.global [%0],[%1],16;" ::"r"(tile + i % 8 * 512 + lane * 16),
            "l"(mine + i % 16 * 512 + lane * 16)
            : "memory");
      break;
    case kBulkLoad:
      if (warp == 0 && lane == 0)
        for (int i = 0; i < ops; i += 4) {
          asm volatile("mbarrier.arrive.expect_tx.shared.b64 _,[%0],%1;" ::"r"(bar), "r"(4096));
          for (int k = 0; k < 4; ++k)
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                "[%0],[%1],%2,[%3];" ::"r"(tile + k * 1024),
                "l"(stream + (i + k) * 1024), "r"(1024), "r"(bar)
                : "memory");
          asm volatile(
              "{.reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p,[%0],%1; @!p bra W;}" ::"r"(
                  bar),
              "r"(i / 4 & 1)
              : "memory");
        }
      break;
    case kBulkStore:
    case kBulkReduce:
      if (warp == 0 && lane == 0)
        for (int i = 0; i < ops; ++i) {
          if (other == kBulkStore)
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;" ::"l"(
                             stream + i * 1024),
                         "r"(tile + i % 4 * 1024), "r"(1024)
                         : "memory");
          else
            asm volatile(
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0],[%1],%2;" ::"l"(
                    stream + i * 1024),
                "r"(tile + i % 4 * 1024), "r"(1024)
                : "memory");
          asm volatile("cp.async.bulk.commit_group;" ::: "memory");
          if (i % 8 == 7) asm volatile("cp.async.bulk.wait_group.read 4;" ::: "memory");
        }
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
      break;
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
}

// Warps 0 to `other_warps` - 1 do `other`, the next ones are victims until those are done.
__global__ void beside(int other, int other_warps, int ops, int victim, u8* memory, u64 region,
                       long long* took, u32* sink, int first) {
  if (static_cast<int>(blockIdx.x) < first) {
    wait_cycles(2000 + blockIdx.x * 37 % 1000);
    return;
  }
  const u32 cta = blockIdx.x - first;
  __shared__ volatile u32 done;
  __shared__ __align__(8) u64 barrier;
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  u8* mine = memory + cta * region;
  const u32 bar = at(&barrier);
  if (threadIdx.x == 0) {
    done = 0;
    asm volatile("mbarrier.init.shared.b64 [%0],1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  u32 sum = 0, random = blockIdx.x * 7919 + warp * 104729 + 1;
  for (u32 i = threadIdx.x; i < 4096; i += blockDim.x)
    sum += load_ca(mine + i * 4);  // what is to hit
  __syncthreads();
  if (static_cast<int>(warp) < other_warps) {
    const long long begin = clock64();
    act(other, ops, warp, lane, mine, bar, region, sum);
    asm volatile("bar.sync 1,%0;" ::"r"(other_warps * 32) : "memory");
    if (threadIdx.x == 0) done = 1, took[cta] = clock64() - begin;
  } else {
    const u32 place = at(shared_bytes) + 32768 + warp % 4 * 2048;
    do {
      for (int i = 0; i < 4; ++i) probe(victim, place, lane, random, sum);
    } while (!done);
  }
  if (sum == 0x12345) *sink = sum;
}

// The first CTA of an SM stays and probes with `victims` warps until all others have gone; those go
// at once, or after `stay` cycles.
__global__ void coming(u32 ctas, int stay, int victim, int victims, long long* took, u32* sink) {
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  u32 sum = 0, random = blockIdx.x * 7919 + warp * 104729 + 1;
  if (blockIdx.x >= 132) {
    if (stay > 0) wait_cycles(stay);
    if (threadIdx.x == 0) atomicAdd(&arrived, 1);
    return;
  }
  if (static_cast<int>(warp) >= victims) return;
  const long long begin = clock64();
  do {
    for (int i = 0; i < 8; ++i) probe(victim, at(shared_bytes), lane, random, sum);
  } while (*reinterpret_cast<volatile u32*>(&arrived) < ctas - 132);
  if (threadIdx.x == 0) took[blockIdx.x] = clock64() - begin;
  if (sum == 0x12345) *sink = sum;
}

// Two CTAs an SM. The first one probes; the second one goes after a while, and the one that takes
// its place does `other`.
__global__ void joined(int other, int other_warps, int ops, int victim, int victims, u8* memory,
                       u64 region, long long* took, u32* sink) {
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  u32 sum = 0, random = blockIdx.x * 7919 + warp * 104729 + 1;
  if (blockIdx.x < 132) {
    if (static_cast<int>(warp) >= victims) return;
    const long long begin = clock64();
    while (*reinterpret_cast<volatile u32*>(&arrived) < 1000) wait_cycles(200);  // all are there
    do {
      for (int i = 0; i < 8; ++i) probe(victim, at(shared_bytes), lane, random, sum);
    } while (*reinterpret_cast<volatile u32*>(&arrived) < 1000 + 132);
    if (threadIdx.x == 0) took[blockIdx.x] = clock64() - begin;
  } else if (blockIdx.x < 264) {
    wait_cycles(2000 + blockIdx.x * 37 % 1000);
  } else {
    if (threadIdx.x == 0) {
      if (atomicAdd(&arrived, 1) == 131) *reinterpret_cast<volatile u32*>(&arrived) = 1000;
      while (*reinterpret_cast<volatile u32*>(&arrived) < 1000) wait_cycles(200);
    }
    __syncthreads();
    wait_cycles(1000);
    if (static_cast<int>(warp) < other_warps)
      act(other, ops, warp, lane, memory + (blockIdx.x - 264) % 16 * region, 0, region, sum);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&arrived, 1);
  }
  if (sum == 0x12345) *sink = sum;
}

// Warp `first` probes at random times, warp `second` accesses as fast as it can.
__global__ void pair(int victim, int other, int first, int second, long long* took, u32* sink) {
  __shared__ volatile u32 done;
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  u32 sum = 0, random = blockIdx.x * 7919 + 1;
  if (static_cast<int>(warp) == second) {
    const long long begin = clock64();
    act(other, 1024, warp % 8, lane, nullptr, 0, 0, sum);
    __syncwarp();
    if (lane == 0) done = 1, took[blockIdx.x] = clock64() - begin;
  } else if (static_cast<int>(warp) == first) {
    do {
      for (int i = 0; i < 4; ++i) probe(victim, at(shared_bytes) + 32768, lane, random, sum);
    } while (!done);
  }
  if (sum == 0x12345) *sink = sum;
}

int main() {
  constexpr int kCtas = 16, kOps = 512;
  constexpr u64 kRegion = u64(4) << 20;
  u8* memory = device_buffer<u8>((kCtas + 16) * kRegion);
  u32* sink = device_buffer<u32>(8);
  long long* took = device_buffer<long long>(132 * 8);
  CHECK(cudaFuncSetAttribute(beside, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
  CHECK(cudaFuncSetAttribute(pair, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  CHECK(cudaFuncSetAttribute(joined, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
  CHECK(cudaFuncSetAttribute(coming, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  const auto mean = [&](int ctas) {
    static long long h[132];
    CHECK(cudaMemcpy(h, took, sizeof h, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int i = 0; i < ctas; ++i) sum += h[i];
    return static_cast<double>(sum) / ctas;
  };
  for (int other = 0; other < kOthers; ++other)
    for (int warps : {1, 2, 4}) {
      if (warps > 1 && other >= kBulkLoad) continue;
      for (int victim = kLoadNow; victim < kVictims; ++victim)
        for (int victims : {1, 4}) {
          beside<<<kCtas, (warps + victims) * 32, 65536>>>(other, warps, kOps, victim, memory,
                                                           kRegion, took, sink, 0);
          label("beside,%s,%d,%s,%d,%.0f", kOtherNames[other], warps, kVictimNames[victim], victims,
                mean(kCtas));
        }
    }
  for (int threads : {32, 256, 1024})
    for (int bytes : {4096, 16384, 49152})
      for (int stay : {0, 1000})
        for (int victim : {kLoadNow, kStoreNow, kLoadSometimes, kStoreSometimes, kLoadSometimes16})
          for (int victims : {1, 4}) {
            if (victims * 32 > threads) continue;
            const u32 ctas = 132 * 41, zero = 0;
            CHECK(cudaMemcpyToSymbol(arrived, &zero, 4));
            coming<<<ctas, threads, bytes>>>(ctas, stay, victim, victims, took, sink);
            label("coming,%d,%d,%d,%s,%d,%.0f", threads, bytes, stay, kVictimNames[victim], victims,
                  mean(132));
          }
  for (int other : {kStoreShared, kLoadShared})
    for (int victim : {kStoreSometimes, kLoadSometimes, kStoreSometimes16})
      for (int second = 1; second < 5; ++second)
        for (int first = 0; first < 4; first += 1) {
          if (first == second) continue;
          pair<<<kCtas, 8 * 32, 65536>>>(victim, other, first, second, took, sink);
          label("pair,%s,%d,%s,%d,%.0f", kOtherNames[other], second, kVictimNames[victim], first,
                mean(kCtas));
        }
  for (int other : {kNothing, kMiss4, kMiss16, kHit16, kStore16, kLoadShared, kStoreShared,
                    kAsync16Lanes32, kAsync4})
    for (int victim = kLoadNow; victim < kVictims; ++victim)
      for (int victims : {1, 4}) {
        beside<<<132 + 132, (4 + victims) * 32, 200000>>>(other, 4, kOps, victim, memory,
                                                          kRegion / 16, took, sink, 132);
        label("later,%s,%d,%s,%d,%.0f", kOtherNames[other], 4, kVictimNames[victim], victims,
              mean(132));
        const u32 zero = 0;
        CHECK(cudaMemcpyToSymbol(arrived, &zero, 4));
        joined<<<132 * 3, 256, 100000>>>(other, 4, kOps, victim, victims, memory, kRegion, took,
                                         sink);
        label("joined,%s,%d,%s,%d,%.0f", kOtherNames[other], 4, kVictimNames[victim], victims,
              mean(132));
      }
}
