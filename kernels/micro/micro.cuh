// Shared by the microbenchmarks: each isolates one mechanism. A counted case is one launch; its
// label goes to stdout in launch order, and the profiler's rows are joined to the labels.
#pragma once
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

#define CHECK(call)                                                                      \
  do {                                                                                   \
    cudaError_t status_ = (call);                                                        \
    if (status_ != cudaSuccess) {                                                        \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (0)

// Names the launch that follows.
inline void label(const char* format, ...) {
  std::va_list args;
  va_start(args, format);
  std::printf("case,");
  std::vprintf(format, args);
  std::printf("\n");
  std::fflush(stdout);  // a launch that fails must not take the labels with it
  va_end(args);
}

template <class T>
T* device_buffer(u64 bytes) {
  void* p = nullptr;
  CHECK(cudaMalloc(&p, bytes));
  CHECK(cudaMemset(p, 0, bytes));
  return static_cast<T*>(p);
}

__device__ __forceinline__ u32 sm_id() {
  u32 id;
  asm volatile("mov.u32 %0,%%smid;" : "=r"(id));
  return id;
}
__device__ __forceinline__ u32 load_ca(const void* p) {
  u32 v;
  asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ __forceinline__ u32 load_cg(const void* p) {
  u32 v;
  asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ __forceinline__ void store4(void* p, u32 v) {
  asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(v) : "memory");
}
__device__ __forceinline__ void wait_cycles(long long cycles) {
  long long t = clock64();
  while (clock64() - t < cycles) {
  }
}
