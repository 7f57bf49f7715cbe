// As l1_replacement.cu, for local memory: random loads, last-use loads (ld.lu, with which compilers refill
// spilled registers) and stores of one warp on words of its frame that share a set of the L1, each done
// before the next, then a load and how long it takes (about 85 cycles from the L1, more than 290 from
// beyond). Prints one line a sequence: three characters an access (L, U or S; the word; lanes: 0 all, 1 the
// first eight, 2 the first alone), and the cycles of the last one (0: the frame has too few such words). Before
// each, lines of global memory push out what earlier launches left of local memory. No profiler. Where a frame
// lies: local_places.cu. ptxas 13.0 writes ld.local.lu as LDL: without the bit that makes it LDL.LU (85 of the
// instruction's 128) last uses are plain loads.
#include <string>

#include "micro.cuh"

constexpr int kMost = 24, kSequences = 2000, kWords = 12288;
constexpr u32 kStore = 1u << 31, kLastUse = 1u << 30;
constexpr u32 kKnown = 14;  // bits of a line's address: local memory begins at a multiple of 2 MiB
__constant__ int set_of_bit[39] = {1,   2,   389, 90,  435, 49,  202, 231, 446, 329, 490, 369, 303, 473, 419, 510, 449, 367, 313, 183,
                                   42,  83,  229, 431, 393, 462, 283, 482, 505, 207, 189, 31,  386, 355, 325, 234, 343, 30,  496};

struct Sequence {
  u32 count, set;
  u32 access[kMost];  // which word of the set; lanes << 8; kStore or kLastUse
};

__device__ __forceinline__ u32 last_use(const volatile u32* p) {
  u32 v;
  asm volatile("{.reg .u64 at; cvta.to.local.u64 at,%1; ld.local.lu.u32 %0,[at];}" : "=r"(v) : "l"(p) : "memory");
  return v;
}

__global__ void run(const Sequence* sequences, u32* out, u32 number, u32 local_bytes, u32 none,
                    const u32* elsewhere) {
  volatile u32 frame[kWords];
  __shared__ u32 access[kMost], words[8];
  __shared__ u32 found;
  u32 sm, slot;
  asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0,%%warpid;" : "=r"(slot));
  const u32 lane = threadIdx.x;
  if (lane == 0) {
    const u32 frame_words = local_bytes / 4, each = frame_words + 144;
    const u64 first = static_cast<u64>(sm * 64 + slot) * each;
    found = 0;
    for (u32 w = 0; w < kWords && found < 8 && (first + w) >> kKnown == first >> kKnown; ++w) {
      u32 set = 0;
      for (int b = 0; b < 39; ++b)
        if ((first + w) >> b & 1) set ^= set_of_bit[b];
      if (set == sequences[number].set) words[found++] = w;
    }
    for (u32 i = 0; i < sequences[number].count; ++i) access[i] = sequences[number].access[i];
  }
  __syncwarp();
  const u32 count = sequences[number].count;
  u32 sum = 0;
  for (u32 i = 0; i < 4096; i += 32)
    for (int twice = 0; twice < 2; ++twice) {
      u32 v;
      asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(elsewhere + (i + lane) * 32 + sum) : "memory");
      sum += v & none;
    }
  __threadfence();  // leaves local memory's lines alone in the L1
  for (u32 i = 0; i + 1 < count; ++i) {
    const u32 lanes = access[i] >> 8 & 255, word = words[access[i] & 255];
    if (lane < (lanes == 0 ? 32 : lanes == 1 ? 8 : 1)) {
      if (access[i] & kStore) frame[word + sum] = none;
      else if (access[i] & kLastUse) sum += last_use(frame + word + sum) & none;
      else sum += frame[word + sum] & none;
    }
    __syncwarp();
    const long long start = clock64() + sum;
    while (clock64() - start < 1500) {
    }
  }
  const u32 last = words[access[count - 1] & 255];
  const long long start = clock64() + sum;
  const u32 v = frame[last + sum] & none;
  if (v) asm volatile("trap;");
  const long long end = clock64();
  if (lane == 0) out[number] = found < 7 ? 0 : static_cast<u32>(end - start);
}

int main() {
  std::vector<Sequence> sequences(kSequences);
  std::vector<std::string> names(kSequences);
  u64 state = 7;
  const auto draw = [&state](u32 below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<u32>(state >> 33) % below;
  };
  for (int n = 0; n < kSequences; ++n) {
    const u32 used = 4 + draw(4), last = 3 + draw(18), stores = draw(4), parts = draw(3) ? 1 : 3, last_uses = draw(3);
    sequences[n].count = last + 1;
    sequences[n].set = draw(512);
    for (u32 i = 0; i <= last; ++i) {
      const u32 word = draw(used), lanes = i < last ? draw(parts) : 0;
      const bool store = i < last && draw(3) < stores;
      const bool last_use = !store && i < last && draw(3) < last_uses;
      sequences[n].access[i] = word | lanes << 8 | (store ? kStore : last_use ? kLastUse : 0);
      names[n] += {store ? 'S' : last_use ? 'U' : 'L', static_cast<char>('a' + word), static_cast<char>('0' + lanes)};
    }
  }
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, run));
  Sequence* const there = device_buffer<Sequence>(kSequences * sizeof(Sequence));
  CHECK(cudaMemcpy(there, sequences.data(), kSequences * sizeof(Sequence), cudaMemcpyHostToDevice));
  u32* const out = device_buffer<u32>(kSequences * 4);
  const u32* const elsewhere = device_buffer<u32>(4096 * 128);
  for (u32 n = 0; n < kSequences; ++n)
    run<<<1, 32>>>(there, out, n, static_cast<u32>(attributes.localSizeBytes), 0, elsewhere);
  std::vector<u32> cycles(kSequences);
  CHECK(cudaMemcpy(cycles.data(), out, kSequences * 4, cudaMemcpyDeviceToHost));
  std::printf("sequence,cycles\n");
  for (int n = 0; n < kSequences; ++n) std::printf("%s,%u\n", names[n].c_str(), cycles[n]);
}
