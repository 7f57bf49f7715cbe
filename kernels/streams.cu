// Several streams: kernels side by side, kernels ordered by events, and host threads that launch.
#include "common.cuh"

#include <thread>

namespace {

constexpr int kStreams = 4;
constexpr int kThreads = 256;

__device__ __forceinline__ int element() { return blockIdx.x * blockDim.x + threadIdx.x; }

}  // namespace

__global__ void streams_scale(const float* in, float* out, int n, float factor) {
  const int i = element();
  if (i < n) out[i] = factor * in[i];
}
__global__ void streams_add(const float* a, const float* b, float* out, int n) {
  const int i = element();
  if (i < n) out[i] = a[i] + b[i];
}

namespace {

// Uploads may still be on their way when cudaMemcpy returns, and non-blocking streams do not wait
// for them by themselves.
void wait_for_uploads() { CUDA_CHECK(cudaDeviceSynchronize()); }

// One slice of the arrays for each stream.
void launch_slice(const float* in, float* out, int slice, int n, cudaStream_t stream) {
  const std::size_t first = std::size_t(slice) * n;
  streams_scale<<<suite::blocks_for(n, kThreads), kThreads, 0, stream>>>(
      in + first, out + first, n, static_cast<float>(slice + 1));
  CUDA_CHECK(cudaGetLastError());
}

bool check_slices(const suite::DeviceArray<float>& out, const std::vector<float>& host) {
  const std::size_t slice = host.size() / kStreams;
  return suite::matches(out,
                        [&](std::size_t i) { return static_cast<float>(i / slice + 1) * host[i]; });
}

bool run_independent(const suite::Options& o) {
  const auto host = suite::small_numbers(o.size);
  const suite::DeviceArray<float> in(host), out(o.size);
  wait_for_uploads();
  cudaStream_t stream[kStreams];
  for (int k = 0; k < kStreams; ++k) {
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking));
    launch_slice(in, out, k, o.size / kStreams, stream[k]);
  }
  CUDA_FINISH();
  for (cudaStream_t s : stream) CUDA_CHECK(cudaStreamDestroy(s));
  return !o.check || check_slices(out, host);
}

// Two streams make an operand each, a third waits for both and adds.
bool run_ordered(const suite::Options& o) {
  const int n = o.size, blocks = suite::blocks_for(n, kThreads);
  const auto host = suite::small_numbers(n);
  const suite::DeviceArray<float> in(host), a(n), b(n), out(n);
  wait_for_uploads();
  cudaStream_t stream[3];
  cudaEvent_t done[2];
  for (cudaStream_t& s : stream) CUDA_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  for (int k = 0; k < 2; ++k) {
    CUDA_CHECK(cudaEventCreateWithFlags(&done[k], cudaEventDisableTiming));
    streams_scale<<<blocks, kThreads, 0, stream[k]>>>(in, k == 0 ? a : b, n, k == 0 ? 2.0f : 5.0f);
    CUDA_CHECK(cudaEventRecord(done[k], stream[k]));
    CUDA_CHECK(cudaStreamWaitEvent(stream[2], done[k], 0));
  }
  streams_add<<<blocks, kThreads, 0, stream[2]>>>(a, b, out, n);
  CUDA_FINISH();
  for (cudaStream_t s : stream) CUDA_CHECK(cudaStreamDestroy(s));
  for (cudaEvent_t e : done) CUDA_CHECK(cudaEventDestroy(e));
  return !o.check || suite::matches(out, [&](std::size_t i) { return 7 * host[i]; });
}

// Each host thread has a stream of its own and launches into it.
bool run_threads(const suite::Options& o) {
  const auto host = suite::small_numbers(o.size);
  const suite::DeviceArray<float> in(host), out(o.size);
  wait_for_uploads();
  const float* from = in;
  float* to = out;
  std::vector<std::thread> threads;
  for (int k = 0; k < kStreams; ++k) {
    threads.emplace_back([=, n = o.size / kStreams] {
      cudaStream_t stream;
      CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      launch_slice(from, to, k, n, stream);
      CUDA_CHECK(cudaStreamSynchronize(stream));
      CUDA_CHECK(cudaStreamDestroy(stream));
    });
  }
  for (std::thread& t : threads) t.join();
  return !o.check || check_slices(out, host);
}

const suite::Program kProgram = {"streams", "floats", 1 << 16, kStreams, 1 << 26, kStreams, false};
const suite::Variant kVariants[] = {
    {"independent", "four streams, a kernel in each, in any order", run_independent},
    {"ordered", "three streams ordered by events", run_ordered},
    {"threads", "four host threads launching into streams of their own", run_threads},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
