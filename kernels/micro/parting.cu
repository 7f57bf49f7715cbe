// What it costs a warp that its lanes part and meet again, and what calls cost: cycles a round of a
// loop whose lanes take `ways` sides of branches, go round an inner loop as often, or call as many
// functions. Each side has `length` operations that follow from each other. A CTA runs alone, a
// line a case: the form, its warps, ways, length, whether the lanes part (0: all take one side,
// another one each round), rounds, cycles of the slowest warp a round. With two ways ptxas makes
// loads predicated instead of branches.
#include "micro.cuh"

__device__ u32 sink[1024];

enum class Form { kSides, kLoad, kLoadLater, kFar, kLoop, kCall, kTwoCalls, kPointer, kSwitch };

template <int N>
__device__ __forceinline__ u32 chain(u32 x, u32 k) {
#pragma unroll
  for (int i = 0; i < N; ++i) asm volatile("mad.lo.u32 %0,%0,%1,%1;" : "+r"(x) : "r"(k));
  return x;
}

__device__ __noinline__ u32 called_a(u32 x) { return chain<8>(x, x | 3); }
__device__ __noinline__ u32 called_b(u32 x) { return chain<8>(x, x | 5); }

template <int W>
__device__ __noinline__ u32 pointed(u32 x) {
  return chain<8>(x, W + 3);
}
using Function = u32 (*)(u32);
__device__ Function functions[8] = {pointed<0>, pointed<1>, pointed<2>, pointed<3>,
                                    pointed<4>, pointed<5>, pointed<6>, pointed<7>};

template <Form F, int N>
__device__ __forceinline__ u32 side(u32 x, u32 way, const u32* a) {
  x = chain<N>(x, way + 3);
  if constexpr (F == Form::kLoad) x += chain<1>(load_ca(a + (x & 31)), way + 3);
  if constexpr (F == Form::kFar) x += chain<1>(load_cg(a + (x & 31)), way + 3);
  return x;
}

// A side for each of Ways groups of lanes, one branch after the other.
template <Form F, int Ways, int N, int W = 0>
__device__ __forceinline__ u32 sides(u32 x, u32 way, const u32* a) {
  if constexpr (W + 1 == Ways) {
    return side<F, N>(x + W, way, a);
  } else {
    if (way == W) {
      x = side<F, N>(x + W, way, a);
      asm volatile("" ::: "memory");
      return x;
    }
    return sides<F, Ways, N, W + 1>(x, way, a);
  }
}

template <Form F, int Ways, int N>
__global__ void part(const u32* a, u32 rounds, u32 parts, long long* out) {
  const u32 lane = threadIdx.x & 31;
  u32 x = a[lane];
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (u32 r = 0; r < rounds; ++r) {
    const u32 way = (lane * parts + r) % Ways;
    if constexpr (F == Form::kLoop) {
#pragma unroll 1
      for (u32 k = 0; k <= way; ++k) x = chain<N>(x, k);
    } else if constexpr (F == Form::kCall) {
      x = way & 1 ? called_a(x) : called_b(x);
    } else if constexpr (F == Form::kTwoCalls) {
      x = way & 1 ? called_b(called_a(x)) : called_a(called_b(x));
    } else if constexpr (F == Form::kPointer) {
      x = functions[way](x);
    } else if constexpr (F == Form::kSwitch) {
      switch (way) {
#define SIDE(n) \
  case n: x = chain<N>(x, n + 3) ^ a[n]; break
        SIDE(0);
        SIDE(1);
        SIDE(2);
        SIDE(3);
        SIDE(4);
        SIDE(5);
        SIDE(6);
        SIDE(7);
        SIDE(8);
        SIDE(9);
        SIDE(10);
        SIDE(11);
        SIDE(12);
        SIDE(13);
        SIDE(14);
        SIDE(15);
      }
    } else if constexpr (F == Form::kLoadLater) {
      u32 y;
      if (way & 1) {
        x = chain<N>(x, 3);
        y = load_ca(a + (x & 31));
        asm volatile("" ::: "memory");
      } else {
        x = chain<N>(x, 5);
        y = load_ca(a + 32 + (x & 31));
        asm volatile("" ::: "memory");
      }
      x += y;
    } else {
      x = sides<F, Ways, N>(x, way, a);
    }
  }
  out[threadIdx.x] = clock64() - begin;
  sink[threadIdx.x] = x;
}

const u32* words;
long long* times;

template <Form F, int Ways, int N>
void run(const char* form) {
  for (const int warps : {1, 4, 8, 16, 32}) {
    for (const u32 parts : {0u, 1u}) {
      constexpr u32 kRounds = 512;
      long long host[1024], most = 0;
      for (int again = 0; again < 2; ++again) {
        part<F, Ways, N><<<1, warps * 32>>>(words, kRounds, parts, times);
        CHECK(cudaDeviceSynchronize());
      }
      CHECK(cudaMemcpy(host, times, sizeof(long long) * warps * 32, cudaMemcpyDeviceToHost));
      for (int t = 0; t < warps * 32; ++t) most = host[t] > most ? host[t] : most;
      std::printf("%s,%d,%d,%d,%u,%u,%.2f\n", form, warps, Ways, N, parts, kRounds,
                  static_cast<double>(most) / kRounds);
    }
  }
}

int main() {
  words = device_buffer<u32>(1 << 20);
  times = device_buffer<long long>(1024 * 8);
  std::printf("form,warps,ways,length,parts,rounds,cycles\n");
  run<Form::kSides, 2, 2>("sides");
  run<Form::kSides, 2, 8>("sides");
  run<Form::kSides, 2, 16>("sides");
  run<Form::kSides, 2, 32>("sides");
  run<Form::kSides, 2, 64>("sides");
  run<Form::kSides, 4, 8>("sides");
  run<Form::kSides, 4, 32>("sides");
  run<Form::kSides, 8, 8>("sides");
  run<Form::kSides, 8, 32>("sides");
  run<Form::kSides, 16, 8>("sides");
  run<Form::kSides, 32, 8>("sides");
  run<Form::kLoad, 2, 8>("load");
  run<Form::kLoad, 4, 8>("load");
  run<Form::kLoad, 8, 8>("load");
  run<Form::kFar, 2, 8>("far load");
  run<Form::kFar, 4, 8>("far load");
  run<Form::kFar, 8, 8>("far load");
  run<Form::kLoadLater, 2, 8>("load used later");
  run<Form::kLoop, 2, 8>("loop");
  run<Form::kLoop, 4, 8>("loop");
  run<Form::kLoop, 8, 8>("loop");
  run<Form::kLoop, 32, 8>("loop");
  run<Form::kCall, 2, 8>("call");
  run<Form::kTwoCalls, 2, 8>("two calls");
  run<Form::kPointer, 2, 8>("pointer");
  run<Form::kPointer, 4, 8>("pointer");
  run<Form::kPointer, 8, 8>("pointer");
  run<Form::kSwitch, 16, 8>("switch");
  run<Form::kSwitch, 16, 32>("switch");
  return 0;
}
