// Images read through the texture unit: arrays keep 16 bytes of two rows in a sector, so that
// squares of threads read less than rows do.
#include <algorithm>

#include "common.cuh"

namespace {

constexpr int kTexels = 1 << 8;  // width and height of the gathered image

struct Image {
  cudaArray_t array = nullptr;
  cudaTextureObject_t texture = 0;
  cudaSurfaceObject_t surface = 0;

  ~Image() {
    if (texture) cudaDestroyTextureObject(texture);
    if (surface) cudaDestroySurfaceObject(surface);
    if (array) cudaFreeArray(array);
  }
};

cudaTextureObject_t texture_of(const cudaResourceDesc& resource, cudaTextureFilterMode filter) {
  cudaTextureDesc how{};
  for (auto& mode : how.addressMode) mode = cudaAddressModeClamp;
  how.filterMode = filter;
  cudaTextureObject_t texture = 0;
  CUDA_CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  return texture;
}

// An array of side x side (x side, if it has a depth) floats.
void fill(Image& image, const std::vector<float>& host, int side, bool volume, bool surface,
          cudaTextureFilterMode filter) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const auto n = static_cast<std::size_t>(side);
  CUDA_CHECK(cudaMalloc3DArray(&image.array, &format, make_cudaExtent(n, n, volume ? n : 0),
                               surface ? cudaArraySurfaceLoadStore : 0));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(host.data()), n * sizeof(float), n, n);
  copy.dstArray = image.array;
  copy.extent = make_cudaExtent(n, n, volume ? n : 1);
  copy.kind = cudaMemcpyHostToDevice;
  CUDA_CHECK(cudaMemcpy3D(&copy));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = image.array;
  if (surface) CUDA_CHECK(cudaCreateSurfaceObject(&image.surface, &resource));
  else image.texture = texture_of(resource, filter);
}

// Threads of a CTA in a row or in a square of 16 x 16; the image is a whole number of either.
template <bool kSquare>
__device__ __forceinline__ int2 texel_of(int side) {
  const int cta = blockIdx.x, t = threadIdx.x;
  if (!kSquare) return make_int2((cta * 256 + t) % side, (cta * 256 + t) / side);
  const int across = side / 16;
  return make_int2(cta % across * 16 + t % 16, cta / across * 16 + t / 16);
}

}  // namespace

__global__ void texture_linear(float* out, cudaTextureObject_t in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex1Dfetch<float>(in, i);
}
__global__ void texture_rows(float* out, cudaTextureObject_t in, int side) {
  const int2 at = texel_of<false>(side);
  out[at.y * side + at.x] = tex2D<float>(in, at.x + 0.5f, at.y + 0.5f);
}
__global__ void texture_squares(float* out, cudaTextureObject_t in, int side) {
  const int2 at = texel_of<true>(side);
  out[at.y * side + at.x] = tex2D<float>(in, at.x + 0.5f, at.y + 0.5f);
}
// The middle of four texels.
__global__ void texture_filter(float* out, cudaTextureObject_t in, int side) {
  const int2 at = texel_of<true>(side);
  out[at.y * side + at.x] = tex2D<float>(in, at.x + 1.0f, at.y + 1.0f);
}
__global__ void texture_gather(float* out, cudaTextureObject_t in, const int* index) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int at = index[i];
  out[i] = tex2D<float>(in, at % kTexels + 0.5f, at / kTexels + 0.5f);
}
// The middle of eight.
__global__ void texture_volume(float* out, cudaTextureObject_t in, int side) {
  const int x = blockIdx.x % (side / 16) * 16 + threadIdx.x % 16,
            y = blockIdx.x / (side / 16) * 16 + threadIdx.x / 16;
  for (int z = 0; z < side; ++z)
    out[(z * side + y) * side + x] = tex3D<float>(in, x + 1.0f, y + 1.0f, z + 1.0f);
}
__global__ void texture_surface(cudaSurfaceObject_t out, cudaSurfaceObject_t in, int side) {
  const int2 at = texel_of<true>(side);
  const float v = surf2Dread<float>(in, at.x * 4, at.y);
  surf2Dwrite(v + 1, out, at.x * 4, at.y);
}

namespace {

int squared(int side) { return side * side; }

bool run_linear(const suite::Options& o) {
  const int n = squared(o.size);
  const auto host = suite::small_numbers(static_cast<std::size_t>(n));
  const suite::DeviceArray<float> in(host), out(static_cast<std::size_t>(n));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = in.get();
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = host.size() * sizeof(float);
  Image image;
  image.texture = texture_of(resource, cudaFilterModePoint);
  texture_linear<<<n / 256, 256>>>(out, image.texture);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) { return host[i]; });
}

