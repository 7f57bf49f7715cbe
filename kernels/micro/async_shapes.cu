// What an asynchronous copy's two sides make of each other: rows of lanes that lie apart in global and
// otherwise apart in shared memory (padding), and random places. One warp, one copy; one launch a case:
//   ncu --clock-control none --csv --page raw --metrics memory_l1_wavefronts_shared,
//       l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,
//       memory_l1_tag_requests_global,lts__t_requests_srcunit_tex_op_read.sum,
//       lts__t_sectors_srcunit_tex_op_read.sum,l1tex__m_xbar2l1tex_read_sectors.sum async_shapes
// The label: past or through the L1, bytes a lane, mask, then the places of the 32 lanes in global and those
// in shared memory, three hexadecimal digits each, in units of the bytes a lane.
#include <random>

#include "micro.cuh"

struct Places {
  std::uint16_t from[32], to[32];
};

template <bool kPast, int kBytes>
__global__ void copy(const u8* from, Places at, u32 mask) {
  extern __shared__ __align__(1024) u8 shared[];
  const u32 lane = threadIdx.x;
  const u32 s = static_cast<u32>(__cvta_generic_to_shared(shared)) + at.to[lane] * kBytes;
  const u8* const p = from + at.from[lane] * kBytes;
  if (mask >> lane & 1) {
    if (kPast) asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(s), "l"(p) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0],[%1],%2;" ::"r"(s), "l"(p), "n"(kBytes) : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
}

template <bool kPast, int kBytes>
void run(const u8* from, const Places& at, u32 mask = ~0u) {
  char from_text[97], to_text[97];
  for (int i = 0; i < 32; ++i) {
    std::snprintf(from_text + 3 * i, 4, "%03x", at.from[i]);
    std::snprintf(to_text + 3 * i, 4, "%03x", at.to[i]);
  }
  label("%s %d %08x %s %s", kPast ? "past" : "through", kBytes, mask, from_text, to_text);
  copy<kPast, kBytes><<<1, 32, 32768>>>(from, at, mask);
}

template <bool kPast, int kBytes>
void all(const u8* from) {
  constexpr int line = 128 / kBytes;
  // Rows of lanes.
  for (int row : {1, 2, 4, 8, 16, 32})
    for (int apart : {0, 4 * line})
      for (int pad : {0, 1, 2, 3, 4, 6, 8})
        for (int shift : {0, 1, 2, line / 2}) {
          if (row == 32 && (pad || apart)) continue;
          if (row < 4 && (pad == 3 || pad == 6 || shift == 2)) continue;
          Places at;
          for (int i = 0; i < 32; ++i) {
            at.from[i] = static_cast<std::uint16_t>(i % row + i / row * (apart ? apart : row));
            at.to[i] = static_cast<std::uint16_t>(shift + i % row + i / row * (row + pad));
          }
          run<kPast, kBytes>(from, at);
        }
  // The other side shifted.
  for (int shift : {1, 2, 3, line / 2})
    for (int there : {0, 1, 2}) {
      Places at;
      for (int i = 0; i < 32; ++i) at.from[i] = shift + i, at.to[i] = there + i;
      run<kPast, kBytes>(from, at);
    }
  std::mt19937 random(kBytes + kPast);
  const auto below = [&](u32 n) { return random() % n; };
  for (int k = 0; k < 60; ++k) {
    const u32 lines = 1 + below(6), rows = 1 + below(6);
    Places at;
    std::vector<int> there(std::max<u32>(32, rows * line) + 8);
    for (std::size_t i = 0; i < there.size(); ++i) there[i] = static_cast<int>(i);
    for (std::size_t i = there.size(); i > 1; --i) std::swap(there[i - 1], there[below(static_cast<u32>(i))]);
    const bool whole = k % 3 == 0;  // pairs or runs of four stay together on both sides
    const int run_of = k % 3 == 1 ? 4 : 1;
    for (int i = 0; i < 32; ++i) {
      at.from[i] = static_cast<std::uint16_t>(whole ? i + i / 8 * 24 : below(lines * line));
      at.to[i] = static_cast<std::uint16_t>(there[static_cast<std::size_t>(i)]);
    }
    if (run_of == 4)
      for (int i = 0; i < 32; ++i) {
        at.from[i] = static_cast<std::uint16_t>(at.from[i / 4 * 4] / 4 * 4 + i % 4);
        at.to[i] = static_cast<std::uint16_t>((i / 4 * 5 + k % 7) * 4 + i % 4 + (k % 2));
      }
    u32 mask = ~0u;
    if (k % 5 == 4) mask = random() | 1;
    run<kPast, kBytes>(from, at, mask);
  }
}

int main() {
  u8* const from = device_buffer<u8>(1 << 20);
  all<true, 16>(from);
  all<false, 16>(from);
  all<false, 8>(from);
  all<false, 4>(from);
  CHECK(cudaDeviceSynchronize());
}
