// When reads of different sectors of one line travel to the L2 in one request.
//   columns  loads of 32 lines each, one sector a lane; the other sectors of the same lines follow
//            after 0 to 7 loads of other lines
//   pieces   a copy's loads: warps read 32 or 64 bytes each, one after the other
//   offset   warps read 128 bytes each that begin somewhere in a line
//   sms      two SMs read different sectors of the same lines at about the same time
//   by_sm    SMs that share a TPC, a GPC or neither read a sector each of the same lines
//   skew     when each warp of one SM issued its first and its second load, on standard output: CTA, warp,
//            cycles before the first load, behind it and behind the second
// Counted: lts__t_requests_srcunit_tex_op_read and its sectors and hits.
#include <algorithm>

#include "micro.cuh"

namespace {

constexpr int kLines = 256;
constexpr u64 kStride = 128 * 37;

__device__ __forceinline__ u64 now() {
  u64 t;
  asm volatile("mov.u64 %0,%%clock64;" : "=l"(t)::"memory");
  return t;
}

__device__ __forceinline__ u32 load_if(const void* p, bool active) {
  u32 v = 0;
  asm volatile("{.reg .pred p; setp.ne.u32 p,%2,0; @p ld.global.u32 %0,[%1];}"
               : "+r"(v)
               : "l"(p), "r"(u32(active))
               : "memory");
  return v;
}

// An SM of role 4 s + k reads sector k of the lines of set s: so many loads of 32 lines by each warp. -1: none.
__global__ void by_sm(const u8* a, u32* out, const int* role, u32* counter, u32 ctas, int loads) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int r = role[sm_id()];
  if (threadIdx.x == 0) {
    atomicAdd(counter, 1);
    while (atomicAdd(counter, 0) < ctas) {
    }
  }
  __syncthreads();
  if (r < 0) return;
  u32 sum = 0;
  for (int l = 0; l < loads; ++l)
    sum += load_ca(a + ((u64(r / 4) * loads + l) * (blockDim.x / 32) + warp) * 32 * 128 + lane * 128 + r % 4 * 32);
  if (sum == 0x12345) *out = sum;
}

// When the warps of an ordinary kernel issue their first and second load.
__global__ void skew(const u8* a, u32* out, u32* clocks, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const u32 t = static_cast<u32>(now());
  const u32 v = load_ca(a + i * 4);
  const u32 t1 = static_cast<u32>(now());
  u32 w = load_ca(a + (1 << 26) + i * 4 + (v > 1u << 30));
  const u32 t2 = static_cast<u32>(now());
  if (w == 0x12345) *out = w;
  if (threadIdx.x % 32 == 0) clocks[i / 32 * 4] = t, clocks[i / 32 * 4 + 1] = t1, clocks[i / 32 * 4 + 2] = t2, clocks[i / 32 * 4 + 3] = sm_id();
}

// Each warp: 4 sectors of G groups of 32 lines, sector by sector.
template <int G>
__global__ void columns(const u8* a, u32* out, int lanes, bool warm) {
  const u32 lane = threadIdx.x % 32;
  const u64 warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const u8* p = a + warp * G * 32 * 128 + lane * 128;
  u32 v[G * 4], sum = 0;
  if (warm) {
    for (int l = 0; l < G * 32; ++l) sum += load_cg(a + warp * G * 32 * 128 + l * 128 + lane * 4);
    if (sum == 0x12345) *out = sum;
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    __syncthreads();
  }
  const bool active = lane < lanes;
#pragma unroll
  for (int s = 0; s < 4; ++s)
#pragma unroll
    for (int g = 0; g < G; ++g) v[s * G + g] = load_if(p + g * 32 * 128 + s * 32, active);
#pragma unroll
  for (int k = 0; k < G * 4; ++k) sum += v[k];
  if (sum == 0x12345) *out = sum;
}

// Warp w reads the w-th piece of `bytes` (32 or 64), or of 128 that begin `offset` bytes into a line;
// `swap` says which warps are neighbours: warp numbers with the two lowest bits exchanged for the next two.
template <class T>
__global__ void pieces(const u8* a, u32* out, u64 offset, int rounds, bool swap) {
  const u32 lane = threadIdx.x % 32;
  u64 warp = threadIdx.x / 32;
  const u64 warps = blockDim.x / 32;
  if (swap) warp = (warp & ~u64{15}) | (warp & 3) << 2 | (warp >> 2 & 3);
  u32 sum = 0;
  for (int r = 0; r < rounds; ++r) {
    const u64 piece = (static_cast<u64>(r) * gridDim.x + blockIdx.x) * warps + warp;
    sum += reinterpret_cast<const T*>(a + offset)[piece * 32 + lane];
  }
  if (sum == 0x12345) *out = sum;
}

__global__ void sms(const u8* a, u32* out, u32* counter, int one, int other, u32 first, u32 second) {
  const int sm = static_cast<int>(sm_id());
  if (sm != one && sm != other) return;
  const u32 lane = threadIdx.x;
  const bool active = (sm == one ? first : second) >> (lane / 8) & 1;
  u32 sum = 0;
  for (int i = 0; i < kLines; ++i) {
    if (lane == 0) {
      atomicAdd(counter, 1);
      while (atomicAdd(counter, 0) < 2u * (i + 1)) {
      }
    }
    __syncwarp();
    sum += load_if(a + i * kStride / 128 * 128 + lane * 4, active);
    if (sum == 0x12345) *out = sum;
  }
  if (sum == 0x12345) *out = sum;
}

}  // namespace

