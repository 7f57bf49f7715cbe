// Which lines of the L2 get in each other's way: all SMs go for a few lines only, and how long that
// takes says how many units serve them. To be run under the profiler, one launch a case.
#include "micro.cuh"

// Warp w takes line (w + round) % lines of `to`, lines `apart` bytes from each other.
template <int kKind>  // 0: reduction, 1: load past L1, 2: store
__global__ void lines(u8* to, u64 apart, u32 count, int rounds) {
  const u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  u32 sum = 0;
  for (int r = 0; r < rounds; ++r) {
    u8* line = to + ((warp + r) % count) * apart + lane * 4;
    if (kKind == 0) asm volatile("red.global.add.u32 [%0],1;" ::"l"(line) : "memory");
    if (kKind == 1) sum += load_cg(line);
    if (kKind == 2) store4(line, r);
  }
  if (sum == 0x12345) *to = 1;
}
// One thread of a warp, one word: how passes over one sector follow each other.
__global__ void words(u32* to, u32 count, int rounds) {
  const u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (int r = 0; r < rounds; ++r)
    if (threadIdx.x % 32 == 0) asm volatile("red.global.add.u32 [%0],1;" ::"l"(to + (warp + r) % count) : "memory");
}

int main() {
  u8* a = device_buffer<u8>(256u << 20);
#define CASE(NAME, KIND, APART, COUNT, ROUNDS)                       \
  do {                                                               \
    label("%s,%llu,%u,%d", NAME, (unsigned long long)(APART), (unsigned)(COUNT), ROUNDS); \
    lines<KIND><<<132, 256>>>(a, APART, COUNT, ROUNDS);              \
    CHECK(cudaDeviceSynchronize());                                  \
  } while (0)
  for (u32 n : {1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 8192}) CASE("red", 0, 128, n, 16);
  for (u32 n : {1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 8192}) CASE("load", 1, 128, n, 64);
  for (u32 n : {1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 8192}) CASE("store", 2, 128, n, 16);
  for (int bit = 7; bit < 26; ++bit) CASE("red pair", 0, u64{1} << bit, 2, 16);
  for (int k = 1; k < 33; ++k) CASE("red pair", 0, u64{128} * k, 2, 16);
  for (u32 n : {1, 2, 8, 32, 256}) {
    label("word,4,%u,%d", n, 64);
    words<<<132, 256>>>(reinterpret_cast<u32*>(a), n, 64);
    CHECK(cudaDeviceSynchronize());
  }
}
