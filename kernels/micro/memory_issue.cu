// How memory instructions leave their scheduler: how many wait behind each other before their warp has
// to, whose turn it is when several warps of a scheduler have to, and how long an instruction keeps
// the registers that it reads. One SM, everything warm. Prints CSV, no profiler:
//   issue,KIND warp W,WARPS,cycles of the SM's clock at which warp W issued its first, second, … access
//   keep,KIND,WARPS,cycles a round of: access; change a register that it reads
//   rate,KIND,WARPS,cycles a round of: eight accesses; wait for what they load. ptxas makes two wide
//     ones of those to shared memory that lie side by side
#include <algorithm>
#include <type_traits>

#include "micro.cuh"

constexpr int kAccesses = 16;

// Each kind: an access of a warp at `p` (global) or `s` (shared), `at` bytes further on.
#define KIND(NAME, PITCH, ...)                                                                    \
  struct NAME {                                                                                   \
    static constexpr const char* name = #NAME;                                                    \
    static constexpr u32 pitch = PITCH; /* bytes from lane to lane */                             \
    static __device__ __forceinline__ void go(u64 p, u32 s, u32 v, u32& sink) { __VA_ARGS__; }    \
  }
namespace kinds {
#define LOAD(OP, AT) asm volatile(OP " %0,[%1];" : "=r"(sink) : AT : "memory")
#define STORE(OP, AT) asm volatile(OP " [%0],%1;" ::AT, "r"(v) : "memory")
KIND(none, 4, asm volatile(""));
KIND(load_1, 4, LOAD("ld.global.ca.u32", "l"(p)));
KIND(load_4, 16, LOAD("ld.global.ca.u32", "l"(p)));
KIND(load_32, 128, LOAD("ld.global.ca.u32", "l"(p)));
KIND(store_1, 4, STORE("st.global.u32", "l"(p)));
KIND(store_1_wide, 8, asm volatile("st.global.v2.u32 [%0],{%1,%1};" ::"l"(p), "r"(v) : "memory"));
KIND(store_1_widest, 16, asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(p), "r"(v) : "memory"));
KIND(store_4, 16, STORE("st.global.u32", "l"(p)));
KIND(store_32, 128, STORE("st.global.u32", "l"(p)));
KIND(red_1, 4, STORE("red.global.add.u32", "l"(p)));
KIND(shared_load_1, 4, LOAD("ld.shared.u32", "r"(s)));
KIND(shared_load_8, 32, LOAD("ld.shared.u32", "r"(s)));
KIND(shared_store_1, 4, STORE("st.shared.u32", "r"(s)));
KIND(shared_store_8, 32, STORE("st.shared.u32", "r"(s)));
KIND(shared_store_1_widest, 16, asm volatile("st.shared.v4.u32 [%0],{%1,%1,%1,%1};" ::"r"(s), "r"(v) : "memory"));
KIND(shared_load_32, 128, LOAD("ld.shared.u32", "r"(s)));
KIND(shared_store_32, 128, STORE("st.shared.u32", "r"(s)));
KIND(shared_load_one, 0, LOAD("ld.shared.u32", "r"(s)));
}  // namespace kinds

__device__ __forceinline__ u32 now() {
  u64 t;  // 64 bits are read by a shorter instruction
  asm volatile("mov.u64 %0,%%clock64;" : "=l"(t)::"memory");
  return static_cast<u32>(t);
}

template <class Kind>
__global__ void issue(u8* base, u32* out, int passes) {
  extern __shared__ u8 shared[];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u32 s = static_cast<u32>(__cvta_generic_to_shared(shared)) + lane * Kind::pitch;
  u32 at[kAccesses + 1], sink[kAccesses], all = 0;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass) {  // the last one counts
    // Loads of all warps meet in lines that the L1 has; stores go to lines of their own.
    const u64 p = reinterpret_cast<u64>(base) + (Kind::name[0] == 'l' ? 0 : u64{warp} << 17) + lane * Kind::pitch;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kAccesses; ++i) {
      at[i] = now();
      Kind::go(p + i * 4096, s + i * 16, lane, sink[i]);
    }
    at[kAccesses] = now();
#pragma unroll
    for (int i = 0; i <= kAccesses; ++i) asm volatile("" ::"r"(at[i]));  // in registers, each time
#pragma unroll
    for (int i = 0; i < kAccesses; ++i) all += Kind::name[0] == 'l' || Kind::name[7] == 'l' ? sink[i] : 0;
    __syncthreads();
  }
  if (lane == 0)
    for (int i = 0; i <= kAccesses; ++i) out[warp * (kAccesses + 1) + i] = at[i];
  if (all == 1) out[0] = 0;
}

template <class Kind>
__global__ void keep(u8* base, u32* out, u32 rounds) {
  extern __shared__ u8 shared[];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  u32 v = lane, sink = 0;
  const u64 p = reinterpret_cast<u64>(base) + (u64{warp} << 17) + lane * Kind::pitch;
  const u32 s = static_cast<u32>(__cvta_generic_to_shared(shared)) + lane * Kind::pitch;
  __syncthreads();
  const u32 from = now();
#pragma unroll 1
  for (u32 n = 0; n < rounds; ++n) {
    Kind::go(p, s, v, sink);
    asm volatile("add.u32 %0,%0,%1;" : "+r"(v) : "r"(n) : "memory");
  }
  const u32 to = now();
  if (lane == 0) out[warp] = to - from;
  if (v == 1) out[1] = sink;
}

