// Array of structures against structure of arrays, reading and writing all fields or one.
#include "common.cuh"

namespace {

constexpr int kFields = 8;

struct Particle {  // 4-byte alignment: the compiler may not widen the accesses
  float field[kFields];
};

struct alignas(16) WideParticle {
  float4 low, high;
};

__device__ __forceinline__ int element() { return blockIdx.x * blockDim.x + threadIdx.x; }

}  // namespace

__global__ void aos_soa_aos_load_all(const float* in, float* out, int n) {
  const int i = element();
  if (i >= n) return;
  const Particle* particles = reinterpret_cast<const Particle*>(in);
  float sum = 0;
  for (int f = 0; f < kFields; ++f) sum += particles[i].field[f];
  out[i] = sum;
}

__global__ void aos_soa_aos_wide_load_all(const float* in, float* out, int n) {
  const int i = element();
  if (i >= n) return;
  const WideParticle p = reinterpret_cast<const WideParticle*>(in)[i];
  out[i] = p.low.x + p.low.y + p.low.z + p.low.w + p.high.x + p.high.y + p.high.z + p.high.w;
}

__global__ void aos_soa_soa_load_all(const float* in, float* out, int n) {
  const int i = element();
  if (i >= n) return;
  float sum = 0;
  for (int f = 0; f < kFields; ++f) sum += in[f * n + i];
  out[i] = sum;
}

__global__ void aos_soa_aos_load_one(const float* in, float* out, int n) {
  const int i = element();
  if (i < n) out[i] = reinterpret_cast<const Particle*>(in)[i].field[2];
}

__global__ void aos_soa_soa_load_one(const float* in, float* out, int n) {
  const int i = element();
  if (i < n) out[i] = in[2 * n + i];
}

__global__ void aos_soa_aos_store_all(const float* in, float* out, int n) {
  const int i = element();
  if (i >= n) return;
  Particle* particles = reinterpret_cast<Particle*>(out);
  const float value = in[i];
  for (int f = 0; f < kFields; ++f) particles[i].field[f] = value + f;
}

__global__ void aos_soa_soa_store_all(const float* in, float* out, int n) {
  const int i = element();
  if (i >= n) return;
  const float value = in[i];
  for (int f = 0; f < kFields; ++f) out[f * n + i] = value + f;
}

__global__ void aos_soa_aos_store_one(const float* in, float* out, int n) {
  const int i = element();
  if (i < n) reinterpret_cast<Particle*>(out)[i].field[2] = in[i];
}

__global__ void aos_soa_soa_store_one(const float* in, float* out, int n) {
  const int i = element();
  if (i < n) out[2 * n + i] = in[i];
}

namespace {

using Kernel = void (*)(const float*, float*, int);

// Where field f of element i is kept.
std::size_t place(bool soa, std::size_t i, int f, std::size_t n) {
  return soa ? f * n + i : i * kFields + f;
}

template <Kernel kKernel, bool kSoa, bool kAll>
bool run_load(const suite::Options& o) {
  const std::size_t n = o.size;
  const auto host = suite::small_numbers(n * kFields);
  const suite::DeviceArray<float> in(host);
  const suite::DeviceArray<float> out(n);
  const int block = o.block_or(256);
  kKernel<<<suite::blocks_for(o.size, block), block>>>(in, out, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    if (!kAll) return host[place(kSoa, i, 2, n)];
    float sum = 0;
    for (int f = 0; f < kFields; ++f) sum += host[place(kSoa, i, f, n)];
    return sum;
  });
}

template <Kernel kKernel, bool kSoa, bool kAll>
bool run_store(const suite::Options& o) {
  const std::size_t n = o.size;
  const auto host = suite::small_numbers(n);
  const suite::DeviceArray<float> in(host);
  const suite::DeviceArray<float> out(std::vector<float>(n * kFields, 99.0f));
  const int block = o.block_or(256);
  kKernel<<<suite::blocks_for(o.size, block), block>>>(in, out, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t k) {
    const std::size_t i = kSoa ? k % n : k / kFields;
    const int f = static_cast<int>(kSoa ? k / n : k % kFields);
    if (!kAll) return f == 2 ? host[i] : 99.0f;
    return host[i] + static_cast<float>(f);
  });
}

const suite::Program kProgram = {"aos_soa", "particles of 8 floats", 1 << 17, 1, 1 << 26, 1, true};
const suite::Variant kVariants[] = {
    {"aos_load_all", "structures read field by field: 32 sectors a request, L1 hits the next seven",
     run_load<aos_soa_aos_load_all, false, true>},
    {"aos_wide_load_all", "aligned structures read as two 16-byte words: a quarter of the requests",
     run_load<aos_soa_aos_wide_load_all, false, true>},
    {"soa_load_all", "one array a field: eight requests of four sectors",
     run_load<aos_soa_soa_load_all, true, true>},
    {"aos_load_one", "one field of the structures: an eighth of the bytes fetched is used",
     run_load<aos_soa_aos_load_one, false, false>},
    {"soa_load_one", "one field of the arrays: all bytes fetched are used",
     run_load<aos_soa_soa_load_one, true, false>},
    {"aos_store_all", "structures written field by field: 32 partial sectors, eight times over",
     run_store<aos_soa_aos_store_all, false, true>},
    {"soa_store_all", "one array a field written: whole sectors",
     run_store<aos_soa_soa_store_all, true, true>},
    {"aos_store_one", "one field of the structures written: partial sectors all over",
     run_store<aos_soa_aos_store_one, false, false>},
    {"soa_store_one", "one field of the arrays written: whole sectors",
     run_store<aos_soa_soa_store_one, true, false>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
