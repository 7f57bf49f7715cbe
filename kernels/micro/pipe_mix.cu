// What a sub-partition takes for instructions of two kinds side by side, and for short loops, on one
// SM: which pipes are shared and which are not, and what a branch back costs. Chains are
// independent, code is warm. Prints CSV: case, warps, cycles of the SM's clock a step and
// sub-partition (with one warp: a step of that warp). A step is what its name says: ffma_imad one of
// each. Loops: cycles a round, of so many multiply-adds. No profiler.
#include "micro.cuh"

constexpr int kSteps = 32;
constexpr int kChains = 4;

struct Regs {
  float f[kChains], g[kChains], h[kChains];
  u32 i[kChains], j[kChains];
  double d[kChains];
};

#define FFMA(c) asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(r.f[c]) : "f"(a), "f"(b))
#define FMUL(c) asm volatile("mul.rn.f32 %0,%0,%1;" : "+f"(r.g[c]) : "f"(a))
#define FADD(c) asm volatile("add.rn.f32 %0,%0,%1;" : "+f"(r.h[c]) : "f"(a))
#define FMNMX(c) asm volatile("min.f32 %0,%0,%1;" : "+f"(r.g[c]) : "f"(a))
#define FSETSEL(c) asm volatile("{.reg .pred p; setp.lt.f32 p,%0,%1; selp.f32 %0,%2,%0,p;}" : "+f"(r.g[c]) : "f"(a), "f"(b))
#define FFMAI(c) asm volatile("fma.rn.f32 %0,%0,0f3F8CCCCD,%1;" : "+f"(r.f[c]) : "f"(b))
#define FFMA3(c) asm volatile("fma.rn.f32 %0,%1,%2,%0;" : "+f"(r.f[c]) : "f"(r.g[c]), "f"(r.h[c]))
#define FFMA3B(c) asm volatile("fma.rn.f32 %0,%1,%2,%0;" : "+f"(r.f[c]) : "f"(r.g[(c + 1) % kChains]), "f"(r.h[(c + 2) % kChains]))
#define IMAD(c) asm volatile("mad.lo.s32 %0,%0,%1,%2;" : "+r"(r.i[c]) : "r"(x), "r"(y))
#define LOP3(c) asm volatile("lop3.b32 %0,%0,%1,%2,0x96;" : "+r"(r.j[c]) : "r"(x), "r"(y))
#define SHF(c) asm volatile("shf.l.wrap.b32 %0,%0,%1,%2;" : "+r"(r.j[c]) : "r"(x), "r"(y))
#define EX2(c) asm volatile("ex2.approx.ftz.f32 %0,%0;" : "+f"(r.g[c]))
#define RSQ(c) asm volatile("rsqrt.approx.ftz.f32 %0,%0;" : "+f"(r.g[c]))
#define HFMA(c) asm volatile("fma.rn.f16x2 %0,%0,%1,%2;" : "+r"(r.j[c]) : "r"(x), "r"(y))
#define U2F(c) asm volatile("cvt.rn.f32.u32 %0,%0;" : "+r"(r.i[c]))
#define F2I(c) asm volatile("cvt.rzi.s32.f32 %0,%0;" : "+r"(r.i[c]))
#define DFMA(c) asm volatile("fma.rn.f64 %0,%0,%1,%1;" : "+d"(r.d[c]) : "d"(dd))
#define SHFL(c) asm volatile("shfl.sync.bfly.b32 %0,%0,1,0x1f,0xffffffff;" : "+r"(r.i[c]))
#define LDSH(c) asm volatile("ld.shared.u32 %0,[%0];" : "+r"(r.i[c]))

#define CASE(NAME, ...)                                                                        \
  struct NAME {                                                                                \
    static constexpr const char* name = #NAME;                                                 \
    static __device__ __forceinline__ void step(Regs& r, float a, float b, u32 x, u32 y, double dd, int c) { __VA_ARGS__; } \
  }
