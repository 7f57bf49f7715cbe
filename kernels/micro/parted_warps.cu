// What shuffles, votes, matches and reductions that name the whole warp do when its lanes are on two
// sides of a branch, each side with an instruction of its own: lanes below `split` on the one, the
// others on the other. A line a case: the form, split, argument, what each lane got (hexadecimal), and
// which lanes the first and the last one were together with behind it.
#include "micro.cuh"

enum class Form { kIdx, kUp, kDown, kXor, kBallot, kAny, kSync, kMatch, kSum };

template <Form kForm>
__device__ __forceinline__ u32 act(u32 v, u32 argument, const volatile u32* others) {
  switch (kForm) {
    case Form::kIdx: return __shfl_sync(~0u, v, argument);
    case Form::kUp: return __shfl_up_sync(~0u, v, argument);
    case Form::kDown: return __shfl_down_sync(~0u, v, argument);
    case Form::kXor: return __shfl_xor_sync(~0u, v, argument);
    case Form::kBallot: return __ballot_sync(~0u, v & argument);
    case Form::kAny: return __any_sync(~0u, v == 1000 + argument);
    case Form::kSync: return __syncwarp(), *others;
    case Form::kMatch: return __match_any_sync(~0u, v & 3);
    default: return __reduce_add_sync(~0u, v);
  }
}

// Volatile stores keep the two sides apart; what the other side wrote before is there behind a __syncwarp.
template <Form kForm>
__global__ void parted(volatile u32* out, u32 split, u32 argument) {
  const u32 lane = threadIdx.x, v = 1000 + lane;
  if (lane < split) {
    out[64 + lane] = 1;
    const u32 r = act<kForm>(v, argument, out + 64 + 31);
    out[32 + lane] = __activemask();
    out[lane] = r;
  } else {
    out[64 + lane] = 2;
    out[96 + lane] = 3;
    const u32 r = act<kForm>(v, argument, out + 64);
    out[lane] = r + 7;
    out[32 + lane] = __activemask();
    out[lane] = r;
  }
}

template <Form kForm>
void ask(const char* name, u32 split, u32 argument) {
  u32* const out = device_buffer<u32>(128);
  parted<kForm><<<1, 32>>>(out, split, argument);
  u32 got[64];
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  std::printf("%s,%u,%u", name, split, argument);
  for (u32 i = 0; i < 32; ++i) std::printf(",%x", got[i]);
  std::printf(",%x,%x\n", got[32], got[63]);
  cudaFree(out);
}

int main() {
  for (const u32 split : {1u, 2u, 16u, 31u}) {
    for (const u32 argument : {0u, 1u, 5u, 16u, 31u}) {
      ask<Form::kIdx>("idx", split, argument);
      ask<Form::kUp>("up", split, argument);
      ask<Form::kDown>("down", split, argument);
      ask<Form::kXor>("xor", split, argument);
    }
    for (const u32 bit : {1u, 16u}) ask<Form::kBallot>("ballot", split, bit);
    for (const u32 lane : {0u, 31u}) ask<Form::kAny>("any", split, lane);
    ask<Form::kSync>("syncwarp", split, 0);
    ask<Form::kMatch>("match", split, 0);
    ask<Form::kSum>("sum", split, 0);
  }
}
