// Pairs of kernels: variant 0 moves more than it has to, variant 1 has the change that `warpmem
// explain` proposes for it. The first argument names the pair. Results are not checked: what counts
// is what they access.
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Particle {
  float x, y, z, mass;
};
struct Pixel {
  float r, g, b;
};
constexpr int kN = 1 << 20, kSide = 1024;

__global__ void mass_aos(const Particle* p, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * p[i].mass;
}
__global__ void mass_soa(const float* mass, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * mass[i];
}

__global__ void brighten_aos(Pixel* p, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Pixel v = p[i];
  v.r *= by, v.g *= by, v.b *= by;
  p[i] = v;
}
__global__ void brighten_soa(float* r, float* g, float* b, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = r[i], y = g[i], z = b[i];
  r[i] = x * by, g[i] = y * by, b[i] = z * by;
}

// Neighbouring threads in neighbouring rows, or in neighbouring columns, of the result.
template <bool kAlongRows>
__global__ void scale_rows(const float* in, const float* by, float* out) {
  const int a = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y * blockDim.y + threadIdx.y;
  const int row = kAlongRows ? b : a, column = kAlongRows ? a : b;
  out[row * kSide + column] = by[0] * in[row * kSide + column];
}

template <int kPad>
__global__ void turn(const float* in, float* out) {
  __shared__ float tile[32][32 + kPad];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * kSide + x];
  __syncthreads();
  const int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) out[(v + k) * kSide + u] = tile[threadIdx.x][threadIdx.y + k];
}

template <bool kSwizzled>
__global__ void columns(float* out, int rounds) {
  __shared__ float tile[64 * 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int r = warp; r < 64; r += blockDim.x / 32)
    tile[r * 32 + (kSwizzled ? lane ^ (r % 32) : lane)] = lane;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < rounds; ++k) {
    const int c = (k + warp) % 32;
    sum += tile[lane * 32 + (kSwizzled ? c ^ lane : c)];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Rows of 1,001 floats follow one another, or begin at multiples of 1,024.
__global__ void rows(const float* in, float* out, int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < 992) out[y * kSide + x] = in[y * pitch + x];
}

__global__ void add_each(float* sum, const float* in) {
  atomicAdd(sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
}
__global__ void add_warps(float* sum, const float* in) {
  float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}

__constant__ float table[1024];
template <bool kGlobal>
__global__ void look_up(const float* global_table, const int* at, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 16; ++k) {
    const int j = (at[i] + k * 67) % 1024;
    sum += kGlobal ? __ldg(global_table + j) : table[j];
  }
  out[i] = sum;
}

int main(int argc, char** argv) {
  if (argc < 3) return std::printf("lessons PAIR 0|1\n"), 2;
  const char* const pair = argv[1];
  const bool changed = std::atoi(argv[2]) == 1;
  float *a, *b, *c;
  cudaMalloc(&a, 4 * kN * sizeof(float)), cudaMalloc(&b, 4 * kN * sizeof(float)),
      cudaMalloc(&c, 4 * kN * sizeof(float));
  const dim3 tiles(kSide / 32, kSide / 32), tile(32, 8), square(16, 16),
      squares(kSide / 16, kSide / 16);
  const auto is = [&](const char* name) { return std::strcmp(pair, name) == 0; };
  if (is("mass")) {
    if (changed) mass_soa<<<kN / 256, 256>>>(a, b);
    else mass_aos<<<kN / 256, 256>>>(reinterpret_cast<Particle*>(a), b);
  } else if (is("pixels")) {
    if (changed) brighten_soa<<<kN / 256, 256>>>(a, a + kN, a + 2 * kN, 2.f);
    else brighten_aos<<<kN / 256, 256>>>(reinterpret_cast<Pixel*>(a), 2.f);
  } else if (is("rows")) {
    if (changed) scale_rows<true><<<squares, square>>>(a, c, b);
    else scale_rows<false><<<squares, square>>>(a, c, b);
  } else if (is("turn")) {
    if (changed) turn<1><<<tiles, tile>>>(a, b);
    else turn<0><<<tiles, tile>>>(a, b);
  } else if (is("columns")) {
    if (changed) columns<true><<<264, 256>>>(b, 256);
    else columns<false><<<264, 256>>>(b, 256);
  } else if (is("pitch")) {
    rows<<<dim3(4, kSide), 256>>>(a, b, changed ? 1024 : 1001);
  } else if (is("sum")) {
    if (changed) add_warps<<<kN / 256 / 4, 256>>>(b, a);
    else add_each<<<kN / 256 / 4, 256>>>(b, a);
  } else if (is("table")) {
    int* at = reinterpret_cast<int*>(c);
    int* host = new int[kN];
    for (int i = 0; i < kN; ++i) host[i] = (i * 37 + i / 7) % 1024;
    cudaMemcpy(at, host, kN * sizeof(int), cudaMemcpyHostToDevice);
    if (changed) look_up<true><<<kN / 256 / 4, 256>>>(a, at, b);
    else look_up<false><<<kN / 256 / 4, 256>>>(a, at, b);
  } else {
    return std::printf("no such pair: %s\n", pair), 2;
  }
  return cudaDeviceSynchronize();
}
