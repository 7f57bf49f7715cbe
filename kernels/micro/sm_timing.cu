// What one SM takes for its instructions: latency (one warp, each instruction waits for the one
// before) and rate (4 to 32 warps, four independent chains each), by the SM's clock, code warm.
// Prints CSV: op, warps, chains, cycles an instruction and warp (latency) or an instruction a
// sub-partition (rate).
#include "micro.cuh"

constexpr int kSteps = 64;  // instructions of a chain in the timed block


// One step of chain register `r`; everything else is there to be an operand.
struct Operands {
  float f = 1.0001f;
  double d = 1.0001;
  u32 u = 3;
};
namespace op {
constexpr int kWords = 4096;
#define OP32(NAME, TEXT)                                                    \
  struct NAME {                                                             \
    using T = u32;                                                          \
    static constexpr const char* name = #NAME;                              \
    static __device__ __forceinline__ void step(T& r, u32 a, u32 b) { asm volatile(TEXT : "+r"(r) : "r"(a), "r"(b)); } \
  }
#define OP64(NAME, TEXT)                                                    \
  struct NAME {                                                             \
    using T = u64;                                                          \
    static constexpr const char* name = #NAME;                              \
    static __device__ __forceinline__ void step(T& r, u32 a, u32 b) { asm volatile(TEXT : "+l"(r) : "r"(a), "r"(b)); } \
  }
OP32(add_s32, "add.s32 %0,%0,%1;");
OP32(mad_lo, "mad.lo.s32 %0,%0,%1,%2;");
OP32(mul_hi, "mul.hi.u32 %0,%0,%1;");
OP32(lop3, "lop3.b32 %0,%0,%1,%2,0x96;");
OP32(shift, "shf.l.wrap.b32 %0,%0,%1,%2;");
OP32(min_s32, "min.s32 %0,%0,%1;");
OP32(prmt, "prmt.b32 %0,%0,%1,%2;");
OP32(compare_select, "{.reg .pred p; setp.lt.s32 p,%0,%1; selp.s32 %0,%0,%2,p;}");
OP32(fma_f32, "fma.rn.f32 %0,%0,%1,%2;");
OP32(add_f32, "add.rn.f32 %0,%0,%1;");
OP32(fma_f16x2, "fma.rn.f16x2 %0,%0,%1,%2;");
OP32(ex2_approx, "ex2.approx.ftz.f32 %0,%0;");
OP32(rcp_approx, "rcp.approx.ftz.f32 %0,%0;");
OP32(rsqrt_approx, "rsqrt.approx.ftz.f32 %0,%0;");
OP32(sine, "sin.approx.ftz.f32 %0,%0;");
OP32(int_to_float, "cvt.rn.f32.s32 %0,%0;");
OP32(float_to_int, "cvt.rzi.s32.f32 %0,%0;");
OP32(half_to_float, "{.reg .f16 h; .reg .b16 z; mov.b32 {h,z},%0; cvt.f32.f16 %0,h;}");
OP32(count_bits, "popc.b32 %0,%0;");
OP32(bfind, "bfind.u32 %0,%0;");
OP32(reverse_bits, "brev.b32 %0,%0;");
OP32(shuffle, "shfl.sync.bfly.b32 %0,%0,1,0x1f,0xffffffff;");
OP32(ballot, "{.reg .pred p; setp.ne.u32 p,%0,%1; vote.sync.ballot.b32 %0,p,0xffffffff;}");
OP32(match_any, "match.any.sync.b32 %0,%0,0xffffffff;");
OP32(redux_add, "redux.sync.add.u32 %0,%0,0xffffffff;");
OP32(special_register, "{.reg .u32 t; mov.u32 t,%%smid; add.u32 %0,%0,t;}");
OP32(dp4a, "dp4a.u32.u32 %0,%0,%1,%2;");
OP64(mad_wide, "mad.wide.u32 %0,%1,%2,%0;");
OP64(add_s64, "{.reg .u64 t; cvt.u64.u32 t,%1; add.u64 %0,%0,t;}");
OP64(fma_f64, "fma.rn.f64 %0,%0,%0,%0;");
OP64(add_f64, "add.rn.f64 %0,%0,%0;");
OP64(double_float_double, "{.reg .f32 t; cvt.rn.f32.f64 t,%0; cvt.f64.f32 %0,t;}");

__shared__ u32 table[kWords];
__constant__ u32 constants[kWords];

// Chains through memory: the value read is the next address.
OP32(load_shared, "ld.shared.u32 %0,[%0];");
OP32(atomic_shared, "atom.shared.or.b32 %0,[%0],0;");
struct load_constant {
  using T = u32;
  static constexpr const char* name = "load_constant";
  static __device__ __forceinline__ void step(T& r, u32, u32) { r = *(volatile const u32*)((const char*)constants + r); }
};
struct load_global {
  using T = u64;
  static constexpr const char* name = "load_global";
  static __device__ __forceinline__ void step(T& r, u32, u32) { asm volatile("ld.global.ca.u64 %0,[%0];" : "+l"(r)); }
};
struct barrier {
  using T = u32;
  static constexpr const char* name = "barrier";
  static __device__ __forceinline__ void step(T& r, u32, u32) { asm volatile("bar.sync 0;" ::: "memory"); }
};
struct mma_f16 {
  using T = u32;
  static constexpr const char* name = "mma_m16n8k16_f32";
  static __device__ __forceinline__ void step(T& r, u32 a, u32 b) {
    u32 c1 = r, c2 = a, c3 = b;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%4,%5},{%4,%5},{%0,%1,%2,%3};"
                 : "+r"(r), "+r"(c1), "+r"(c2), "+r"(c3) : "r"(a), "r"(b));
  }
};
struct ldmatrix_x4 {
  using T = u32;
  static constexpr const char* name = "ldmatrix_x4";
  static __device__ __forceinline__ void step(T& r, u32, u32) {
    u32 x, y, z;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%0];" : "+r"(r), "=r"(x), "=r"(y), "=r"(z));
  }
};

}  // namespace op

