// Launches that write less than the L2 keeps dirty, beside reads: what of it is in DRAM when they
// end. Count with the profiler's own cache control and several passes, and with --cache-control
// none in one pass (each counted launch then follows a `rinse`): what the profiler left dirty is
// the difference. Read: dram__sectors_{read,write}, lts__t_sectors_op_write,
// lts__t_sectors_srcunit_tex_op_write, lts__t_sectors_srcunit_ltcfabric.
//   map     each thread reads `reads` MiB / threads at random (4 bytes) or in a row and stores 4
//   bytes; `write` MiB fields  structures of 8 words stored word by word: sectors are written in
//   eight parts row     a warp's row of 1,024 words is read three times, then written (as a softmax
//   does)
#include <string>

#include "micro.cuh"

namespace {
__device__ __forceinline__ u32 mixed(u64 n) {
  n ^= n >> 31, n *= 0x7fb5d329728ea185ull;
  n ^= n >> 27, n *= 0x81dadef4bc2dd44dull;
  return static_cast<u32>(n >> 32);
}
}  // namespace

__global__ void rinse(const uint4* a, u32* out, u64 pieces) {
  u32 v = 0;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < pieces;
       i += static_cast<u64>(gridDim.x) * blockDim.x)
    v ^= a[i].x;
  if (v == 0x12345) out[threadIdx.x] = v;
}
__global__ void map(const u32* a, u64 words, u32* to, int reads, bool random) {
  const u64 me = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x,
            all = static_cast<u64>(gridDim.x) * blockDim.x;
  u32 v = 0;
  for (int r = 0; r < reads; ++r) {
    const u64 at = random ? static_cast<u64>(__umulhi(mixed(me * 977 + r), static_cast<u32>(words)))
                          : (r * all + me) % words;
    v += load_ca(a + at);
  }
  to[me] = v;
}
__global__ void fields(u32* to) {
  const u64 me = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 8; ++k) store4(to + me * 8 + k, static_cast<u32>(me) + k);
}
__global__ void row(const float* a, float* to, int rows) {
  const int me = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (me >= rows) return;
  const float* const in = a + static_cast<u64>(me) * 1024;
  float most = -1e30f, sum = 0;
  for (int k = lane; k < 1024; k += 32) most = fmaxf(most, in[k]);
  for (int d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  for (int k = lane; k < 1024; k += 32) sum += __expf(in[k] - most);
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  for (int k = lane; k < 1024; k += 32)
    to[static_cast<u64>(me) * 1024 + k] = __expf(in[k] - most) / sum;
}

int main(int argc, char**) {
  const bool rinses = argc > 1;
  u32* a = device_buffer<u32>(512u << 20);
  u32* to = device_buffer<u32>(64u << 20);
  u32* out = device_buffer<u32>(4096);
  const auto ready = [&] {
    if (rinses) rinse<<<1056, 256>>>(reinterpret_cast<const uint4*>(a), out, (512u << 20) / 16);
  };
  for (u32 kib : {64, 256, 1024, 4096, 8192, 16384})
    for (int reads : {0, 1, 4, 16}) {
      const u64 threads = u64{kib} * 256;
      for (bool random : {false, true}) {
        if (random && !reads) continue;
        for (u64 mib : {u64{8}, u64{32}, u64{256}}) {
          if ((!random || !reads) && mib != 256) continue;
          ready();
          label("map write=%u reads=%d random=%d table=%llu", kib, reads, random,
                (unsigned long long)mib);
          map<<<static_cast<u32>(threads / 256), 256>>>(a, mib << 18, to, reads, random);
          CHECK(cudaDeviceSynchronize());
        }
      }
    }
  for (u32 kib : {256, 1024, 4096, 8192, 16384}) {
    ready();
    label("fields write=%u", kib);
    fields<<<kib * 32 / 256, 256>>>(to);
    CHECK(cudaDeviceSynchronize());
  }
  for (int rows : {64, 256, 1024, 2048, 4096, 8192}) {
    ready();
    label("row write=%u", rows * 4);
    row<<<(rows * 32 + 255) / 256, 256>>>(reinterpret_cast<const float*>(a),
                                          reinterpret_cast<float*>(to), rows);
    CHECK(cudaDeviceSynchronize());
  }
}
