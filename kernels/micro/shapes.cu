// Small programs in the shape of public ones whose counters or cycles a model gets wrong first.
// Each is one launch:
//   shapes NAME [SIZE]; without arguments all of them, which checks what they compute.
// validate/reference/h100-shapes and h200-shapes have what the hardware counted.
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

#include "micro.cuh"

namespace {

__host__ __device__ inline u32 mixed(u64 n) {
  n ^= n >> 31, n *= 0x7fb5d329728ea185ull;
  n ^= n >> 27, n *= 0x81dadef4bc2dd44dull;
  return static_cast<u32>(n >> 32);
}

}  // namespace

// Every thread adds to one word: each addition waits for the one before.
__global__ void one_word_float(float* word) { atomicAdd(word, 1.f + threadIdx.x % 2); }

// A thread has eight neighbouring elements of 8 bytes: a warp's lanes are 64 bytes apart.
__global__ void blocked_copy(const double* in, double* out) {
  const u64 first = (u64{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
#pragma unroll 1
  for (int k = 0; k < 8; ++k) out[first + k] = in[first + k];
}

// A thread goes through its vertex's list of neighbours and adds up their values.
__global__ void neighbours(const u32* begin, const u32* list, const float* value, float* out,
                           u32 vertices) {
  const u32 v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  float sum = 0;
  for (u32 e = begin[v]; e < begin[v + 1]; ++e) sum += value[list[e]];
  out[v] = sum;
}

// A warp a row: the largest, the sum of exponentials, the quotient.
__global__ void softmax(const float* in, float* out) {
  const u32 row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float* const a = in + u64{row} * 512;
  float most = -1e30f, sum = 0;
  for (u32 k = lane; k < 512; k += 32) most = fmaxf(most, a[k]);
  for (int d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  for (u32 k = lane; k < 512; k += 32) sum += __expf(a[k] - most);
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  for (u32 k = lane; k < 512; k += 32) out[u64{row} * 512 + k] = __expf(a[k] - most) / sum;
}

// Structures of eight words, written word by word.
__global__ void fields(u32* out) {
  const u64 me = u64{blockIdx.x} * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 8; ++k) store4(out + me * 8 + k, static_cast<u32>(me) * 8 + k);
}

// One store under two conditions that exclude each other: in the machine code a single one.
__global__ void either(const u8* x, const u8* a, const u8* b, u32* out) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((a[i] && x[i]) || (b[i] && !x[i])) out[i] = i;
}

// Prefix sums of a CTA: shuffles within warps, shared memory between them.
__global__ void shuffle_scan(const u32* in, u32* out, u32* sums) {
  __shared__ u32 of_warp[32];
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32,
            warp = threadIdx.x / 32;
  u32 v = in[i];
#pragma unroll
  for (u32 d = 1; d < 32; d *= 2) {
    const u32 n = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += n;
  }
  if (lane == 31) of_warp[warp] = v;
  __syncthreads();
  if (warp == 0) {
    u32 s = lane < blockDim.x / 32 ? of_warp[lane] : 0;
#pragma unroll
    for (u32 d = 1; d < 32; d *= 2) {
      const u32 n = __shfl_up_sync(~0u, s, d);
      if (lane >= d) s += n;
    }
    of_warp[lane] = s;
  }
  __syncthreads();
  if (warp) v += of_warp[warp - 1];
  out[i] = v;
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = v;
}

// CTAs hand a counter on, each when the one before has: all look at one word until it is their
// turn.
__global__ void in_turn(volatile u32* turn, u32* out) {
  if (threadIdx.x == 0) {
    while (*turn != blockIdx.x) {
    }
    out[blockIdx.x] = *turn * 3;
    __threadfence();
    *turn = blockIdx.x + 1;
  }
}

// A lock that every warp takes by compare-and-swap.
__global__ void lock(u32* taken, u32* count) {
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(taken, 0, 1)) {
    }
    *static_cast<volatile u32*>(count) += 1;
    __threadfence();
    atomicExch(taken, 0);
  }
}

