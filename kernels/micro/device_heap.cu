// What a kernel's calls of malloc, free and printf do: the driver runs code of its own, which no
// tool sees but whose instructions and accesses the counters hold. One labelled launch a case, for
// the profiler.
#include <string>

#include "micro.cuh"

// `lanes` of every warp allocate `times` times.
__global__ void allocate(int lanes, int times, int bytes, void** out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (static_cast<int>(threadIdx.x % 32) >= lanes) return;
#pragma unroll 1
  for (int k = 0; k < times; ++k) out[i * times + k] = malloc(bytes);
}
__global__ void release(int lanes, int times, void** out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (static_cast<int>(threadIdx.x % 32) >= lanes) return;
#pragma unroll 1
  for (int k = 0; k < times; ++k) free(out[i * times + k]);
}
// The same without the calls.
__global__ void nothing(int lanes, int times, int bytes, void** out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (static_cast<int>(threadIdx.x % 32) >= lanes) return;
#pragma unroll 1
  for (int k = 0; k < times; ++k) out[i * times + k] = out + bytes;
}
template <int args>
__global__ void print(int lanes, int times, int v) {
  if (static_cast<int>(threadIdx.x % 32) >= lanes) return;
#pragma unroll 1
  for (int k = 0; k < times; ++k) {
    if (args == 0) printf("line\n");
    if (args == 1) printf("line %d\n", v + k);
    if (args == 4) printf("line %d %d %d %d\n", v, k, v, v);
    if (args == 2) printf("line %f %s\n", v * 0.5, "text");
  }
}

int main() {
  void** out = device_buffer<void*>(u64{132} * 1024 * 8 * 8);
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, u64{512} << 20));
  struct Shape {
    int ctas, warps, lanes, times, bytes;
  };
  std::vector<Shape> shapes;
  for (int times : {1, 2, 4, 8}) shapes.push_back({1, 1, 1, times, 16});
  for (int bytes : {64, 256, 1024, 4096, 65536, 1 << 20}) shapes.push_back({1, 1, 1, 4, bytes});
  for (int lanes : {2, 4, 16, 32}) shapes.push_back({1, 1, lanes, 4, 16});
  for (int warps : {2, 4, 16, 32})
    shapes.push_back({1, warps, 1, 4, 16}), shapes.push_back({1, warps, 32, 4, 16});
  for (int ctas : {2, 8, 132})
    shapes.push_back({ctas, 1, 1, 4, 16}), shapes.push_back({ctas, 4, 32, 4, 16});
  for (const Shape& s : shapes) {
    char text[96];
    std::snprintf(text, sizeof text, "%d CTAs %d warps %d lanes %d times %d bytes", s.ctas, s.warps,
                  s.lanes, s.times, s.bytes);
    label("nothing %s", text);
    nothing<<<s.ctas, s.warps * 32>>>(s.lanes, s.times, s.bytes, out);
    label("malloc %s", text);
    allocate<<<s.ctas, s.warps * 32>>>(s.lanes, s.times, s.bytes, out);
    label("free %s", text);
    release<<<s.ctas, s.warps * 32>>>(s.lanes, s.times, out);
    CHECK(cudaDeviceSynchronize());
  }
  const auto prints = [](auto kernel, int args) {
    for (int times : {1, 2, 4})
      for (int lanes : {1, 2, 32})
        for (int warps : {1, 4}) {
          label("printf %d args %d warps %d lanes %d times", args, warps, lanes, times);
          kernel<<<1, warps * 32>>>(lanes, times, 1);
          CHECK(cudaDeviceSynchronize());
        }
    label("printf %d args 132 CTAs 1 lanes 1 times", args);
    kernel<<<132, 32>>>(1, 1, 1);
    CHECK(cudaDeviceSynchronize());
  };
  prints(print<0>, 0);
  prints(print<1>, 1);
  prints(print<2>, 2);
  prints(print<4>, 4);
}
