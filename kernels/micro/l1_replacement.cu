// Which line of a set of the L1 goes when another needs its place, and what a load finds of words that were
// stored: random loads and stores of one thread on four to seven lines of one set, each done before the next,
// then a load and how long it takes (about 60 cycles from the L1, more than 260 from beyond). Prints one line a
// sequence: three characters an access (L or S; the line; 2 x sector + word), and the cycles of the last one.
// No profiler. The lines of a set are those of model/cache/index/l1_index.hpp.
#include <string>

#include "micro.cuh"

constexpr int kMost = 24, kSequences = 4000;
constexpr u32 kStore = 1u << 31;
constexpr int kSetOfBit[38] = {1,   2,   389, 90,  435, 49,  202, 231, 446, 329, 490, 369, 303,
                               473, 419, 510, 449, 367, 313, 183, 42,  83,  229, 431, 393, 462,
                               283, 482, 505, 207, 189, 31,  386, 355, 325, 234, 343, 30};

int set_of(u64 line) {
  int set = 0;
  for (int b = 0; b < 38; ++b)
    if (line >> b & 1) set ^= kSetOfBit[b];
  return set;
}

struct Sequence {
  u32 count;
  u32 access[kMost];  // words from the base; kStore
};

__global__ void run(u32* base, const Sequence* sequences, u32* out, u32 number) {
  __shared__ u32 access[kMost];
  const u32 count = sequences[number].count;
  for (u32 i = 0; i < count; ++i) access[i] = sequences[number].access[i];
  u32 zero = 0;  // what all words hold, which the compiler does not know
  for (u32 i = 0; i + 1 < count; ++i) {
    u32* const p = base + (access[i] & ~kStore);
    if (access[i] & kStore) {
      asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(zero) : "memory");
    } else {
      u32 v;
      asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
      zero += v;
    }
    const long long start = clock64() + zero;
    while (clock64() - start < 1500) {
    }
  }
  u32* const p = base + (access[count - 1] & ~kStore) + zero;
  u32 v;
  const long long start = clock64();
  asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  if (v == 12345) asm volatile("trap;");
  out[number] = static_cast<u32>(clock64() - start);
}

int main() {
  u32* const base = device_buffer<u32>(256 << 20);
  std::vector<u32> lines[512];
  for (u64 l = 0; l < 200000; ++l) {
    std::vector<u32>& set = lines[set_of(reinterpret_cast<u64>(base) / 128 + l)];
    if (set.size() < 16) set.push_back(static_cast<u32>(l));
  }
  std::vector<Sequence> sequences(kSequences);
  std::vector<std::string> names(kSequences);
  u64 state = 7;
  const auto draw = [&state](u32 below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<u32>(state >> 33) % below;
  };
  for (int n = 0; n < kSequences; ++n) {
    const std::vector<u32>& set = lines[draw(512)];
    const u32 used = 4 + draw(4), last = 3 + draw(18), sectors = draw(3) ? 1 : 2, stores = draw(3);
    sequences[n].count = last + 1;
    for (u32 i = 0; i <= last; ++i) {
      const u32 line = draw(used), sector = draw(sectors);
      const bool store = i < last && draw(3) < stores;
      const u32 word = store ? draw(2) : 0;
      sequences[n].access[i] = (set[line] * 32 + sector * 8 + word) | (store ? kStore : 0);
      names[n] += {store ? 'S' : 'L', static_cast<char>('a' + line),
                   static_cast<char>('0' + 2 * sector + word)};
    }
  }
  Sequence* const there = device_buffer<Sequence>(kSequences * sizeof(Sequence));
  CHECK(cudaMemcpy(there, sequences.data(), kSequences * sizeof(Sequence), cudaMemcpyHostToDevice));
  u32* const out = device_buffer<u32>(kSequences * 4);
  for (u32 n = 0; n < kSequences; ++n) run<<<1, 1>>>(base, there, out, n);
  std::vector<u32> cycles(kSequences);
  CHECK(cudaMemcpy(cycles.data(), out, kSequences * 4, cudaMemcpyDeviceToHost));
  std::printf("sequence,cycles\n");
  for (int n = 0; n < kSequences; ++n) std::printf("%s,%u\n", names[n].c_str(), cycles[n]);
}