template <class Op, int kChains>
__global__ void timed(long long* out, u32 a, u32 b, u64 start, u64* sink, u32 none) {
  const u32 here = static_cast<u32>(__cvta_generic_to_shared(op::table));
  for (int i = threadIdx.x; i < op::kWords; i += blockDim.x) op::table[i] = here;  // a chain stays on one word
  __syncthreads();
  if (start == 0) start = here;
  typename Op::T r[kChains];
  for (int c = 0; c < kChains; ++c) r[c] = static_cast<typename Op::T>(start + (threadIdx.x & none));  // no uniform registers
  long long begin = 0, end = 0;
  for (int round = 0; round < 3; ++round) {  // the last one counts: code and data are warm
    __syncthreads();
    begin = clock64();
#pragma unroll
    for (int i = 0; i < kSteps; ++i)
#pragma unroll
      for (int c = 0; c < kChains; ++c) Op::step(r[c], a, b);
    end = clock64();
    __syncthreads();
  }
  u64 sum = 0;
  for (int c = 0; c < kChains; ++c) sum += r[c];
  if (sum == 0x123456789) *sink = sum;
  if (threadIdx.x % 32 == 0) {
    out[threadIdx.x / 32 * 2] = begin;
    out[threadIdx.x / 32 * 2 + 1] = end;
  }
}

template <class Op, int kChains>
void run(long long* out, u64 start, u64* sink) {
  static long long h[64];
  for (int warps : {1, 4, 8, 16, 32}) {
    if (kChains == 1 && warps > 1 && warps != 8 && warps != 32) continue;
    timed<Op, kChains><<<1, warps * 32>>>(out, 3, 5, start, sink, 0);
    CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    long long first = h[0], last = h[1];
    for (int w = 0; w < warps; ++w) {
      first = h[2 * w] < first ? h[2 * w] : first;
      last = h[2 * w + 1] > last ? h[2 * w + 1] : last;
    }
    const double each = static_cast<double>(last - first) / (kSteps * kChains);
    std::printf("%s,%d,%d,%.3f\n", Op::name, warps, kChains, warps >= 4 && kChains > 1 ? each / (warps / 4) : each);
  }
}

int main() {
  long long* out = device_buffer<long long>(64 * 8);
  u64* loop = device_buffer<u64>(1024 * 8);
  u64 self[1] = {reinterpret_cast<u64>(loop)};
  CHECK(cudaMemcpy(loop, self, 8, cudaMemcpyHostToDevice));
  std::printf("op,warps,chains,cycles\n");
#define BOTH(OP, START) run<op::OP, 1>(out, START, loop + 8), run<op::OP, 4>(out, START, loop + 8)
  BOTH(add_s32, 1); BOTH(mad_lo, 1); BOTH(mul_hi, 1); BOTH(lop3, 1); BOTH(shift, 1); BOTH(min_s32, 1); BOTH(prmt, 1);
  BOTH(compare_select, 1); BOTH(fma_f32, 1); BOTH(add_f32, 1); BOTH(fma_f16x2, 1); BOTH(ex2_approx, 1); BOTH(rcp_approx, 1); BOTH(rsqrt_approx, 1);
  BOTH(sine, 1); BOTH(int_to_float, 1); BOTH(float_to_int, 1); BOTH(half_to_float, 1); BOTH(count_bits, 1); BOTH(bfind, 1);
  BOTH(reverse_bits, 1); BOTH(shuffle, 1); BOTH(ballot, 1); BOTH(match_any, 1); BOTH(redux_add, 1); BOTH(special_register, 1);
  BOTH(dp4a, 1); BOTH(mad_wide, 1); BOTH(add_s64, 1); BOTH(fma_f64, 1); BOTH(add_f64, 1); BOTH(double_float_double, 1);
  BOTH(load_shared, 0); BOTH(atomic_shared, 0); BOTH(load_constant, 0); BOTH(load_global, self[0]); BOTH(barrier, 0);
  BOTH(mma_f16, 1); BOTH(ldmatrix_x4, 0);
}