namespace mixes {
CASE(ffma, FFMA(c));
CASE(ffma_immediate, FFMAI(c));
CASE(ffma_three, FFMA3(c));
CASE(ffma_three_b, FFMA3B(c));
CASE(fmul, FMUL(c));
CASE(fadd, FADD(c));
CASE(fmin, FMNMX(c));
CASE(fsetp_fsel, FSETSEL(c));
CASE(imad, IMAD(c));
CASE(lop3, LOP3(c));
CASE(shf, SHF(c));
CASE(u2f, U2F(c));
CASE(ex2, EX2(c));
CASE(rsq, RSQ(c));
CASE(dfma, DFMA(c));
CASE(hfma2, HFMA(c));
CASE(ffma_fmul, FFMA(c); FMUL(c));
CASE(ffma_fadd, FFMA(c); FADD(c));
CASE(ffma_imad, FFMA(c); IMAD(c));
CASE(ffma2_imad, FFMA(c); FMUL(c); IMAD(c));
CASE(ffma3_imad, FFMA(c); FMUL(c); FADD(c); IMAD(c));
CASE(ffma_lop3, FFMA(c); LOP3(c));
CASE(ffma2_lop3, FFMA(c); FMUL(c); LOP3(c));
CASE(ffma_fmin, FFMA(c); FMNMX(c));
CASE(ffma_fsetp_fsel, FFMA(c); FSETSEL(c));
CASE(imad_lop3, IMAD(c); LOP3(c));
CASE(imad_lop3_ffma, IMAD(c); LOP3(c); FFMA(c));
CASE(imad_lop3_ffma2, IMAD(c); LOP3(c); FFMA(c); FMUL(c));
CASE(hfma2_ffma, HFMA(c); FFMA(c));
CASE(hfma2_imad, HFMA(c); IMAD(c));
CASE(imad_hfma2_ffma, IMAD(c); HFMA(c); FFMA(c));
CASE(ex2_ffma4, EX2(c); FFMA(c); FADD(c); FFMA(c); FADD(c));
CASE(ex2_ffma8, EX2(c); FFMA(c); FADD(c); FFMA(c); FADD(c); FFMA(c); FADD(c); FFMA(c); FADD(c));
CASE(ex2_imad_lop3, EX2(c); IMAD(c); LOP3(c));
CASE(ex2_ffma2_lop3_2, EX2(c); FFMA(c); LOP3(c); FADD(c); SHF(c));
CASE(u2f_ex2, U2F(c); EX2(c));
CASE(f2i_u2f, F2I(c); U2F(c));
CASE(f2i_ex2, F2I(c); EX2(c));
CASE(dfma_ffma, DFMA(c); FFMA(c));
CASE(dfma_ffma2, DFMA(c); FFMA(c); FADD(c));
CASE(dfma_imad, DFMA(c); IMAD(c));
CASE(dfma_ex2, DFMA(c); EX2(c));
CASE(shfl_ffma, SHFL(c); FFMA(c));
CASE(shfl_ex2, SHFL(c); EX2(c));
CASE(lds, LDSH(c));
CASE(lds_ffma4, LDSH(c); FFMA(c); FADD(c); FFMA(c); FADD(c));
CASE(lds_shfl, LDSH(c); SHFL(c));
}  // namespace mixes

__shared__ u32 table[64];

template <class Case, int kRounds>
__global__ void mix(long long* out, float a, float b, u32 x, u32 y, double dd, u64* sink, u32 none) {
  const u32 here = static_cast<u32>(__cvta_generic_to_shared(table));
  if (threadIdx.x < 64) table[threadIdx.x] = here;
  __syncthreads();
  Regs r;
  for (int c = 0; c < kChains; ++c) {
    const u32 t = threadIdx.x & none;
    r.f[c] = r.g[c] = r.h[c] = static_cast<float>(t) + 1.5f;
    r.i[c] = here + t, r.j[c] = t + static_cast<u32>(c);
    r.d[c] = 1.5 + t;
  }
  long long begin = 0, end = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    __syncthreads();
    begin = clock64();
#pragma unroll kSteps
    for (int s = 0; s < kSteps; ++s)
#pragma unroll
      for (int c = 0; c < kChains; ++c) Case::step(r, a, b, x, y, dd, c);
    end = clock64();
    __syncthreads();
  }
  u64 sum = 0;
  for (int c = 0; c < kChains; ++c)
    sum += static_cast<u64>(r.f[c] + r.g[c] + r.h[c] + r.d[c]) + r.i[c] + r.j[c];
  if (sum == 0x123456789) *sink = sum;
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32 * 2] = begin, out[threadIdx.x / 32 * 2 + 1] = end;
}

