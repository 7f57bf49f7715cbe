// Which lane's value stays where several lanes of a warp store to one word. A line a case: the
// memory, the bytes a lane stores, the lanes that do (hexadecimal), to which of four places each lane
// stores (two bits a lane, hexadecimal), and the lane whose value is in each place afterwards (-1:
// nobody's).
#include "micro.cuh"

template <class T>
__device__ T value(u32 v) { return static_cast<T>(v); }
template <>
__device__ uint4 value<uint4>(u32 v) { return {v, v, v, v}; }
template <class T>
__device__ u32 lane_of(T v) { return static_cast<u32>(v); }
template <>
__device__ u32 lane_of<uint4>(uint4 v) { return v.x == v.w && v.x == v.y && v.x == v.z ? v.x : 99; }

template <class T, bool kShared>
__global__ void store(T* global, u32* out, u32 mask, u64 places) {
  __shared__ T shared[4];
  T* const at = kShared ? shared : global;
  if (threadIdx.x < 4) at[threadIdx.x] = value<T>(0);
  __syncthreads();
  if (mask >> threadIdx.x & 1) at[places >> 2 * threadIdx.x & 3] = value<T>(threadIdx.x + 1);
  __syncthreads();
  if (threadIdx.x < 4) out[threadIdx.x] = lane_of<T>(at[threadIdx.x]);
}

template <class T, bool kShared>
void ask(const char* memory) {
  T* const global = device_buffer<T>(4 * sizeof(T));
  u32* const out = device_buffer<u32>(16);
  u64 state = 88172645463325252ull;
  const auto random = [&] {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
  };
  for (u32 i = 0; i < 40; ++i) {
    const u32 mask = static_cast<u32>(i % 4 == 0 ? random() & random() : i % 4 == 1 ? random() & 0xffff : random()) | 1u << i % 32;
    const u64 places = i % 2 ? random() : 0;
    store<T, kShared><<<1, 32>>>(global, out, mask, places);
    u32 got[4];
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%s,%zu,%x,%llx", memory, sizeof(T), mask, static_cast<unsigned long long>(places));
    for (const u32 g : got) std::printf(",%d", static_cast<int>(g) - 1);
    std::printf("\n");
  }
}

int main() {
  std::printf("memory,bytes,mask,places,place_0,place_1,place_2,place_3\n");
  ask<u8, true>("shared"), ask<std::uint16_t, true>("shared"), ask<u32, true>("shared");
  ask<u64, true>("shared"), ask<uint4, true>("shared");
  ask<u8, false>("global"), ask<std::uint16_t, false>("global"), ask<u32, false>("global");
  ask<u64, false>("global"), ask<uint4, false>("global");
}
