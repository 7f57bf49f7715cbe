// How many passes of shared memory an asynchronous copy takes, by where its lanes read and write,
// and which of them are filled with zeros. 64 copies in a row, each an instruction of its own, so
// that the profiler tells them apart:
//   ncu --clock-control none --csv --page raw --print-metric-instances details
//       --metrics memory_l1_wavefronts_shared async_passes
// An argument leaves out the launches that make one copy alone, for counters that are not told
// apart by instruction. Each launch prints its copies: launch, step, how it ran, bytes a lane,
// lanes that are on, lanes that are filled, the places of the 32 lanes in global memory and in
// shared memory (three hexadecimal digits each, in units of the bytes a lane). Past: past the L1;
// all others go through it.
#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include "micro.cuh"

constexpr int kSteps = 64;
constexpr u64 kApart = 65536;  // bytes from a step's source to the next
constexpr u64 kOfWarp = kApart * kSteps;

struct Case {
  std::uint16_t from[32], to[32];
  u32 on = ~0u, fill = 0;
};
using Table = std::vector<Case>;

struct How {
  const char* name;
  int warps = 1;
  bool warm = false;  // the lines are in the L1
  bool wait = true;   // for each copy before the next
  bool apart = true;  // warps read places of their own
};

// A lane's part of a case: from, to << 12, on << 24, fill << 25.
template <int kBytes, bool kPast>
__global__ void copies(const u8* from, const u32* table, u32* out, bool warm, bool wait,
                       u64 of_warp, int only) {
  extern __shared__ __align__(1024) u8 shared[];
  const u32 lane = threadIdx.x % 32;
  const u8* const mine = from + threadIdx.x / 32 * of_warp;
  const u32 base = static_cast<u32>(__cvta_generic_to_shared(shared));
  if (warm) {
    u32 sum = 0;
#pragma unroll 1
    for (int i = 0; i < kSteps; ++i) {
      const u32 c = load_cg(table + i * 32 + lane);
      if (c >> 24 & 1) sum += load_ca(mine + i * kApart + (c & 0xfff) * kBytes);
    }
    if (sum == 77) *out = 1;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    const u32 c = load_cg(table + i * 32 + lane);
    const u8* const p = mine + i * kApart + (c & 0xfff) * kBytes;
    const u32 s = base + (c >> 12 & 0xfff) * kBytes;
    const u32 on = only < 0 || only == i ? c >> 24 & 1 : 0;
#define COPY(PATH)                                                    \
  asm volatile(                                                       \
      "{.reg .pred p, q; setp.ne.u32 p,%3,0; setp.ne.u32 q,%4,0;"     \
      "@p cp.async." PATH ".shared.global [%0],[%1],%2,q;}" ::"r"(s), \
      "l"(p), "n"(kBytes), "r"(on), "r"(c >> 25 & 1)                  \
      : "memory")
    if (kPast) COPY("cg");
    else COPY("ca");
    if (wait) asm volatile("cp.async.wait_all;" ::: "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
}

std::mt19937 random_numbers(29);
u32 below(u32 n) { return static_cast<u32>(random_numbers() % n); }

// 32 different numbers below n.
void distinct(std::uint16_t* out, u32 n) {
  std::vector<std::uint16_t> all(std::max<u32>(n, 32));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  for (std::size_t i = 0; i < 32; ++i) {
    std::swap(all[i], all[i + below(static_cast<u32>(all.size() - i))]);
    out[i] = all[i];
  }
}

// What kernels do: runs of lanes along one side, rows of the other so far apart.
Table regular(int line) {
  Table all;
  const auto u = [](int n) { return static_cast<std::uint16_t>(n); };
  for (int run : {1, 2, 4, 8, 16, 32})  // lanes along a line of global memory
    for (int pad : {0, 1, 2, 4, 8, 16, 32,
                    33})  // transposed: a row of shared memory for each place in the run
      if (run > 1 && all.size() < 40) {
        Case c;
        for (int i = 0; i < 32; ++i)
          c.from[i] = u(i % run + i / run * line), c.to[i] = u(i % run * (line + pad) + i / run);
        const int most = *std::max_element(c.to, c.to + 32);
        if (most < 4096) all.push_back(c);
      }
  for (int step : {1, 2, 3, 4, 8, 16, 32})  // a line to a column
    for (int shift : {0, 5}) {
      Case c;
      for (int i = 0; i < 32; ++i) c.from[i] = u(i + shift), c.to[i] = u(i * step);
      all.push_back(c);
    }
  for (int step : {2, 4, 32})  // strided to a row
    for (int shift : {0, 5}) {
      Case c;
      for (int i = 0; i < 32; ++i) c.from[i] = u(i * step), c.to[i] = u(i + shift);
      all.push_back(c);
    }
  for (int step : {2, 8}) {  // both
    Case c;
    for (int i = 0; i < 32; ++i) c.from[i] = u(i * step), c.to[i] = u(i * step);
    all.push_back(c);
  }
  for (int same : {1, 4}) {  // lanes that read one word
    Case c;
    for (int i = 0; i < 32; ++i) c.from[i] = u(i / 32 * 32 + i % same), c.to[i] = u(i);
    all.push_back(c);
  }
  all.resize(kSteps, all[0]);
  return all;
}

enum class Kind { kRows, kColumns, kBoth, kShared, kFew, kMasked, kFilled, kOneLine, kSamePlace };

Table drawn(Kind kind, int line) {
  Table all;
  for (int k = 0; k < kSteps; ++k) {
    const u32 lines = 1 + below(5), rows = 1 + below(5), words = static_cast<u32>(line);
    Case c;
    distinct(c.from, std::max<u32>(32, lines * words));
    distinct(c.to, std::max<u32>(32, rows * words));
    if (kind == Kind::kRows)  // no two lanes to one bank
      for (int i = 0; i < 32; ++i) c.to[i] = static_cast<std::uint16_t>((i * 5 + k) % 32);
    if (kind == Kind::kColumns || kind == Kind::kOneLine)  // no two from one bank
      for (int i = 0; i < 32; ++i)
        c.from[i] = static_cast<std::uint16_t>(
            kind == Kind::kOneLine ? i : (i * 5 + k) % 32 + below(lines) * words);
    if (kind == Kind::kShared)
      for (auto& f : c.from) f = static_cast<std::uint16_t>(below(lines * words / 2));
    if (kind == Kind::kSamePlace)
      for (auto& t : c.to) t = static_cast<std::uint16_t>(below(rows * words / 2));
    if (kind == Kind::kFew) {  // few lanes on few banks
      const u32 lanes = 2 + below(5), from_banks = 1 + below(3), to_banks = 1 + below(3);
      c.on = 0;
      std::vector<u32> taken;
      while (static_cast<u32>(__builtin_popcount(c.on)) < lanes) {
        const u32 i = below(32);
        const u32 t = below(to_banks) + below(6) * words;
        if ((c.on >> i & 1) || std::count(taken.begin(), taken.end(), t)) continue;
        taken.push_back(t);
        c.on |= 1u << i;
        c.from[i] = static_cast<std::uint16_t>(below(from_banks) + below(4) * words);
        c.to[i] = static_cast<std::uint16_t>(t);
      }
      if (below(2)) {  // side by side, as they are
        Case near = c;
        near.on = 0;
        int n = 0;
        for (u32 rest = c.on; rest; rest &= rest - 1, ++n) {
          const int i = __builtin_ctz(rest);
          near.from[n] = c.from[i], near.to[n] = c.to[i];
          near.on |= 1u << n;
        }
        c = near;
      }
    }
    if (kind == Kind::kMasked) c.on = random_numbers() | 1;
    if (kind == Kind::kFilled) {
      c.fill = k % 4 == 0 ? ~0u : random_numbers();
      if (k % 4 == 1) c.fill &= random_numbers();
      if (k % 8 == 2) c.on = random_numbers() | 1;
      if (k % 2)  // rows of shared memory apart
        for (int i = 0; i < 32; ++i)
          c.from[i] = static_cast<std::uint16_t>(i),
          c.to[i] = static_cast<std::uint16_t>(i * (1 << below(3)));
    }
    all.push_back(c);
  }
  return all;
}

const u8* source;
u32 *device_table, *out;
int launches = 0;

void print(const Table& table, int bytes, const How& how) {
  for (int i = 0; i < kSteps; ++i) {
    const Case& c = table[static_cast<std::size_t>(i)];
    char from[97], to[97];
    for (int l = 0; l < 32; ++l) {
      std::snprintf(from + 3 * l, 4, "%03x", c.from[l]);
      std::snprintf(to + 3 * l, 4, "%03x", c.to[l]);
    }
    label("%d,%d,%s,%d,%08x,%08x,%s,%s", launches, i, how.name, bytes, c.on, c.fill, from, to);
  }
}

template <int kBytes, bool kPast = false>
void run(const Table& table, const How& how, int only = -1) {
  std::vector<u32> words;
  for (const Case& c : table)
    for (int l = 0; l < 32; ++l)
      words.push_back(c.from[l] | c.to[l] << 12 | (c.on >> l & 1) << 24 | (c.fill >> l & 1) << 25);
  CHECK(cudaMemcpy(device_table, words.data(), words.size() * 4, cudaMemcpyHostToDevice));
  if (only < 0) print(table, kBytes, how);
  else label("%d,%d,alone,%d", launches, only, kBytes);
  CHECK(cudaFuncSetAttribute(copies<kBytes, kPast>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             65536));
  copies<kBytes, kPast><<<1, 32 * how.warps, 65536>>>(source, device_table, out, how.warm, how.wait,
                                                      how.apart ? kOfWarp : 0, only);
  ++launches;
}

template <int kBytes>
void all(bool alone_too) {
  constexpr int line = 128 / kBytes;
  const How alone{"cold"};
  const How others[] = {{"warm", 1, true, true},
                        {"flight", 1, false, false},
                        {"warm flight", 1, true, false},
                        {"8 warps", 8, false, true},
                        {"8 warps, flight", 8, false, false},
                        {"8 warps, one place", 8, false, false, false},
                        {"8 warps, warm flight", 8, true, false}};
  const Table kernels = regular(line), both = drawn(Kind::kBoth, line);
  run<kBytes>(kernels, alone);
  run<kBytes>(both, alone);
  for (const How& how : others) run<kBytes>(kernels, how), run<kBytes>(both, how);
  for (Kind k : {Kind::kRows, Kind::kColumns, Kind::kOneLine, Kind::kShared, Kind::kMasked,
                 Kind::kFilled, Kind::kSamePlace, Kind::kFew})
    run<kBytes>(drawn(k, line), alone);
  if (kBytes == 4)
    for (Kind k : {Kind::kFew, Kind::kFew, Kind::kFew, Kind::kFew, Kind::kBoth, Kind::kBoth,
                   Kind::kBoth, Kind::kColumns, Kind::kRows, Kind::kOneLine, Kind::kFilled})
      run<kBytes>(drawn(k, line), alone);
  // Each by itself, for counters that are not told apart by instruction.
  for (int i = 0; alone_too && i < kSteps; i += 2)
    run<kBytes>(kernels, alone, i), run<kBytes>(both, alone, i);
}

// Past the L1, with lanes that are filled.
void all_past() {
  const How past{"past"};
  run<16, true>(regular(8), past);
  run<16, true>(drawn(Kind::kBoth, 8), past);
  for (int i = 0; i < 6; ++i) run<16, true>(drawn(Kind::kFilled, 8), past);
}

int main(int argc, char**) {
  const bool alone_too = argc < 2;
  source = device_buffer<u8>(kOfWarp * 8);
  device_table = device_buffer<u32>(kSteps * 32 * 4);
  out = device_buffer<u32>(64);
  all<4>(alone_too);
  all<8>(alone_too);
  all<16>(alone_too);
  all_past();
  CHECK(cudaDeviceSynchronize());
}