namespace {

template <class T>
T* filled(const std::vector<T>& v) {
  T* p = device_buffer<T>(v.size() * sizeof(T));
  CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}
template <class T>
std::vector<T> fetched(const T* p, u64 count) {
  std::vector<T> v(count);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(v.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}

bool run_one_word(u32 n) {
  float* word = device_buffer<float>(256);
  one_word_float<<<n / 256, 256>>>(word);
  return fetched(word, 1)[0] == 1.5f * n;
}
bool run_blocked(u32 n) {
  std::vector<double> h(u64{n} * 8);
  std::iota(h.begin(), h.end(), 0.);
  double* out = device_buffer<double>(h.size() * 8);
  blocked_copy<<<n / 256, 256>>>(filled(h), out);
  return fetched(out, h.size()) == h;
}
bool run_neighbours(u32 n) {
  std::vector<u32> begin(n + 1), list;
  std::vector<float> value(n), want(n);
  for (u32 v = 0; v < n; ++v) value[v] = static_cast<float>(v % 64);
  for (u32 v = 0; v < n; ++v) {
    // Mostly neighbours close by, some anywhere; a few vertices have long lists.
    const u32 degree = 4 + mixed(v) % 9 + (mixed(v + 77) % 64 == 0 ? 64 : 0);
    for (u32 k = 0; k < degree; ++k) {
      const u32 h = mixed(u64{v} * 4096 + k);
      list.push_back(h % 4 ? (v + n + h % 257 - 128) % n : static_cast<u32>(u64{h} * n >> 32));
      want[v] += value[list.back()];
    }
    begin[v + 1] = static_cast<u32>(list.size());
  }
  float* out = device_buffer<float>(n * 4);
  neighbours<<<n / 256, 256>>>(filled(begin), filled(list), filled(value), out, n);
  return fetched(out, n) == want;
}
bool run_softmax(u32 n) {
  std::vector<float> h(u64{n} * 512);
  for (u64 k = 0; k < h.size(); ++k) h[k] = static_cast<float>(mixed(k) % 16) / 4;
  float* out = device_buffer<float>(h.size() * 4);
  softmax<<<n / 8, 256>>>(filled(h), out);
  const auto got = fetched(out, h.size());
  double sum = 0;
  for (u32 k = 0; k < 512; ++k) sum += got[k];
  return std::fabs(sum - 1) < 1e-3;
}
bool run_fields(u32 n) {
  u32* out = device_buffer<u32>(u64{n} * 32);
  fields<<<n / 256, 256>>>(out);
  const auto got = fetched(out, u64{n} * 8);
  for (u64 k = 0; k < got.size(); ++k)
    if (got[k] != k) return false;
  return true;
}
bool run_either(u32 n) {
  std::vector<u8> x(n), a(n), b(n);
  for (u32 i = 0; i < n; ++i)
    x[i] = mixed(i) & 1, a[i] = mixed(i) >> 1 & 1, b[i] = mixed(i) >> 2 & 1;
  u32* out = device_buffer<u32>(n * 4);
  either<<<n / 256, 256>>>(filled(x), filled(a), filled(b), out);
  const auto got = fetched(out, n);
  for (u32 i = 0; i < n; ++i)
    if (got[i] != ((x[i] ? a[i] : b[i]) ? i : 0)) return false;
  return true;
}
bool run_scan(u32 n) {
  std::vector<u32> h(n);
  for (u32 i = 0; i < n; ++i) h[i] = mixed(i) % 100;
  u32 *out = device_buffer<u32>(n * 4), *sums = device_buffer<u32>(n * 4);
  shuffle_scan<<<n / 512, 512>>>(filled(h), out, sums);
  const auto got = fetched(out, n);
  u32 sum = 0;
  for (u32 i = 0; i < n; ++i) {
    sum = i % 512 ? sum + h[i] : h[i];
    if (got[i] != sum) return false;
  }
  return true;
}
bool run_turns(u32 n) {
  u32 *turn = device_buffer<u32>(256), *out = device_buffer<u32>(n * 4);
  in_turn<<<n, 32>>>(turn, out);
  return fetched(out, n).back() == (n - 1) * 3;
}
bool run_lock(u32 n) {
  u32 *taken = device_buffer<u32>(256), *count = device_buffer<u32>(256);
  lock<<<n, 128>>>(taken, count);
  return fetched(count, 1)[0] == n * 4;
}

struct Shape {
  const char* name;
  u32 size;
  bool (*run)(u32);
};
constexpr Shape kShapes[] = {{"one_word_float", 32768, run_one_word},
                             {"blocked_copy", 1 << 18, run_blocked},
                             {"neighbours", 1 << 16, run_neighbours},
                             {"softmax", 4096, run_softmax},
                             {"fields", 1 << 16, run_fields},
                             {"either", 1 << 18, run_either},
                             {"shuffle_scan", 1 << 20, run_scan},
                             {"in_turn", 64, run_turns},
                             {"lock", 32, run_lock}};

}  // namespace

int main(int argc, char** argv) {
  int wrong = 0, ran = 0;
  for (const Shape& s : kShapes) {
    if (argc > 1 && std::strcmp(argv[1], s.name)) continue;
    const u32 size = argc > 2 ? static_cast<u32>(std::strtoul(argv[2], nullptr, 10)) : s.size;
    label("%s size=%u", s.name, size);
    ++ran;
    if (s.run(size)) continue;
    std::fprintf(stderr, "%s: wrong result\n", s.name);
    wrong = 1;
  }
  return ran ? wrong : 2;
}
