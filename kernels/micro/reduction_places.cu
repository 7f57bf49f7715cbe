// Which lanes of a reduction go together: lanes on few lines whose words meet across lines, and
// whole warps on random words. One labelled launch for the profiler (sectors and requests of
// reductions). "lanes" launches hold eight cases, the words of each lane by number; the i-th is
// asked 4^i times, so that the sums tell what each of them takes beyond one request a line and one
// sector for each that it needs.
#include <cstring>

#include "micro.cuh"

constexpr int kCases = 8;
constexpr u32 kNone = ~0u;

__device__ __forceinline__ void reduce(u32* word) {
  asm volatile("red.global.add.u32 [%0],1;" ::"l"(word) : "memory");
}
__device__ __forceinline__ void reduce(u64* word) {
  asm volatile("red.global.add.u64 [%0],1;" ::"l"(word) : "memory");
}

__global__ void lanes(u32* data, const u32* words) {
  for (int i = 0; i < kCases; ++i) {
    const u32 word = words[i * 32 + threadIdx.x];
    if (word != kNone)
      for (u32 times = 1u << 2 * i; times > 0; --times) reduce(data + word);
    __syncwarp();
  }
}

__host__ __device__ inline u32 hash(u32 x) {
  x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
  return x ^ x >> 16;
}

template <class T>
__global__ void random_words(T* data, u32 seed, u32 mask) {
  reduce(data + (hash(seed * 32 + threadIdx.x) & mask));
}

u32 drawn = 1;
u32 draw() { return hash(drawn++); }

// The tag bank of a line (model/cache/tag_banks.hpp).
u32 bank_of(u32 line) {
  constexpr u32 kOfBit[14] = {1, 2, 1, 2, 3, 1, 2, 3, 2, 1, 2, 1, 3, 1};
  u32 bank = 0;
  for (int bit = 0; bit < 14; ++bit)
    if (line >> bit & 1) bank ^= kOfBit[bit];
  return bank;
}
u32 line_in(u32 bank) {
  while (true)
    if (const u32 line = draw() % (1 << 14); bank_of(line) == bank) return line;
}

// The lines of a case's lanes.
std::vector<u32> lines_of(int kind) {
  const u32 bank = draw() % 4, first = line_in(bank);
  const auto other = [&] { return line_in(bank); };
  std::vector<u32> lines;
  switch (kind) {
    case 0: {  // of four tag banks
      const u32 all[4] = {first, line_in((bank + 1) % 4), line_in((bank + 2) % 4),
                          line_in((bank + 3) % 4)};
      for (int lane = 0; lane < 8; ++lane) lines.push_back(all[draw() % 4]);
      break;
    }
    case 1: lines = {first, other(), first}; break;  // of one
    case 2: lines = {first, other(), other(), first}; break;
    case 3: lines = {first, other(), other(), other(), other(), first}; break;
    default:  // of any; one of them twice
      for (int lane = 0; lane < 8; ++lane) lines.push_back(draw() % (1 << 14));
      lines.push_back(lines[draw() % 8]);
  }
  return lines;
}

void ask_lanes(u32* data, u32* table) {
  for (int kind = 0; kind < 5; ++kind) {
    for (int launch = 0; launch < 24; ++launch) {
      u32 words[kCases * 32];
      std::memset(words, 0xff, sizeof words);
      std::printf("case,lanes");
      for (int i = 0; i < kCases; ++i) {
        u32* const of = words + i * 32;
        int lane = 0;
        for (const u32 line : lines_of(kind)) {
          bool again = true;
          while (again) {
            of[lane] = line * 32 + draw() % 32;
            again = false;
            for (int before = 0; before < lane; ++before) again |= of[before] == of[lane];
          }
          std::printf("%c%u", lane ? ':' : ',', of[lane]);
          ++lane;
        }
      }
      std::printf("\n");
      CHECK(cudaMemcpy(table, words, sizeof words, cudaMemcpyHostToDevice));
      lanes<<<1, 32>>>(data, table);
      CHECK(cudaDeviceSynchronize());
    }
  }
}

template <class T>
void ask_random(const char* type, u32* data, const std::vector<u32>& masks) {
  for (u32 mask : masks)
    for (u32 seed = 0; seed < 48; ++seed) {
      label("random %s,%u,%u", type, mask, seed);
      random_words<<<1, 32>>>(reinterpret_cast<T*>(data), seed, mask);
      CHECK(cudaDeviceSynchronize());
    }
}

int main() {
  u32* data = device_buffer<u32>(u64{64} << 20);
  ask_lanes(data, device_buffer<u32>(kCases * 32 * 4));
  ask_random<u32>("u32", data, {0x3ff, 0x3fff, 0x7ffff});
  ask_random<u64>("u64", data, {0x1ff, 0x3fff});
}
