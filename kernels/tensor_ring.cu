// Tiles through a ring in shared memory: one warp only copies them in by a tensor map, four others
// work on them. Two mbarriers a stage say that it is full, and that it is empty again. Needs
// compute capability 9.0.
#include "bulk.cuh"
#include "common.cuh"
#include "tensor_map.cuh"

namespace {

constexpr int kTile = 32;                  // 32 x 32 floats
constexpr int kWarps = 4;                  // that work; one more copies
constexpr int kWarpRows = kTile / kWarps;  // of a tile, for each of them
constexpr int kTiles = 8;                  // a CTA: one below the other

// A tile with what lies around it: whole 16 bytes on each side.
template <bool kHalo>
struct Shape {
  static constexpr int kLeft = kHalo ? 4 : 0, kAbove = kHalo ? 1 : 0;
  static constexpr int kWidth = kTile + 2 * kLeft, kHeight = kTile + 2 * kAbove;
  static constexpr std::uint32_t kBytes = kWidth * kHeight * sizeof(float);
  static constexpr int kStage = (kWidth * kHeight + 31) / 32 * 32;  // floats: whole 128 bytes
};

template <int kStages, bool kHalo>
struct Ring {
  alignas(128) float tile[kStages][Shape<kHalo>::kStage];
  std::uint64_t full[kStages], empty[kStages];
};

template <int kStages, bool kHalo>
__device__ __forceinline__ void open_ring(Ring<kStages, kHalo>& ring) {
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      bulk::barrier_init(&ring.full[s]);
      bulk::barrier_init(&ring.empty[s], kWarps);
    }
  }
  __syncthreads();
}

// The copying warp: as far ahead as there are empty stages.
template <int kStages, bool kHalo>
__device__ __forceinline__ void fill(Ring<kStages, kHalo>& ring, const CUtensorMap* map,
                                     int tiles) {
  using S = Shape<kHalo>;
  if (threadIdx.x % 32 != 0) return;
#pragma unroll 1
  for (int t = 0; t < tiles; ++t) {
    const int s = t % kStages, y = (blockIdx.y * tiles + t) * kTile;
    if (t >= kStages) bulk::barrier_wait(&ring.empty[s], (t / kStages - 1) & 1);
    bulk::barrier_expect(&ring.full[s], S::kBytes);
    bulk::load_tile(ring.tile[s], map, blockIdx.x * kTile - S::kLeft, y - S::kAbove, &ring.full[s]);
  }
}

// The working warps: `work(tile, number)` for each.
template <int kStages, bool kHalo, class Work>
__device__ __forceinline__ void drain(Ring<kStages, kHalo>& ring, int tiles, Work&& work) {
#pragma unroll 1
  for (int t = 0; t < tiles; ++t) {
    const int s = t % kStages;
    bulk::barrier_wait(&ring.full[s], (t / kStages) & 1);
    work(ring.tile[s], t);
    __syncwarp();
    if (threadIdx.x % 32 == 0) bulk::barrier_arrive(&ring.empty[s]);
  }
}

// Sums of columns, over the rows of a CTA.
template <int kStages>
__device__ __forceinline__ void column_sums(const CUtensorMap* map, float* out, int n, int tiles) {
  __shared__ Ring<kStages, false> ring;
  __shared__ float sums[kWarps][kTile];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  open_ring(ring);
  if (warp == kWarps) {
    fill(ring, map, tiles);
  } else {
    float sum = 0;
    drain(ring, tiles, [&](const float* tile, int) {
#pragma unroll
      for (int r = 0; r < kWarpRows; ++r) sum += tile[(warp * kWarpRows + r) * kTile + lane];
    });
    sums[warp][lane] = sum;
  }
  __syncthreads();
  if (warp == 0) {
    float sum = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) sum += sums[w][lane];
    out[blockIdx.y * n + blockIdx.x * kTile + lane] = sum;
  }
}

}  // namespace

__global__ void tensor_ring_stages1(const __grid_constant__ CUtensorMap map, float* out, int n,
                                    int tiles) {
  column_sums<1>(&map, out, n, tiles);
}

__global__ void tensor_ring_stages4(const __grid_constant__ CUtensorMap map, float* out, int n,
                                    int tiles) {
  column_sums<4>(&map, out, n, tiles);
}

// Sums of 3 x 3 neighbours; what lies outside the matrix comes in as zeros.
__global__ void tensor_ring_halo(const __grid_constant__ CUtensorMap map, float* out, int n,
                                 int tiles) {
  using S = Shape<true>;
  __shared__ Ring<2, true> ring;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  open_ring(ring);
  if (warp == kWarps) return fill(ring, &map, tiles);
  drain(ring, tiles, [&](const float* tile, int t) {
    const auto row_sum = [&](int r) {  // of the tile, -1 the one above
      const float* at = tile + (r + S::kAbove) * S::kWidth + S::kLeft + lane;
      return at[-1] + at[0] + at[1];
    };
    const int first = warp * kWarpRows;
    float* to = out + ((blockIdx.y * tiles + t) * kTile + first) * n + blockIdx.x * kTile + lane;
    float above = row_sum(first - 1), here = row_sum(first);
#pragma unroll
    for (int r = 0; r < kWarpRows; ++r) {
      const float below = row_sum(first + r + 1);
      to[r * n] = above + here + below;
      above = here, here = below;
    }
  });
}

namespace {

using Kernel = void (*)(const CUtensorMap, float*, int, int);

// The tiles of all CTAs, and whether what comes out is `expected` of each element.
template <Kernel kKernel, bool kHalo, class Expected>
bool run(const suite::Options& o, Expected&& expected) {
  const int n = o.size, bands = n / (kTile * kTiles);
  const auto host = suite::small_numbers(std::size_t(n) * n);
  const suite::DeviceArray<float> in(host);
  const suite::DeviceArray<float> out(std::size_t(kHalo ? n : bands) * n);
  const CUtensorMap map = tensor_map::describe(tensor_map::find_encode(), in.get(), n,
                                               Shape<kHalo>::kWidth, Shape<kHalo>::kHeight, false);
  kKernel<<<dim3(n / kTile, bands), (kWarps + 1) * 32>>>(map, out.get(), n, kTiles);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    return expected(host, n, int(i % n), int(i / n));
  });
}

template <Kernel kKernel>
bool run_sums(const suite::Options& o) {
  return run<kKernel, false>(o, [](const auto& in, int n, int x, int band) {
    constexpr int kRows = kTile * kTiles;
    float sum = 0;
    for (int y = band * kRows; y < (band + 1) * kRows; ++y) sum += in[std::size_t(y) * n + x];
    return sum;
  });
}

bool run_halo(const suite::Options& o) {
  return run<tensor_ring_halo, true>(o, [](const auto& in, int n, int x, int y) {
    float sum = 0;
    for (int v = y - 1; v <= y + 1; ++v) {
      for (int u = x - 1; u <= x + 1; ++u) {
        if (u >= 0 && v >= 0 && u < n && v < n) sum += in[std::size_t(v) * n + u];
      }
    }
    return sum;
  });
}

const suite::Program kProgram = {
    "tensor_ring", "side of the square matrix of floats", 1024, 256, 16384, 256, false};
const suite::Variant kVariants[] = {
    {"stages1", "one warp copies by tensor map, four add up columns: they take turns",
     run_sums<tensor_ring_stages1>, 90},
    {"stages4", "four stages: up to four tiles travel while one is worked on",
     run_sums<tensor_ring_stages4>, 90},
    {"halo", "tiles with their neighbours' edges: rows outside are zeros that nobody reads",
     run_halo, 90},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
