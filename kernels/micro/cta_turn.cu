// How long a place for a CTA stays empty: from the last instruction of a CTA to the first one of the next CTA in its
// place. Grids of four CTAs a place, so many places an SM as shared memory leaves. Prints CSV, a line a grid: threads,
// places an SM, cycles that each CTA waits, words that each thread stores at its end (more than one: each in a line of its
// own), whether it waits until they are acknowledged; then medians over all CTAs
// but each place's first: cycles from the last warp's end to the next CTA's first warp, from there to the last warp's
// first instruction, and from the start of one CTA to that of the next one.
#include <algorithm>
#include <map>

#include "micro.cuh"

struct Seen {
  u64 begin, end;
  u32 sm, place;
};

__global__ void turn(Seen* seen, u32* to, int cycles, int stores, int fence) {
  extern __shared__ u32 shared[];
  u64 begin, end;
  asm volatile("mov.u64 %0,%%clock64;" : "=l"(begin)::"memory");
  const u32 warps = blockDim.x / 32, warp = threadIdx.x / 32;
  if (cycles) wait_cycles(cycles);
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (stores == 1) to[i] = cycles;
  else
    for (int k = 0; k < stores; ++k) to[(u64{i} * stores + k) * 32 % (u64{1} << 28)] = cycles;
  if (fence) __threadfence();
  if (threadIdx.x % 32 == 0) {
    Seen& s = seen[blockIdx.x * warps + warp];
    s.begin = begin;
    s.sm = sm_id();
    asm volatile("mov.u64 %0,%%clock64;" : "=l"(end)::"memory");
    s.end = end;
  }
}

u64 median(std::vector<u64> v) {
  if (v.empty()) return 0;
  std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
  return v[v.size() / 2];
}

int main() {
  constexpr u32 kMost = 132 * 32 * 4 * 32;
  Seen* seen = device_buffer<Seen>(u64{kMost} * sizeof(Seen));
  u32* to = device_buffer<u32>(u64{4} << 28);
  std::vector<Seen> h(kMost);
  CHECK(cudaFuncSetAttribute(turn, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  std::printf("threads,places,waits,stores,fence,gap,spread,turn,least_gap,most_gap\n");
  for (int threads : {32, 64, 128, 256, 512, 1024})
    for (int each : {1, 2})
      for (int cycles : {0, 1000, 4000})
        for (const auto& [stores, fence] : {std::pair{0, 0}, {1, 0}, {1, 1}, {16, 0}, {16, 1}, {64, 0}, {64, 1}}) {
          const u32 warps = threads / 32, ctas = 132 * each * 4;
          for (int run = 0; run < 2; ++run) {
            turn<<<ctas, threads, (each == 1 ? 200 : 100) * 1024>>>(seen, to, cycles, stores, fence);
            CHECK(cudaMemcpy(h.data(), seen, ctas * warps * sizeof(Seen), cudaMemcpyDeviceToHost));
          }
          struct Cta {
            u64 first, last_begin, end;
          };
          std::map<u32, std::vector<Cta>> of_sm;
          for (u32 c = 0; c < ctas; ++c) {
            Cta cta{~0ull, 0, 0};
            for (u32 w = 0; w < warps; ++w) {
              const Seen& s = h[c * warps + w];
              cta.first = std::min(cta.first, s.begin);
              cta.last_begin = std::max(cta.last_begin, s.begin);
              cta.end = std::max(cta.end, s.end);
            }
            of_sm[h[c * warps].sm].push_back(cta);
          }
          std::vector<u64> gaps, spreads, turns;
          for (auto& [sm, list] : of_sm) {
            std::sort(list.begin(), list.end(), [](const Cta& a, const Cta& b) { return a.first < b.first; });
            // The k-th end makes room for the CTA behind the ones that fit.
            std::vector<u64> ends;
            for (const Cta& c : list) ends.push_back(c.end);
            std::sort(ends.begin(), ends.end());
            for (size_t k = each; k < list.size(); ++k) {
              gaps.push_back(list[k].first - ends[k - each]);
              spreads.push_back(list[k].last_begin - list[k].first);
              turns.push_back(list[k].first - list[k - each].first);
            }
          }
          std::printf("%d,%d,%d,%d,%d,%llu,%llu,%llu,%llu,%llu\n", threads, each, cycles, stores, fence, (unsigned long long)median(gaps),
                      (unsigned long long)median(spreads), (unsigned long long)median(turns),
                      (unsigned long long)*std::min_element(gaps.begin(), gaps.end()),
                      (unsigned long long)*std::max_element(gaps.begin(), gaps.end()));
        }
}