template <void (*kKernel)(float*, cudaTextureObject_t, int), bool kFilters>
bool run_image(const suite::Options& o) {
  const int side = o.size, n = squared(side);
  const auto host = suite::small_numbers(static_cast<std::size_t>(n));
  Image image;
  fill(image, host, side, false, false, kFilters ? cudaFilterModeLinear : cudaFilterModePoint);
  const suite::DeviceArray<float> out(static_cast<std::size_t>(n));
  kKernel<<<n / 256, 256>>>(out, image.texture, side);
  CUDA_FINISH();
  const auto at = [&](int x, int y) {
    return host[static_cast<std::size_t>(std::min(y, side - 1) * side + std::min(x, side - 1))];
  };
  return !o.check || suite::matches(out, [&](std::size_t i) {
    const int x = static_cast<int>(i) % side, y = static_cast<int>(i) / side;
    return kFilters ? (at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1)) / 4 : at(x, y);
  });
}

bool run_gather(const suite::Options& o) {
  const int n = squared(o.size);
  const auto host = suite::small_numbers(squared(kTexels));
  std::vector<int> index(static_cast<std::size_t>(n));
  suite::Random random(3);
  for (int& at : index) at = random.below(squared(kTexels));
  Image image;
  fill(image, host, kTexels, false, false, cudaFilterModePoint);
  const suite::DeviceArray<int> where(index);
  const suite::DeviceArray<float> out(index.size());
  texture_gather<<<n / 256, 256>>>(out, image.texture, where);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    return host[static_cast<std::size_t>(index[i])];
  });
}

// As many texels as the images have, as nearly as a cube can.
bool run_volume(const suite::Options& o) {
  int side = 16;
  while ((side + 16) * (side + 16) <= squared(o.size) / (side + 16)) side += 16;
  const int n = squared(side) * side;
  const auto host = suite::small_numbers(static_cast<std::size_t>(n));
  Image image;
  fill(image, host, side, true, false, cudaFilterModeLinear);
  const suite::DeviceArray<float> out(static_cast<std::size_t>(n));
  texture_volume<<<squared(side / 16), 256>>>(out, image.texture, side);
  CUDA_FINISH();
  const auto at = [&](int x, int y, int z) {
    const int last = side - 1;
    return host[static_cast<std::size_t>((std::min(z, last) * side + std::min(y, last)) * side +
                                         std::min(x, last))];
  };
  return !o.check || suite::matches(out, [&](std::size_t i) {
    const int x = static_cast<int>(i) % side, y = static_cast<int>(i) / side % side,
              z = static_cast<int>(i) / squared(side);
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += at(x + k % 2, y + k / 2 % 2, z + k / 4);
    return sum / 8;
  });
}

bool run_surface(const suite::Options& o) {
  const int side = o.size, n = squared(side);
  const auto host = suite::small_numbers(static_cast<std::size_t>(n));
  Image in, out;
  fill(in, host, side, false, true, cudaFilterModePoint);
  fill(out, host, side, false, true, cudaFilterModePoint);
  texture_surface<<<n / 256, 256>>>(out.surface, in.surface, side);
  CUDA_FINISH();
  const suite::DeviceArray<float> result(host.size());
  const std::size_t row = static_cast<std::size_t>(side) * sizeof(float);
  CUDA_CHECK(cudaMemcpy2DFromArray(result, row, out.array, 0, 0, row,
                                   static_cast<std::size_t>(side), cudaMemcpyDeviceToDevice));
  return !o.check || suite::matches(result, [&](std::size_t i) { return host[i] + 1; });
}

const suite::Program kProgram = {"texture", "texels a side", 512, 16, 1 << 12, 16, false};
const suite::Variant kVariants[] = {
    {"linear", "fetches of linear memory by number: as many sectors as plain loads", run_linear},
    {"rows",
     "a warp reads 32 texels of a row: 16 bytes of each sector are the next row's, twice the "
     "sectors",
     run_image<texture_rows, false>},
    {"squares", "CTAs of 16 x 16 threads: two rows of a warp share sectors",
     run_image<texture_squares, false>},
    {"filter",
     "the middle of four texels: a fetch touches the sectors of all of them, most of them its "
     "neighbours'",
     run_image<texture_filter, true>},
    {"gather", "texels anywhere in 256 KiB: a sector a lane", run_gather},
    {"volume", "the middle of eight texels of a volume: two passes a request", run_volume},
    {"surface", "reads and writes a surface: eight lanes a request", run_surface},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