// A loop of kBody multiply-adds, the counter's addition, a comparison and the branch back; kDiverge:
// the last lanes of a warp leave at half time.
template <int kBody, bool kDiverge>
__global__ void loop(long long* out, float a, float b, int rounds, u64* sink) {
  float f[kChains];
  for (int c = 0; c < kChains; ++c) f[c] = threadIdx.x + 1.5f;
  const int mine = kDiverge && threadIdx.x % 32 >= 16 ? rounds / 2 : rounds;
  long long begin = 0, end = 0;
#pragma unroll 1
  for (int warm = 0; warm < 3; ++warm) {
    __syncthreads();
    begin = clock64();
#pragma unroll 1
    for (int k = 0; k < mine; ++k) {
#pragma unroll
      for (int s = 0; s < kBody; ++s) asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(f[s % kChains]) : "f"(a), "f"(b));
    }
    __syncwarp();
    end = clock64();
    __syncthreads();
  }
  float sum = 0;
  for (int c = 0; c < kChains; ++c) sum += f[c];
  if (sum == 1.2345f) *sink = 1;
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32 * 2] = begin, out[threadIdx.x / 32 * 2 + 1] = end;
}

// Cycles from the first warp's begin to the last one's end.
double span(const long long* out, int warps) {
  static long long h[64];
  CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
  long long first = h[0], last = h[1];
  for (int w = 0; w < warps; ++w) {
    first = h[2 * w] < first ? h[2 * w] : first;
    last = h[2 * w + 1] > last ? h[2 * w + 1] : last;
  }
  return static_cast<double>(last - first) / (warps >= 4 ? warps / 4 : 1);
}

template <class Case>
void run(long long* out, u64* sink) {
  for (int warps : {1, 4, 8, 16, 32}) {
    mix<Case, 0><<<1, warps * 32>>>(out, 1.0001f, 0.5f, 3, 5, 1.0001, sink, 0);
    std::printf("%s,%d,%.3f\n", Case::name, warps, span(out, warps) / (kSteps * kChains));
  }
}
template <int kBody, bool kDiverge>
void run_loop(long long* out, u64* sink) {
  constexpr int kRounds = 256;
  for (int warps : {1, 4, 8, 16, 32}) {
    loop<kBody, kDiverge><<<1, warps * 32>>>(out, 1.0001f, 0.5f, kRounds, sink);
    std::printf("%s_%d,%d,%.3f\n", kDiverge ? "loop_diverging" : "loop", kBody, warps, span(out, warps) / kRounds);
  }
}

int main() {
  long long* out = device_buffer<long long>(64 * 8);
  u64* sink = device_buffer<u64>(8);
  std::printf("case,warps,cycles\n");
#define RUN(NAME) run<mixes::NAME>(out, sink)
  RUN(ffma); RUN(ffma_immediate); RUN(ffma_three); RUN(ffma_three_b); RUN(fmul); RUN(fadd); RUN(fmin); RUN(fsetp_fsel);
  RUN(imad); RUN(lop3); RUN(shf); RUN(u2f); RUN(ex2); RUN(rsq); RUN(dfma); RUN(hfma2); 
  RUN(ffma_fmul); RUN(ffma_fadd); RUN(ffma_imad); RUN(ffma2_imad); RUN(ffma3_imad); RUN(ffma_lop3); RUN(ffma2_lop3);
  RUN(ffma_fmin); RUN(ffma_fsetp_fsel); RUN(imad_lop3); RUN(imad_lop3_ffma);
  RUN(imad_lop3_ffma2); RUN(hfma2_ffma); RUN(hfma2_imad); RUN(imad_hfma2_ffma);
  RUN(ex2_ffma4); RUN(ex2_ffma8); RUN(ex2_imad_lop3); RUN(ex2_ffma2_lop3_2); RUN(u2f_ex2);
  RUN(f2i_u2f); RUN(f2i_ex2); RUN(dfma_ffma); RUN(dfma_ffma2); RUN(dfma_imad); RUN(dfma_ex2); RUN(shfl_ffma);
  RUN(shfl_ex2); RUN(lds); RUN(lds_ffma4); RUN(lds_shfl);
  run_loop<1, false>(out, sink); run_loop<2, false>(out, sink); run_loop<4, false>(out, sink); run_loop<8, false>(out, sink);
  run_loop<16, false>(out, sink); run_loop<32, false>(out, sink); run_loop<64, false>(out, sink); run_loop<128, false>(out, sink);
  run_loop<256, false>(out, sink); run_loop<512, false>(out, sink);
  run_loop<4, true>(out, sink); run_loop<16, true>(out, sink); run_loop<64, true>(out, sink);
}
