// Where a thread's local memory lies: the L1's set of words of the frames of the warps of an SM. A warp reads a word
// (all lanes: one line), then lines of global memory of one set after the other, each twice so that hits make the
// word's line old, and reads the word again: it has to come anew when the set was its own.
// Prints a line a word: the SM, words of a frame, threads of a CTA, which CTA and warp, %warpid, the word, its set (as
// in model/cache/index/l1_index.hpp, up to one constant for all of a launch), and in how many of the 512 sets it looked as if (1 is
// as it should be). A program keeps the share of its largest frame so far: launches come in the order of theirs, but
// for those that show this.
// Under ncu (any metric of one pass) a thread's share is larger.
#include "micro.cuh"

constexpr int kSets = 512, kLines = 6, kMost = 14;
constexpr int kSetOfBit[39] = {1,   2,   389, 90,  435, 49,  202, 231, 446, 329, 490, 369, 303, 473, 419, 510, 449, 367, 313, 183,
                               42,  83,  229, 431, 393, 462, 283, 482, 505, 207, 189, 31,  386, 355, 325, 234, 343, 30,  496};

int set_of(u64 line) {
  int set = 0;
  for (int b = 0; b < 39; ++b)
    if (line >> b & 1) set ^= kSetOfBit[b];
  return set;
}

struct Found {
  u32 cta, warp, warpid, word, set, sets;
};
struct Turns {
  u32 sm, arrived, turn, next;
};

__device__ __forceinline__ u32 past_l1(const u32* p) {
  u32 v;
  asm volatile("ld.global.cv.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

template <int kWords>
__global__ void __launch_bounds__(1024) places(const u32* base, const u32* table, Turns* turns, u32 ctas, Found* out, u32 zero, u32 asked) {
  volatile u32 frame[kWords];
  __shared__ u32 ticket;
  u32 sm, warpid;
  asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0,%%warpid;" : "=r"(warpid));
  if (sm != asked) return;
  for (int i = 0; i < kWords; ++i) frame[(i + zero) % kWords] = zero;
  if (threadIdx.x == 0) {
    ticket = atomicAdd(&turns->arrived, 1u);
    const long long start = clock64();
    while (past_l1(&turns->arrived) < ctas && clock64() - start < 20000000) {
    }
    while (past_l1(&turns->turn) != ticket) {
    }
  }
  __syncthreads();
  for (u32 w = 0; w < blockDim.x / 32; w += blockDim.x > 256 ? 3 : 1) {
    __syncthreads();
    if (threadIdx.x / 32 != w) continue;
    for (u32 k = 0; k < kMost; ++k) {
      const u32 word = k == 0 ? 0 : k < 11 ? 1u << (k - 1) : k == 11 ? 3 : k == 12 ? kWords - 1 : kWords / 3;
      if (word >= kWords) continue;
      u32 set = kSets, sets = 0, sum = zero;
      for (u32 s = 0; s < kSets; ++s) {
        sum += frame[word + sum];
        for (u32 i = 0; i < kLines; ++i) {
          const u32* p = base + past_l1(table + s * kLines + i + sum) * 32ull;
          for (int twice = 0; twice < 2; ++twice) {
            u32 v;
            asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(p + sum) : "memory");
            sum += v;
          }
        }
        const u32 t0 = clock() + sum;
        sum += frame[word + sum];
        const u32 t1 = clock() + sum;
        if (t1 - t0 > 150) {
          if (!sets) set = s;
          ++sets;
        }
      }
      if (threadIdx.x % 32 == 0) {
        const u32 at = atomicAdd(&turns->next, 1u);
        out[at] = {ticket, w, warpid, word, set, sets};
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&turns->turn, 1u);
  // All stay until the last has had its turn.
  while (past_l1(&turns->turn) < past_l1(&turns->arrived)) wait_cycles(1000);
}

template <int kWords>
void measure(const u32* base, const u32* table, u32 threads, u32 ctas, u32 sm = 0) {
  static Turns* const turns = device_buffer<Turns>(sizeof(Turns));
  static Found* const out = device_buffer<Found>(4096 * sizeof(Found));
  CHECK(cudaFuncSetAttribute(places<kWords>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  CHECK(cudaMemset(turns, 0, sizeof(Turns)));
  places<kWords><<<132 * ctas, threads>>>(base, table, turns, ctas, out, 0, sm);
  CHECK(cudaDeviceSynchronize());
  Turns t;
  std::vector<Found> found(4096);
  CHECK(cudaMemcpy(&t, turns, sizeof t, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(found.data(), out, found.size() * sizeof(Found), cudaMemcpyDeviceToHost));
  for (u32 i = 0; i < t.next && i < found.size(); ++i)
    std::printf("%u,%d,%u,%u,%u,%u,%u,%u,%u\n", sm, kWords, threads, found[i].cta, found[i].warp, found[i].warpid, found[i].word, found[i].set, found[i].sets);
  std::fflush(stdout);
}

int main() {
  u32* const base = device_buffer<u32>(64 << 20);
  std::vector<u32> table(kSets * kLines), count(kSets);
  for (u64 l = 1000; l < 400000; ++l) {
    const int set = set_of(reinterpret_cast<u64>(base) / 128 + l);
    if (count[set] < kLines) table[set * kLines + count[set]++] = static_cast<u32>(l);
  }
  u32* const there = device_buffer<u32>(table.size() * 4 + 4096);
  CHECK(cudaMemcpy(there, table.data(), table.size() * 4, cudaMemcpyHostToDevice));
  std::printf("sm,frame,threads,cta,warp,warpid,word,set,found\n");
  measure<8>(base, there, 128, 1);
  measure<36>(base, there, 128, 1);
  for (u32 sm : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 17u, 64u, 100u, 131u}) measure<64>(base, there, 256, 1, sm);
  measure<100>(base, there, 256, 1);
  for (u32 sm : {0u, 1u, 64u, 131u}) measure<128>(base, there, 1024, 1, sm);
  measure<320>(base, there, 128, 1);
  measure<64>(base, there, 128, 3);
  measure<512>(base, there, 256, 1);
  for (u32 sm : {0u, 1u, 7u, 131u}) measure<1000>(base, there, 256, 1, sm);
  measure<1003>(base, there, 128, 1);
  measure<1006>(base, there, 128, 1);
  measure<1010>(base, there, 128, 1);
  measure<100>(base, there, 512, 2);
  measure<100>(base, there, 512, 2, 9);
}
