// What tests of the emulated runtime's entry points share: CUDA's error codes, arrays, launches.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "embedded.hpp"
#include "tests/catch.hpp"

namespace warpmem::cudart {

inline constexpr int kInvalidValue = 1, kInvalidConfiguration = 9, kInvalidSymbol = 13,
                     kInvalidDeviceFunction = 98, kNotReady = 600, kInvalidDevice = 101,
                     kInvalidPtx = 218, kInvalidResourceHandle = 400;
inline constexpr int kIllegalAddress = 700, kMisalignedAddress = 716, kTimeout = 702,
                     kCooperativeLaunchTooLarge = 720, kNotSupported = 801,
                     kCaptureUnsupported = 900, kCaptureInvalidated = 901,
                     kInvalidClusterSize = 912, kPeerAccessUnsupported = 217,
                     kCaptureUnjoined = 904;

template <class T>
T* device_array(std::size_t elements) {
  void* p = nullptr;
  REQUIRE(cudaMalloc(&p, elements * sizeof(T)) == 0);
  return static_cast<T*>(p);
}

inline std::vector<float> ramp(std::size_t elements) {
  std::vector<float> v(elements);
  std::iota(v.begin(), v.end(), 0.0f);
  return v;
}

inline int launch_scale(float* to, const float* from, int n, Stream* stream = nullptr) {
  void* arguments[] = {&to, &from, &n};
  return cudaLaunchKernel(&scale, {(static_cast<unsigned>(n) + 63) / 64, 1, 1}, {64, 1, 1},
                          arguments, 0, stream);
}

inline std::uint32_t counted() {
  std::uint32_t n = 0;
  REQUIRE(cudaMemcpyFromSymbol(&n, &counter, 4, 0, kDeviceToHost) == 0);
  return n;
}

}  // namespace warpmem::cudart
