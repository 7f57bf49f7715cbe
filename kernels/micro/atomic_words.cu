// Additions and other atomics on few words: what a pass over a sector costs when the next one wants
// the same word. All SMs, 8 warps each; a lane's word is read from a list, so that ptxas cannot add
// a warp's values up first. Read: sm__cycles_elapsed.max, lts__t_sectors_srcunit_tex_op_{red,atom},
// lts__cycles_elapsed.max.
//   KIND  what is done;  WORDS words of 4 bytes apart (of 8, where the type has 8);  LANES of a
//   warp take part; TURN  1: a warp goes on to the next word each time, 0: lanes stay with theirs
#include <cuda_fp16.h>

#include "micro.cuh"

namespace {

enum Kind {
  kRedU32,
  kRedU64,
  kRedMax,
  kRedOr,
  kRedF32,
  kRedF64,
  kRedF16,
  kAtomU32,
  kAtomF32,
  kAtomF64,
  kExch,
  kCas,
  kKinds
};
const char* const kKind[] = {"red_u32",  "red_u64",  "red_max_u32",   "red_or_b32",
                             "red_f32",  "red_f64",  "red_f16x2",     "atom_u32",
                             "atom_f32", "atom_f64", "atom_exch_b32", "atom_cas_b32"};

}  // namespace

template <int kKindOf>
__global__ void words(u8* to, const u32* place, u32 words, u32 lanes, int turn, int rounds,
                      u32* out) {
  const u32 lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const u32 mine = place[lane];
  u32 sum = 0;
  if (lane < lanes)
    for (int r = 0; r < rounds; ++r) {
      const u32 at = (mine + (turn ? warp + r : 0)) % words;
      u8* const p4 = to + at * 4;
      u8* const p8 = to + at * 8;
      u32 v = 0;
      if (kKindOf == kRedU32)
        asm volatile("red.global.add.u32 [%0],%1;" ::"l"(p4), "r"(lane) : "memory");
      if (kKindOf == kRedU64)
        asm volatile("red.global.add.u64 [%0],%1;" ::"l"(p8), "l"(u64{lane}) : "memory");
      if (kKindOf == kRedMax)
        asm volatile("red.global.max.u32 [%0],%1;" ::"l"(p4), "r"(lane + r) : "memory");
      if (kKindOf == kRedOr)
        asm volatile("red.global.or.b32 [%0],%1;" ::"l"(p4), "r"(lane) : "memory");
      if (kKindOf == kRedF32)
        asm volatile("red.global.add.f32 [%0],%1;" ::"l"(p4), "f"(1.f + lane) : "memory");
      if (kKindOf == kRedF64)
        asm volatile("red.global.add.f64 [%0],%1;" ::"l"(p8), "d"(1.0 + lane) : "memory");
      if (kKindOf == kRedF16)
        asm volatile("red.global.add.noftz.f16x2 [%0],%1;" ::"l"(p4), "r"(lane) : "memory");
      if (kKindOf == kAtomU32)
        asm volatile("atom.global.add.u32 %0,[%1],%2;" : "=r"(v) : "l"(p4), "r"(lane) : "memory");
      if (kKindOf == kAtomF32) {
        float f;
        asm volatile("atom.global.add.f32 %0,[%1],%2;"
                     : "=f"(f)
                     : "l"(p4), "f"(1.f + lane)
                     : "memory");
        v = __float_as_uint(f);
      }
      if (kKindOf == kAtomF64) {
        double f;
        asm volatile("atom.global.add.f64 %0,[%1],%2;"
                     : "=d"(f)
                     : "l"(p8), "d"(1.0 + lane)
                     : "memory");
        v = __double2hiint(f);
      }
      if (kKindOf == kExch)
        asm volatile("atom.global.exch.b32 %0,[%1],%2;" : "=r"(v) : "l"(p4), "r"(lane) : "memory");
      if (kKindOf == kCas)
        asm volatile("atom.global.cas.b32 %0,[%1],%2,%3;"
                     : "=r"(v)
                     : "l"(p4), "r"(lane), "r"(lane + 1)
                     : "memory");
      sum += v;
    }
  if (sum == 0x12345) out[threadIdx.x] = sum;
}

namespace {

template <int kKindOf>
void run(u8* to, u32* place, u32* out) {
  const int rounds = 8;
  const auto one = [&](u32 count, u32 lanes, int turn, bool spread) {
    std::vector<u32> h(32);
    for (u32 k = 0; k < 32; ++k) h[k] = spread ? k % count : 0;
    CHECK(cudaMemcpy(place, h.data(), 128, cudaMemcpyHostToDevice));
    label("kind=%s words=%u lanes=%u turn=%d spread=%d rounds=%d", kKind[kKindOf], count, lanes,
          turn, spread, rounds);
    words<kKindOf><<<132, 256>>>(to, place, count, lanes, turn, rounds, out);
    CHECK(cudaDeviceSynchronize());
  };
  one(1, 32, 0, false);                         // all lanes on one word
  one(1, 1, 0, false);                          // one lane of each warp on one word
  for (u32 n : {2, 4, 8}) one(n, 32, 0, true);  // lanes share the words of one sector
  one(32, 32, 0, true);                         // a word a lane, all warps the same ones
  one(2, 1, 1, false);                          // two words of a sector by turns
  one(8, 1, 1, false);
  one(8, 32, 1, false);  // all lanes on one word, which is another one each time
}

}  // namespace

int main() {
  u8* to = device_buffer<u8>(1 << 20);
  u32* place = device_buffer<u32>(256);
  u32* out = device_buffer<u32>(4096);
  run<kRedU32>(to, place, out);
  run<kRedU64>(to, place, out);
  run<kRedMax>(to, place, out);
  run<kRedOr>(to, place, out);
  run<kRedF32>(to, place, out);
  run<kRedF64>(to, place, out);
  run<kRedF16>(to, place, out);
  run<kAtomU32>(to, place, out);
  run<kAtomF32>(to, place, out);
  run<kAtomF64>(to, place, out);
  run<kExch>(to, place, out);
  run<kCas>(to, place, out);
}
