// How each kind of instruction is counted: local memory by width, asynchronous and bulk copies,
// atomics by width, prefetches, remote shared memory, vector and generic accesses. A launch a case.
#include "micro.cuh"

template <int W>
__global__ void local_access(u32* out, int index, int per_lane, int store_only) {
  __align__(16) u8 frame[1024];
  u32 lane = threadIdx.x % 32, v = 0;
  u32 at = (per_lane ? (lane * 7 % 32) * 16 : 0) + index * 16;
  u8* p = frame + at;
  u32 l;
  asm volatile("{ .reg .u64 t; cvta.to.local.u64 t,%1; cvt.u32.u64 %0,t; }" : "=r"(l) : "l"(p));
  if (W == 1) asm volatile("st.local.u8 [%0],%1;" ::"r"(l), "r"(lane) : "memory");
  if (W == 4) asm volatile("st.local.u32 [%0],%1;" ::"r"(l), "r"(lane) : "memory");
  if (W == 8) asm volatile("st.local.v2.u32 [%0],{%1,%1};" ::"r"(l), "r"(lane) : "memory");
  if (W == 16) asm volatile("st.local.v4.u32 [%0],{%1,%1,%1,%1};" ::"r"(l), "r"(lane) : "memory");
  if (!store_only) {
    u32 a = 0, b = 0, c = 0, d = 0;
    if (W == 1) asm volatile("ld.local.u8 %0,[%1];" : "=r"(a) : "r"(l) : "memory");
    if (W == 4) asm volatile("ld.local.u32 %0,[%1];" : "=r"(a) : "r"(l) : "memory");
    if (W == 8) asm volatile("ld.local.v2.u32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "r"(l) : "memory");
    if (W == 16) asm volatile("ld.local.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(l) : "memory");
    v = a + b + c + d;
  }
  out[threadIdx.x + blockIdx.x * blockDim.x] = v;
}
template <int W, bool kBypass>
__global__ void async_copy(const u8* in, u32* out, int step) {
  extern __shared__ __align__(128) u8 s[];
  u32 lane = threadIdx.x;
  u32 to = static_cast<u32>(__cvta_generic_to_shared(s)) + lane * W;
  if (kBypass) asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(in + static_cast<u64>(lane) * step) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0],[%1],%2;" ::"r"(to), "l"(in + static_cast<u64>(lane) * step), "n"(W) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[lane] = s[lane * W];
}
__global__ void bulk_copy(const u8* in, u8* out, u32 bytes, int back) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) u8 s[];
  __shared__ __align__(8) u64 bar;
  u32 to = static_cast<u32>(__cvta_generic_to_shared(s)), b = static_cast<u32>(__cvta_generic_to_shared(&bar));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0],1;" ::"r"(b) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _,[%0],%1;" ::"r"(b), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" ::"r"(to), "l"(in), "r"(bytes), "r"(b) : "memory");
    u32 done = 0;
    while (!done) asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p,[%1],0; selp.u32 %0,1,0,p; }" : "=r"(done) : "r"(b) : "memory");
    if (back) {
      asm volatile("fence.proxy.async;" ::: "memory");
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0],[%1],%2;" ::"l"(out), "r"(to), "r"(bytes) : "memory");
      asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
  }
