// How fast an SM's copy engine is: one thread of a CTA an SM issues bulk loads, stores, additions,
// or a load and a store in turn, of so many bytes each, `deep` of them under way, each to places of
// its own in the L2 or all to the same 4 KiB (`same`). Prints CSV: kind, bytes, deep, SMs, place,
// operations, cycles of the slowest SM from the first issue until all is done, and until all has
// been read from shared memory. By clock64, warm, no profiler.
#include "micro.cuh"

extern __shared__ __align__(128) u8 tile[];

enum Kind { kLoad, kStore, kAdd, kKinds };
const char* const kNames[] = {"load", "store", "add"};

__global__ void engine(int kind, u32 bytes, int deep, int operations, bool same, u8* memory,
                       long long* took) {
  __shared__ __align__(8) u64 barrier;
  const u32 bar = static_cast<u32>(__cvta_generic_to_shared(&barrier)),
            at = static_cast<u32>(__cvta_generic_to_shared(tile));
  if (threadIdx.x != 0) return;
  asm volatile("mbarrier.init.shared.b64 [%0],1;" ::"r"(bar));
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  u8* mine = memory + (same ? 0 : blockIdx.x * u64(262144));
  const u32 wrap = same ? 4096 : 262144;
  long long read = 0;
  const long long begin = clock64();
  int phase = 0;
  for (int i = 0; i < operations; i += deep) {
    if (kind == kLoad)
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _,[%0],%1;" ::"r"(bar), "r"(bytes * deep));
    for (int k = 0; k < deep; ++k) {
      u8* there = mine + (u64(i + k) * bytes & (wrap - 1));
      const u32 here = at + (k * bytes & 65535);
      if (kind == kLoad)
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[%0],[%1],%2,[%3];" ::"r"(here),
            "l"(there), "r"(bytes), "r"(bar)
            : "memory");
      if (kind == kStore)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;" ::"l"(there),
                     "r"(here), "r"(bytes)
                     : "memory");
      if (kind == kAdd)
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0],[%1],%2;" ::"l"(there),
            "r"(here), "r"(bytes)
            : "memory");
    }
    if (kind == kLoad) {
      asm volatile(
          "{.reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p,[%0],%1; @!p bra W;}" ::"r"(bar),
          "r"(phase)
          : "memory");
      phase ^= 1;
    } else {
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
  if (kind != kLoad) {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    read = clock64() - begin;
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
  took[blockIdx.x * 2] = clock64() - begin;
  took[blockIdx.x * 2 + 1] = read;
}

int main() {
  u8* memory = device_buffer<u8>(132 * 262144);
  long long* took = device_buffer<long long>(132 * 16);
  CHECK(cudaFuncSetAttribute(engine, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536 + 16384));
  std::printf("kind,bytes,deep,sms,place,operations,cycles,read\n");
  for (int kind = 0; kind < kKinds; ++kind)
    for (u32 bytes : {16u, 64u, 128u, 512u, 1024u, 4096u, 16384u})
      for (int deep : {1, 4, 16})
        for (int sms : {1, 16, 132})
          for (bool same : {false, true}) {
            if (same && (kind == kLoad || bytes > 4096)) continue;
            if (bytes * deep > 65536 + 16384) continue;
            const int operations = bytes >= 4096 ? 128 : 512;
            static long long h[264];
            for (int run = 0; run < 2; ++run) {
              engine<<<sms, 32, 65536 + 16384>>>(kind, bytes, deep, operations, same, memory, took);
              CHECK(cudaMemcpy(h, took, sizeof h, cudaMemcpyDeviceToHost));
            }
            long long most = 0, read = 0;
            for (int i = 0; i < sms; ++i)
              most = h[2 * i] > most ? h[2 * i] : most,
              read = h[2 * i + 1] > read ? h[2 * i + 1] : read;
            std::printf("%s,%u,%d,%d,%s,%d,%lld,%lld\n", kNames[kind], bytes, deep, sms,
                        same ? "same" : "own", operations, most, read);
          }
}
