// Kernels that read or write the host's memory over the link, without a copy.
#include "common.cuh"

namespace {

// Page-locked host memory that the GPU maps.
class MappedArray {
 public:
  explicit MappedArray(const std::vector<float>& values) {
    if (suite::device_attribute(cudaDevAttrCanMapHostMemory) == 0) {
      suite::missing("this GPU cannot map host memory");
    }
    const std::size_t bytes = values.size() * sizeof(float);
    CUDA_CHECK(cudaHostAlloc(&host_, bytes, cudaHostAllocMapped));
    CUDA_CHECK(cudaHostGetDevicePointer(&device_, host_, 0));
    std::memcpy(host_, values.data(), bytes);
  }
  MappedArray(const MappedArray&) = delete;
  MappedArray& operator=(const MappedArray&) = delete;
  ~MappedArray() { cudaFreeHost(host_); }

  const float* host() const { return static_cast<const float*>(host_); }
  float* device() const { return static_cast<float*>(device_); }

 private:
  void* host_ = nullptr;
  void* device_ = nullptr;
};

__device__ __forceinline__ int element() { return blockIdx.x * blockDim.x + threadIdx.x; }

}  // namespace

__global__ void zero_copy_read(const float* in, float* out, int n) {
  const int i = element();
  if (i < n) out[i] = 2 * in[i];
}

__global__ void zero_copy_write(const float* in, float* out, int n) {
  const int i = element();
  if (i < n) out[i] = 2 * in[i];
}

// Neighbouring threads read a sector apart: the link carries eight times what is used.
__global__ void zero_copy_read_strided(const float* in, float* out, int n) {
  const int i = element();
  const int column = i % (n / 8), row = i / (n / 8);
  if (i < n) out[i] = 2 * in[column * 8 + row];
}

namespace {

bool run_read(const suite::Options& o) {
  const auto host = suite::small_numbers(o.size);
  const MappedArray in(host);
  const suite::DeviceArray<float> out(o.size);
  const int block = o.block_or(256);
  zero_copy_read<<<suite::blocks_for(o.size, block), block>>>(in.device(), out, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) { return 2 * host[i]; });
}

bool run_read_strided(const suite::Options& o) {
  const std::size_t columns = o.size / 8;
  const auto host = suite::small_numbers(o.size);
  const MappedArray in(host);
  const suite::DeviceArray<float> out(o.size);
  const int block = o.block_or(256);
  zero_copy_read_strided<<<suite::blocks_for(o.size, block), block>>>(in.device(), out, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    return 2 * host[i % columns * 8 + i / columns];
  });
}

bool run_write(const suite::Options& o) {
  const auto host = suite::small_numbers(o.size);
  const suite::DeviceArray<float> in(host);
  const MappedArray out(std::vector<float>(o.size, 99.0f));
  const int block = o.block_or(256);
  zero_copy_write<<<suite::blocks_for(o.size, block), block>>>(in, out.device(), o.size);
  CUDA_FINISH();
  for (std::size_t i = 0; o.check && i < host.size(); ++i) {
    if (out.host()[i] != 2 * host[i]) return suite::differs(i, out.host()[i], 2 * host[i]);
  }
  return true;
}

const suite::Program kProgram = {"zero_copy", "floats", 1 << 17, 8, 1 << 26, 8, true};
const suite::Variant kVariants[] = {
    {"read", "reads over the host link, whole lines at a time", run_read},
    {"read_strided", "reads over the link a sector apart: eight passes over the same memory",
     run_read_strided},
    {"write", "writes over the host link", run_write},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