#endif
}
template <int kKind>
__global__ void atomics(u8* a, u32* out, int lanes, int step) {
  u32 lane = threadIdx.x;
  u8* p = a + lane % lanes * step;
  if (kKind == 0) asm volatile("red.global.add.u32 [%0],1;" ::"l"(p) : "memory");
  if (kKind == 1) asm volatile("red.global.add.u64 [%0],%1;" ::"l"(p), "l"(1ull) : "memory");
  if (kKind == 2) { u32 v; asm volatile("atom.global.add.u32 %0,[%1],1;" : "=r"(v) : "l"(p) : "memory"); out[lane] = v; }
  if (kKind == 3) { u64 v; asm volatile("atom.global.add.u64 %0,[%1],%2;" : "=l"(v) : "l"(p), "l"(1ull) : "memory"); out[lane] = static_cast<u32>(v); }
  if (kKind == 4) { u32 v; asm volatile("atom.global.cas.b32 %0,[%1],%2,%3;" : "=r"(v) : "l"(p), "r"(0), "r"(lane) : "memory"); out[lane] = v; }
  if (kKind == 5) { u32 v; asm volatile("atom.global.exch.b32 %0,[%1],%2;" : "=r"(v) : "l"(p), "r"(lane) : "memory"); out[lane] = v; }
  if (kKind == 6) asm volatile("red.global.add.f32 [%0],%1;" ::"l"(p), "f"(1.f) : "memory");
  if (kKind == 7) asm volatile("red.global.add.noftz.f16x2 [%0],%1;" ::"l"(p), "r"(0x3c003c00u) : "memory");
  if (kKind == 8) asm volatile("red.global.max.s32 [%0],%1;" ::"l"(p), "r"(lane) : "memory");
  if (kKind == 9) asm volatile("red.global.add.f64 [%0],%1;" ::"l"(p), "d"(1.0) : "memory");
#if __CUDA_ARCH__ >= 900
  if (kKind == 10) asm volatile("red.global.add.v4.f32 [%0],{%1,%1,%1,%1};" ::"l"(p), "f"(1.f) : "memory");
#endif
}
__global__ void generic_access(u32* global, int use_shared, u32* out) {
  __shared__ u32 s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  u32* p = (use_shared == 1 || (use_shared == 2 && threadIdx.x < 16)) ? s : global;
  u32 v;
  asm volatile("ld.u32 %0,[%1];" : "=r"(v) : "l"(p + threadIdx.x) : "memory");
  asm volatile("st.u32 [%0],%1;" ::"l"(p + threadIdx.x), "r"(v + 1) : "memory");
  asm volatile("atom.add.u32 %0,[%1],1;" : "=r"(v) : "l"(p + threadIdx.x) : "memory");
  out[threadIdx.x] = v;
}
__global__ __cluster_dims__(2, 1, 1) void remote_shared(u32* out, int step) {
#if __CUDA_ARCH__ >= 900
  __shared__ u32 s[2048];
  for (int i = threadIdx.x; i < 2048; i += 32) s[i] = i;
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  u32 here = static_cast<u32>(__cvta_generic_to_shared(s + threadIdx.x * step)), there, v;
  asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(there) : "r"(here), "r"((blockIdx.x & 1) ^ 1));
  asm volatile("ld.shared::cluster.u32 %0,[%1];" : "=r"(v) : "r"(there) : "memory");
  asm volatile("st.shared::cluster.u32 [%0],%1;" ::"r"(there), "r"(v) : "memory");
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  out[threadIdx.x + blockIdx.x * 32] = v;
#endif
}
__global__ void plain(u32* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void with_static(u32* out) { __shared__ u32 s[2048]; s[threadIdx.x] = threadIdx.x; __syncthreads(); out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x ^ 1]; }
__global__ void with_dynamic(u32* out) { extern __shared__ u32 d[]; d[threadIdx.x] = threadIdx.x; __syncthreads(); out[blockIdx.x * blockDim.x + threadIdx.x] = d[threadIdx.x ^ 1]; }
__global__ __launch_bounds__(256, 1) void many_registers(float* out) { float v[160]; for (int i = 0; i < 160; ++i) v[i] = out[i * 256 + threadIdx.x]; for (int k = 0; k < 3; ++k) for (int i = 0; i < 160; ++i) v[i] = v[i] * v[(i + 7) % 160] + 1; float s = 0; for (int i = 0; i < 160; ++i) s += v[i]; out[threadIdx.x] = s; }
// The device's own list of lanes: what a line's words cost in the L1 data stage and in tag requests.
__global__ void gather_lines(const u8* a, u32* out, int step, int bytes) {
  const u8* p = a + static_cast<u64>(threadIdx.x) * step;
  if (bytes == 16) { uint4 v = *reinterpret_cast<const uint4*>(p); out[threadIdx.x] = v.x + v.y + v.z + v.w; }
  else if (bytes == 8) { uint2 v = *reinterpret_cast<const uint2*>(p); out[threadIdx.x] = v.x + v.y; }
  else if (bytes == 4) out[threadIdx.x] = *reinterpret_cast<const u32*>(p);
  else out[threadIdx.x] = *p;
}

