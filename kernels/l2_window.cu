// A small hot array read again and again while a large one streams past: with an L2 access window
// that keeps the hot one, that lets it stream as well, and without. Windows need capability 8.0.
#include "common.cuh"

namespace {

constexpr int kReuse = 8;  // every hot element is read so many times

__device__ __forceinline__ void add_hot(const float* streamed, const float* hot, float* out, int n,
                                        int hot_size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = streamed[i] + hot[i % hot_size];
}

}  // namespace

__global__ void l2_window_none(const float* streamed, const float* hot, float* out, int n,
                               int hot_size) {
  add_hot(streamed, hot, out, n, hot_size);
}
__global__ void l2_window_persisting(const float* streamed, const float* hot, float* out, int n,
                                     int hot_size) {
  add_hot(streamed, hot, out, n, hot_size);
}
__global__ void l2_window_streaming(const float* streamed, const float* hot, float* out, int n,
                                    int hot_size) {
  add_hot(streamed, hot, out, n, hot_size);
}

namespace {

std::size_t smaller(std::size_t a, std::size_t b) { return a < b ? a : b; }

// The part of L2 set aside, as large as the hot array or as the GPU allows.
void set_aside(std::size_t bytes) {
  const std::size_t most = suite::device_attribute(cudaDevAttrMaxPersistingL2CacheSize);
  if (most == 0) suite::missing("this GPU cannot set aside a part of its L2");
  CUDA_CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, smaller(bytes, most)));
}

void open_window(cudaStream_t stream, float* hot, std::size_t bytes, cudaAccessProperty property) {
  const std::size_t most = suite::device_attribute(cudaDevAttrMaxAccessPolicyWindowSize);
  if (most == 0) suite::missing("this GPU has no access policy window");
  cudaStreamAttrValue value = {};
  value.accessPolicyWindow.base_ptr = hot;
  value.accessPolicyWindow.num_bytes = smaller(bytes, most);
  value.accessPolicyWindow.hitRatio = 1.0f;
  value.accessPolicyWindow.hitProp = property;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  CUDA_CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
}

using Kernel = void (*)(const float*, const float*, float*, int, int);

template <Kernel kKernel, cudaAccessProperty kProperty>
bool run(const suite::Options& o) {
  const int hot_size = o.size / kReuse;
  const auto host_streamed = suite::small_numbers(o.size, 1);
  const auto host_hot = suite::small_numbers(hot_size, 2);
  const suite::DeviceArray<float> streamed(host_streamed);
  const suite::DeviceArray<float> hot(host_hot);
  const suite::DeviceArray<float> out(o.size);
  const std::size_t bytes = hot_size * sizeof(float);
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  if (kProperty == cudaAccessPropertyPersisting) set_aside(bytes);
  if (kProperty != cudaAccessPropertyNormal) open_window(stream, hot, bytes, kProperty);
  const int block = o.block_or(256);
  kKernel<<<suite::blocks_for(o.size, block), block, 0, stream>>>(streamed, hot, out, o.size,
                                                                  hot_size);
  CUDA_FINISH();
  CUDA_CHECK(cudaStreamDestroy(stream));
  return !o.check || suite::matches(out, [&](std::size_t i) {
    return host_streamed[i] + host_hot[i % hot_size];
  });
}

const suite::Program kProgram = {
    "l2_window", "floats streamed (the hot array has an eighth)", 1 << 20, 64, 1 << 28, 8, true};
const suite::Variant kVariants[] = {
    {"none", "no window: the stream pushes the hot array out once L2 is full",
     run<l2_window_none, cudaAccessPropertyNormal>},
    {"persisting", "the hot array in a set-aside part of L2",
     run<l2_window_persisting, cudaAccessPropertyPersisting>, 80},
    {"streaming", "the hot array marked as streaming: the wrong way round, for comparison",
     run<l2_window_streaming, cudaAccessPropertyStreaming>, 80},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