int main() {
  CHECK(cudaFuncSetAttribute(by_sm, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  u8* a = device_buffer<u8>(1ull << 30);
  u32* sink = device_buffer<u32>(1 << 16);
  u32* clocks = device_buffer<u32>(1 << 22);
  u32* counter = device_buffer<u32>(1 << 16);
  for (int warps : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 32})
    for (int lanes : {1, 2, 4, 6, 8, 12, 16, 18, 20, 22, 24, 26, 28, 30, 32}) {
      const auto run = [&](auto kernel, int g) {
        label("columns,ctas=1 warps=%d groups=%d lanes=%d warm=0", warps, g, lanes);
        kernel<<<1, warps * 32>>>(a, sink, lanes, false);
      };
      run(columns<1>, 1);
      if (warps == 1) run(columns<2>, 2), run(columns<4>, 4), run(columns<8>, 8);
    }
  std::vector<u32> c(1 << 20);
  for (int ctas : {1, 132, 1056})
    for (int warps : {4, 8, 16, 32}) {
      if (ctas == 1056 && warps > 8) continue;
      label("skew,ctas=%d warps=%d", ctas, warps);
      skew<<<ctas, warps * 32>>>(a, sink, clocks, ctas * warps * 32);
      CHECK(cudaMemcpy(c.data(), clocks, c.size() * 4, cudaMemcpyDeviceToHost));
      const u32 sm = c[3];
      u32 first = c[0];
      for (int w = 0; w < ctas * warps; ++w)
        if (c[w * 4 + 3] == sm) first = std::min(first, c[w * 4]);
      for (int w = 0; w < ctas * warps; ++w)
        if (c[w * 4 + 3] == sm) std::printf("skew,%d,%d,%u,%u,%u\n", w / warps, w % warps, c[w * 4] - first, c[w * 4 + 1] - first, c[w * 4 + 2] - first);
    }
  int* role = device_buffer<int>(4096);
  // Groups of SMs: two of a TPC, TPCs of a GPC (SM numbers 16 apart), SMs of different GPCs.
  for (int kind = 0; kind < 4; ++kind)
    for (int warps : {1, 8, 32})
      for (int loads : {1, 8}) {
        std::vector<int> r(1024, -1);
        for (int sm = 0; sm < 128; ++sm) {
          const int gpc = sm / 2 % 8, tpc = sm / 16, half = sm % 2;
          if (kind == 0) r[sm] = sm * 4;                                       // nobody shares
          if (kind == 1) r[sm] = (gpc * 8 + tpc) * 4 + half;                   // two of a TPC share
          if (kind == 2) r[sm] = ((gpc * 2 + half) * 2 + tpc / 4) * 4 + tpc % 4;  // four TPCs of a GPC share
          if (kind == 3) r[sm] = ((tpc * 2 + half) * 2 + gpc / 4) * 4 + gpc % 4;  // four GPCs share
        }
        CHECK(cudaMemcpy(role, r.data(), r.size() * 4, cudaMemcpyHostToDevice));
        CHECK(cudaMemset(counter, 0, 4));
        label("by_sm,kind=%d warps=%d loads=%d", kind, warps, loads);
        by_sm<<<132, warps * 32, 200 * 1024>>>(a, sink, role, counter, 132, loads);
      }
  for (int ctas : {1, 132})
    for (int warps : {1, 2, 4, 8, 16, 32})
      for (bool warm : {false, true}) {
        for (int lanes : {1, 4, 8, 16, 32}) {
          const auto run = [&](auto kernel, int g) {
            label("columns,ctas=%d warps=%d groups=%d lanes=%d warm=%d", ctas, warps, g, lanes, warm);
            kernel<<<ctas, warps * 32>>>(a, sink, lanes, warm);
          };
          run(columns<1>, 1);
          if (lanes == 8 || lanes == 32) run(columns<2>, 2), run(columns<4>, 4), run(columns<8>, 8);
        }
      }
  for (int ctas : {1, 132, 1056})
    for (int warps : {1, 2, 4, 8, 16, 32})
      for (int rounds : {1, 4}) {
        if (ctas == 1056 && warps != 8) continue;
        for (bool swap : {false, true}) {
          if (swap && warps < 16) continue;
          label("pieces,bytes=32 ctas=%d warps=%d rounds=%d swap=%d", ctas, warps, rounds, swap);
          pieces<u8><<<ctas, warps * 32>>>(a, sink, 0, rounds, swap);
          label("pieces,bytes=64 ctas=%d warps=%d rounds=%d swap=%d", ctas, warps, rounds, swap);
          pieces<unsigned short><<<ctas, warps * 32>>>(a, sink, 0, rounds, swap);
        }
        for (u64 offset : {4, 32, 64, 96, 124}) {
          label("offset,bytes=%d ctas=%d warps=%d rounds=%d", int(offset), ctas, warps, rounds);
          pieces<u32><<<ctas, warps * 32>>>(a, sink, offset, rounds, false);
        }
      }
  for (int other : {1, 2, 16, 17, 32})
    for (u32 second : {1, 2, 12, 15}) {
      CHECK(cudaMemset(counter, 0, 4));
      label("sms,other=%d first=1 second=%x", other, second);
      sms<<<132, 32, 0>>>(a, sink, counter, 0, other, 1, second);
    }
  CHECK(cudaDeviceSynchronize());
}
