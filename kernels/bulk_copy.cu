// One-dimensional bulk copies (TMA without a tensor map): one thread moves a tile of 4 KiB.
// Needs compute capability 9.0.
#include "bulk.cuh"
#include "common.cuh"

namespace {

constexpr int kTile = 1024;  // words a CTA
constexpr int kThreads = 256;
constexpr std::uint32_t kBytes = kTile * sizeof(std::uint32_t);

__device__ __forceinline__ void load_tile(std::uint32_t* tile, std::uint64_t* barrier,
                                          const std::uint32_t* in) {
  if (threadIdx.x == 0) bulk::barrier_init(barrier);
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk::barrier_expect(barrier, kBytes);
    bulk::load(tile, in + std::size_t(blockIdx.x) * kTile, kBytes, barrier);
  }
  bulk::barrier_wait(barrier, 0);
}

// Triples the tile in place and hands it back to the copy engine.
__device__ __forceinline__ void triple(std::uint32_t* tile) {
  for (int k = threadIdx.x; k < kTile; k += kThreads) tile[k] *= 3;
  bulk::fence();
  __syncthreads();
}

}  // namespace

// Bulk load, ordinary stores.
__global__ void bulk_copy_load(const std::uint32_t* in, std::uint32_t* out) {
  alignas(128) __shared__ std::uint32_t tile[kTile];
  __shared__ std::uint64_t barrier;
  load_tile(tile, &barrier, in);
  std::uint32_t* to = out + std::size_t(blockIdx.x) * kTile;
  for (int k = threadIdx.x; k < kTile; k += kThreads) to[k] = tile[k] * 3;
}

// Bulk load and bulk store.
__global__ void bulk_copy_store(const std::uint32_t* in, std::uint32_t* out) {
  alignas(128) __shared__ std::uint32_t tile[kTile];
  __shared__ std::uint64_t barrier;
  load_tile(tile, &barrier, in);
  triple(tile);
  if (threadIdx.x == 0) {
    bulk::store(out + std::size_t(blockIdx.x) * kTile, tile, kBytes);
    bulk::finish_stores();
  }
}

// All CTAs add their tile to the same 4 KiB of `out`.
__global__ void bulk_copy_reduce(const std::uint32_t* in, std::uint32_t* out) {
  alignas(128) __shared__ std::uint32_t tile[kTile];
  __shared__ std::uint64_t barrier;
  load_tile(tile, &barrier, in);
  triple(tile);
  if (threadIdx.x == 0) {
    bulk::add_words(out, tile, kBytes);
    bulk::finish_stores();
  }
}

// Bulk prefetch to L2, then ordinary loads and stores.
__global__ void bulk_copy_prefetch(const std::uint32_t* in, std::uint32_t* out) {
  const std::size_t first = std::size_t(blockIdx.x) * kTile;
  if (threadIdx.x == 0) bulk::prefetch(in + first, kBytes);
  __syncthreads();
  for (int k = threadIdx.x; k < kTile; k += kThreads) out[first + k] = in[first + k] * 3;
}

namespace {

using Kernel = void (*)(const std::uint32_t*, std::uint32_t*);

template <Kernel kKernel>
bool run(const suite::Options& o) {
  const auto host = suite::random_words(o.size);
  const suite::DeviceArray<std::uint32_t> in(host);
  const suite::DeviceArray<std::uint32_t> out(o.size);
  kKernel<<<o.size / kTile, kThreads>>>(in, out);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) { return host[i] * 3; });
}

bool run_reduce(const suite::Options& o) {
  const auto host = suite::random_words(o.size);
  const suite::DeviceArray<std::uint32_t> in(host);
  const suite::DeviceArray<std::uint32_t> out(kTile, 0);
  bulk_copy_reduce<<<o.size / kTile, kThreads>>>(in, out);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    std::uint32_t sum = 0;  // wraps around like the GPU's
    for (std::size_t k = i; k < host.size(); k += kTile) sum += host[k] * 3;
    return sum;
  });
}

const suite::Program kProgram = {"bulk_copy", "words", 1 << 20, kTile, 1 << 28, kTile, false};
const suite::Variant kVariants[] = {
    {"load", "bulk load to shared, ordinary stores: no global load instruction left",
     run<bulk_copy_load>, 90},
    {"store", "bulk load and bulk store: two instructions move a tile of 4 KiB",
     run<bulk_copy_store>, 90},
    {"reduce", "bulk reduction of all tiles into one: additions in L2", run_reduce, 90},
    {"prefetch", "bulk prefetch to L2, then ordinary loads", run<bulk_copy_prefetch>, 90},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
