// Vector copy with 1 to 16 bytes a lane: how the width of an access sets sectors per request.
#include "common.cuh"

namespace {

template <typename T>
__device__ __forceinline__ void copy_element(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

}  // namespace

__global__ void vector_copy_b1(const std::uint8_t* in, std::uint8_t* out, int n) {
  copy_element(in, out, n);
}
__global__ void vector_copy_b2(const std::uint16_t* in, std::uint16_t* out, int n) {
  copy_element(in, out, n);
}
__global__ void vector_copy_b4(const float* in, float* out, int n) { copy_element(in, out, n); }
__global__ void vector_copy_b8(const float2* in, float2* out, int n) { copy_element(in, out, n); }
__global__ void vector_copy_b16(const float4* in, float4* out, int n) { copy_element(in, out, n); }

namespace {

template <typename T, void (*kKernel)(const T*, T*, int)>
bool run(const suite::Options& o) {
  const std::vector<std::uint32_t> words =
      suite::random_words((std::size_t(o.size) * sizeof(T) + 3) / 4);
  std::vector<T> host(o.size);
  std::memcpy(static_cast<void*>(host.data()), words.data(), host.size() * sizeof(T));
  const suite::DeviceArray<T> in(host);
  const suite::DeviceArray<T> out(host.size());
  const int block = o.block_or(256);
  kKernel<<<suite::blocks_for(o.size, block), block>>>(in, out, o.size);
  CUDA_FINISH();
  if (!o.check) return true;
  const std::vector<T> got = out.download();
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::memcmp(&got[i], &host[i], sizeof(T)) == 0) continue;
    std::fprintf(stderr, "element %zu differs\n", i);
    return false;
  }
  return true;
}

const suite::Program kProgram = {
    "vector_copy", "elements of the variant's width", 1 << 20, 1, 1 << 28, 1, true};
const suite::Variant kVariants[] = {
    {"b1", "1 byte a lane: one sector a request, a request for every 32 bytes",
     run<std::uint8_t, vector_copy_b1>},
    {"b2", "2 bytes a lane: two sectors a request", run<std::uint16_t, vector_copy_b2>},
    {"b4", "4 bytes a lane: four sectors, one whole line a request", run<float, vector_copy_b4>},
    {"b8", "8 bytes a lane: two lines and two wavefronts a request", run<float2, vector_copy_b8>},
    {"b16", "16 bytes a lane: four lines a request, a quarter of the instructions of b4",
     run<float4, vector_copy_b16>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
