// What additions to another SM's shared memory cost the SM that asks: CTAs of a cluster, on an SM
// each, whose warps add to words of the next CTA's shared memory, `rounds` times, one behind the
// other. Prints CSV: kind (red: nothing comes back; atom: the old word does; own: red on the CTA's
// own words by the cluster's address), cluster, warps, lanes that take part, where their words are
// (same: one word; row: side by side; sector: one a sector of 32 bytes; line: one a line of 128
// bytes; random), to how many CTAs in turn (1: the next one; more: lane by lane), cycles an
// instruction of the slowest warp, and how long a fence behind them all took. By clock64, warm, no
// profiler.
#include <cooperative_groups.h>

#include "cluster.cuh"
namespace cg = cooperative_groups;

extern __shared__ u32 words[];

enum Kind { kRed, kAtom, kOwn, kRead, kWrite, kKinds };
const char* const kNames[] = {"red", "atom", "own", "read", "write"};
enum Where { kSame, kRow, kSector, kLine, kRandom, kWheres };
const char* const kWhereNames[] = {"same", "row", "sector", "line", "random"};

__global__ void add(int kind, int lanes, int where, int spread, int rounds, long long* took,
                    u32* sink) {
  cg::cluster_group cluster = cg::this_cluster();
  for (u32 i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = 0;
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, ctas = cluster.num_blocks();
  const u32 place = where == kSame     ? warp * 32
                    : where == kRow    ? warp * 32 + lane
                    : where == kSector ? (lane * 8 + warp) % 8192
                    : where == kLine   ? (lane * 32 + warp) % 8192
                                       : (lane * 2654435761u + warp * 40503u) % 8192;
  const u32 target = kind == kOwn
                         ? cluster.block_rank()
                         : (cluster.block_rank() + 1 + (spread > 1 ? lane % spread : 0)) % ctas;
  u32 address;
  const u32 local = static_cast<u32>(__cvta_generic_to_shared(words + place));
  asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(address) : "r"(local), "r"(target));
  cluster.sync();
  u32 sum = 0;
  long long begin = 0, end = 0, fenced = 0;
  for (int pass = 0; pass < 2; ++pass) {
    cluster.sync();
    begin = clock64();
    if (static_cast<int>(lane) < lanes) {
#pragma unroll 1
      for (int r = 0; r < rounds; r += 4) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          u32 v = 0;
          if (kind == kRed || kind == kOwn)
            asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0],%1;" ::"r"(address),
                         "r"(k)
                         : "memory");
          if (kind == kAtom)
            asm volatile("atom.relaxed.cluster.shared::cluster.add.u32 %0,[%1],%2;"
                         : "=r"(v)
                         : "r"(address), "r"(k)
                         : "memory");
          if (kind == kRead)
            asm volatile("ld.shared::cluster.u32 %0,[%1];" : "=r"(v) : "r"(address) : "memory");
          if (kind == kWrite)
            asm volatile("st.shared::cluster.u32 [%0],%1;" ::"r"(address), "r"(k) : "memory");
          sum += v;
        }
      }
    }
    if (sum == 0x1234567) *sink = sum;
    end = clock64();
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
    fenced = clock64();
    __syncwarp();
  }
  cluster.sync();
  if (lane == 0)
    took[(blockIdx.x * 32 + warp) * 2] = end - begin,
                                    took[(blockIdx.x * 32 + warp) * 2 + 1] = fenced - begin;
}

int main() {
  long long* took = device_buffer<long long>(128 * 32 * 16);
  u32* sink = device_buffer<u32>(8);
  static long long h[128 * 64];
  std::printf("kind,cluster,ctas,warps,lanes,where,targets,cycles,fenced\n");
  const auto run = [&](int kind, int cluster, int ctas, int warps, int lanes, int where,
                       int spread) {
    const int rounds = warps * lanes > 256 ? 32 : 128;
    launch_cluster(add, ctas, warps * 32, cluster, 32768, kind, lanes, where, spread, rounds, took,
                   sink);
    CHECK(cudaMemcpy(h, took, sizeof h, cudaMemcpyDeviceToHost));
    long long most = 0, fenced = 0;
    for (int c = 0; c < ctas; ++c)
      for (int w = 0; w < warps; ++w) {
        most = h[(c * 32 + w) * 2] > most ? h[(c * 32 + w) * 2] : most;
        fenced = h[(c * 32 + w) * 2 + 1] > fenced ? h[(c * 32 + w) * 2 + 1] : fenced;
      }
    std::printf("%s,%d,%d,%d,%d,%s,%d,%.2f,%.2f\n", kNames[kind], cluster, ctas, warps, lanes,
                kWhereNames[where], spread, double(most) / rounds, double(fenced) / rounds);
  };
  for (int kind = 0; kind < kKinds; ++kind) {
    for (int cluster : {2, 8})
      for (int warps : {1, 4, 16})
        for (int lanes : {1, 2, 4, 8, 16, 32}) run(kind, cluster, cluster, warps, lanes, kRow, 1);
    for (int cluster : {2, 8})
      for (int warps : {1, 8, 16})
        for (int where = 0; where < kWheres; ++where)
          for (int ctas : {8, 16, 32, 64, 128}) {
            run(kind, cluster, ctas, warps, 32, where, 1);
            if (cluster == 8) run(kind, cluster, ctas, warps, 32, where, 7);
          }
  }
}