int main() {
  u8* a = device_buffer<u8>(64u << 20);
  u32* out = device_buffer<u32>(16u << 20);
  for (int store_only : {0, 1})
    for (int per_lane : {0, 1}) {
      label("local,1 per_lane=%d store_only=%d", per_lane, store_only); local_access<1><<<1, 32>>>(out, 1, per_lane, store_only);
      label("local,4 per_lane=%d store_only=%d", per_lane, store_only); local_access<4><<<1, 32>>>(out, 1, per_lane, store_only);
      label("local,8 per_lane=%d store_only=%d", per_lane, store_only); local_access<8><<<1, 32>>>(out, 1, per_lane, store_only);
      label("local,16 per_lane=%d store_only=%d", per_lane, store_only); local_access<16><<<1, 32>>>(out, 1, per_lane, store_only);
    }
  for (int step : {4, 16, 32, 128}) {
    label("async,4 ca step=%d", step); async_copy<4, false><<<1, 32, 4096>>>(a, out, step);
    label("async,8 ca step=%d", step); if (step >= 8) async_copy<8, false><<<1, 32, 4096>>>(a, out, step); else async_copy<8, false><<<1, 32, 4096>>>(a, out, 8);
    label("async,16 ca step=%d", step); async_copy<16, false><<<1, 32, 4096>>>(a, out, step < 16 ? 16 : step);
    label("async,16 cg step=%d", step); async_copy<16, true><<<1, 32, 4096>>>(a, out, step < 16 ? 16 : step);
  }
  for (u32 bytes : {16, 128, 1024, 16384})
    for (int back : {0, 1})
      for (int skew : {0, 16}) { label("bulk,%u back=%d skew=%d", bytes, back, skew); bulk_copy<<<1, 32, 16384>>>(a + skew, a + (1 << 20) + skew, bytes, back); }
  for (int lanes : {1, 2, 8, 32})
    for (int step : {4, 8, 16, 32}) {
      if (lanes == 1 && step != 16) continue;
      label("atomics,red.u32 lanes=%d step=%d", lanes, step); atomics<0><<<1, 32>>>(a, out, lanes, step);
      if (step >= 8) { label("atomics,red.u64 lanes=%d step=%d", lanes, step); atomics<1><<<1, 32>>>(a, out, lanes, step); }
      label("atomics,atom.u32 lanes=%d step=%d", lanes, step); atomics<2><<<1, 32>>>(a, out, lanes, step);
      if (step >= 8) { label("atomics,atom.u64 lanes=%d step=%d", lanes, step); atomics<3><<<1, 32>>>(a, out, lanes, step); }
      label("atomics,cas.u32 lanes=%d step=%d", lanes, step); atomics<4><<<1, 32>>>(a, out, lanes, step);
      label("atomics,exch.u32 lanes=%d step=%d", lanes, step); atomics<5><<<1, 32>>>(a, out, lanes, step);
      label("atomics,red.f32 lanes=%d step=%d", lanes, step); atomics<6><<<1, 32>>>(a, out, lanes, step);
      label("atomics,red.f16x2 lanes=%d step=%d", lanes, step); atomics<7><<<1, 32>>>(a, out, lanes, step);
      label("atomics,red.max lanes=%d step=%d", lanes, step); atomics<8><<<1, 32>>>(a, out, lanes, step);
      if (step >= 8) { label("atomics,red.f64 lanes=%d step=%d", lanes, step); atomics<9><<<1, 32>>>(a, out, lanes, step); }
      if (step >= 16) { label("atomics,red.v4f32 lanes=%d step=%d", lanes, step); atomics<10><<<1, 32>>>(a, out, lanes, step); }
    }
  for (int s : {0, 1, 2}) { label("generic,%s", s == 0 ? "global" : s == 1 ? "shared" : "mixed"); generic_access<<<1, 32>>>(reinterpret_cast<u32*>(a), s, out); }
  for (int step : {1, 2, 32}) { label("remote_shared,step=%d", step); remote_shared<<<2, 32>>>(out, step); }
  for (int bytes : {1, 4, 8, 16})
    for (int step : {1, 4, 8, 16, 20, 36, 64, 128, 132, 260}) {
      if (step % bytes) continue;
      label("gather_lines,bytes=%d step=%d", bytes, step); gather_lines<<<1, 32>>>(a, out, step, bytes);
    }
  for (int block : {32, 64, 128, 256, 512, 1024}) {
    label("config,plain block=%d", block); plain<<<132, block>>>(out);
    label("config,static8K block=%d", block); with_static<<<132, block>>>(out);
    for (int kib : {1, 2, 4, 16, 40, 48}) {
      if (kib * 1024 < block * 4) continue;  // a word a thread
      label("config,dynamic%dK block=%d", kib, block); with_dynamic<<<132, block, kib * 1024>>>(out);
    }
  }
  CHECK(cudaFuncSetAttribute(with_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  for (int kib : {64, 100, 160, 227}) { label("config,dynamic%dK block=256", kib); with_dynamic<<<132, 256, kib * 1024>>>(out); }
  label("config,many_registers block=256"); many_registers<<<132, 256>>>(reinterpret_cast<float*>(out));
  CHECK(cudaDeviceSynchronize());
}