// Eight accesses a round, of one kind or of two by turns, at addresses that stay the same.
template <class A, class B>
__global__ void rate(u8* base, u32* out, u32 rounds) {
  extern __shared__ u8 shared[];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u64 at = reinterpret_cast<u64>(base) + (u64{warp} << 13);
  const u32 s = static_cast<u32>(__cvta_generic_to_shared(shared));
  u32 sum = 0, from = 0;
  for (int pass = 0; pass < 2; ++pass) {  // the second one counts
    __syncthreads();
    from = now();
#pragma unroll 1
    for (u32 n = 0; n < rounds; ++n) {
      u32 got[8] = {};
      const u32 turn = n % 2 * 64;  // other addresses each round, or loads would be made once
#pragma unroll
      for (int i = 0; i < 8; i += 2) {
        A::go(at + turn + lane * A::pitch + i * 4, s + turn + lane * A::pitch + i * 4, lane, got[i]);
        B::go(at + turn + lane * B::pitch + (i + 1) * 4, s + turn + lane * B::pitch + (i + 1) * 4, lane, got[i + 1]);
      }
#pragma unroll
      for (int i = 0; i < 8; ++i) asm volatile("add.u32 %0,%0,%1;" : "+r"(sum) : "r"(got[i]));
    }
  }
  const u32 to = now();
  if (lane == 0) out[2 * warp] = from, out[2 * warp + 1] = to;
  if (sum == 1) out[1] = 0;
}

template <class A, class B = A>
void run_rate(u8* base, u32* out) {
  std::vector<u32> got(64);
  constexpr u32 kRounds = 512;
  for (int warps : {1, 2, 4, 5, 8, 16, 32}) {
    CHECK(cudaFuncSetAttribute(rate<A, B>, cudaFuncAttributePreferredSharedMemoryCarveout, 8));
    rate<A, B><<<1, warps * 32, 8192>>>(base, out, kRounds);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, warps * 2 * sizeof(u32), cudaMemcpyDeviceToHost));
    u32 first = got[0], last = got[1];
    for (int w = 0; w < warps; ++w) first = std::min(first, got[2 * w]), last = std::max(last, got[2 * w + 1]);
    std::printf("rate,%s", A::name);
    if (!std::is_same<A, B>::value) std::printf("+%s", B::name);
    std::printf(",%d,%.2f\n", warps, static_cast<double>(last - first) / kRounds);
  }
}

template <class Kind>
void run(u8* base, u32* out) {
  std::vector<u32> got(64 * (kAccesses + 1));
  for (int warps : {1, 2, 4, 5, 8, 16}) {
    issue<Kind><<<1, warps * 32, 8192>>>(base, out, 3);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(u32), cudaMemcpyDeviceToHost));
    u32 first = got[0];
    for (int w = 0; w < warps; ++w) first = std::min(first, got[w * (kAccesses + 1)]);
    for (int w = 0; w < warps; ++w) {
      std::printf("issue,%s warp %d,%d,", Kind::name, w, warps);
      for (int i = 0; i <= kAccesses; ++i) std::printf(i ? " %u" : "%u", got[w * (kAccesses + 1) + i] - first);
      std::printf("\n");
    }
  }
  if (Kind::name[0] == 'l' || Kind::name[7] == 'l') return;  // a load's result would be waited for
  constexpr u32 kRounds = 2048;
  for (int warps : {1, 4, 8, 16}) {
    keep<Kind><<<1, warps * 32, 8192>>>(base, out, kRounds);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, warps * sizeof(u32), cudaMemcpyDeviceToHost));
    u32 most = 0;
    for (int w = 0; w < warps; ++w) most = std::max(most, got[w]);
    std::printf("keep,%s,%d,%.2f\n", Kind::name, warps, static_cast<double>(most) / kRounds);
  }
}

template <class... Kinds>
void run_all(u8* base, u32* out) {
  (run<Kinds>(base, out), ...);
}

int main() {
  std::printf("case,kind,warps,cycles\n");
  u8* const base = device_buffer<u8>(1 << 22);
  u32* const out = device_buffer<u32>(1 << 16);
  using namespace kinds;
  run_all<none, load_1, load_4, load_32, store_1, store_1_wide, store_1_widest, store_4, store_32, red_1,
          shared_load_1, shared_load_8, shared_store_1, shared_store_8, shared_store_1_widest>(base, out);
  run_rate<load_1>(base, out);
  run_rate<load_4>(base, out);
  run_rate<load_32>(base, out);
  run_rate<store_1>(base, out);
  run_rate<store_4>(base, out);
  run_rate<store_32>(base, out);
  run_rate<load_32, store_32>(base, out);
  run_rate<load_1, store_1>(base, out);
  run_rate<shared_load_one>(base, out);
  run_rate<shared_load_1>(base, out);
  run_rate<shared_load_8>(base, out);
  run_rate<shared_load_32>(base, out);
  run_rate<shared_store_32>(base, out);
  run_rate<shared_load_32, shared_load_one>(base, out);
  run_rate<shared_load_32, shared_store_1>(base, out);
  run_rate<load_32, shared_load_32>(base, out);
}
