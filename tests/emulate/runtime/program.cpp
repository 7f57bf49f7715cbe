// A whole CUDA program that no CUDA toolkit had to build: what the end-to-end tests emulate.
//   emulated_program KERNELS.ptx [launches N] [stray] [spin] [abort] [leave STATUS] [exit STATUS]
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "embedded.hpp"

using namespace warpmem::cudart;

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  register_kernels(argv[1]);
  void *a = nullptr, *b = nullptr;
  if (cudaMalloc(&a, 4096) != 0 || cudaMalloc(&b, 4096) != 0) return 3;
  int status = 0, n = 1024;
  const auto launch = [&] {
    void* arguments[] = {&b, &a, &n};
    return cudaLaunchKernel(&scale, {4, 1, 1}, {256, 1, 1}, arguments, 0, nullptr);
  };
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::atoi(argv[++i]) : 0; };
    if (word == "launches") {
      for (int k = number(); k > 0; --k)
        if (launch() != 0) return 4;
    } else if (word == "count") {
      if (cudaLaunchKernel(&count, {1, 1, 1}, {64, 1, 1}, nullptr, 0, nullptr) != 0) return 4;
    } else if (word == "stray") {
      void* wild = static_cast<char*>(b) + 4096;
      void* arguments[] = {&wild};
      static_cast<void>(cudaLaunchKernel(&stray, {1, 1, 1}, {1, 1, 1}, arguments, 0, nullptr));
      const int code = cudaDeviceSynchronize();
      std::printf("%s\n", cudaGetErrorName(code));
      status = code == 0 ? 0 : 1;
    } else if (word == "unknown") {
      std::printf("%s\n", cudaGetErrorName(cudaLaunchKernel(&unknown, {1, 1, 1}, {1, 1, 1}, nullptr,
                                                            0, nullptr)));
    } else if (word == "spin") {
      static_cast<void>(cudaLaunchKernel(&spin, {1, 1, 1}, {32, 1, 1}, nullptr, 0, nullptr));
      std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    } else if (word == "abort") {
      std::abort();
    } else if (word == "leave") {
      std::fflush(stdout);
      _exit(number());
    } else if (word == "exit") {
      return number();
    } else {
      return 2;
    }
  }
  std::printf("done\n");
  return status;
}
