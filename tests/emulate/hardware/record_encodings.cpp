// Runs machine instructions one by one on the GPU of this machine (encodings.py makes the cubin)
// and writes for each 32 hashes of what a warp's threads gave, and its error.
//   record_encodings CUBIN INPUT COUNT RESULTS
// An instruction that the GPU refuses ends the context, and with it the process: a child runs them,
// and another one goes on behind it.
#include <cuda.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/emulate/hardware/encodings.hpp"

using namespace warpmem::emulate::hardware;

namespace {

constexpr unsigned kNotRun = 9999;
constexpr std::size_t kBytes = std::size_t{kEncodingThreads} * kEncodingResults * 4;

struct Row {
  std::uint64_t hashes[kEncodingThreads / 32];
  unsigned error, unused;
};
struct Shared {
  volatile long next;
  Row rows[];
};

// The driver's function of the name that cuda.h's macros make of `name`.
#define STRING_OF(name) #name
#define STRING(name) STRING_OF(name)
#define DRIVER(name) reinterpret_cast<decltype(&name)>(symbol(STRING(name)))
void* symbol(const char* name) {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  void* at = library ? dlsym(library, name) : nullptr;
  if (!at) std::fprintf(stderr, "the driver has no %s\n", name), _exit(6);
  return at;
}

std::string read_file(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// In a child: from `next` on, up to the first that the GPU refuses.
void run_some(Shared& shared, long count, const std::string& cubin, const std::string& input) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUdeviceptr in, out;
  if (DRIVER(cuInit)(0) || DRIVER(cuDeviceGet)(&device, 0) ||
      DRIVER(cuDevicePrimaryCtxRetain)(&context, device) || DRIVER(cuCtxSetCurrent)(context) ||
      DRIVER(cuModuleLoadData)(&module, cubin.c_str()) || DRIVER(cuMemAlloc)(&in, input.size()) ||
      DRIVER(cuMemAlloc)(&out, kBytes) || DRIVER(cuMemcpyHtoD)(in, input.data(), input.size()))
    std::fprintf(stderr, "the GPU does not take the code\n"), _exit(6);
  std::uint32_t data[16];  // what instructions find in c[0x0][0x220]
  for (std::uint32_t k = 0; k < 16; ++k) data[k] = 0x3f8ccccdu + 0x11234567u * k;
  void* arguments[] = {&out, &in, data};
  std::vector<std::uint32_t> words(kBytes / 4);
  while (shared.next < count) {
    const long n = shared.next;
    CUfunction kernel;
    int error = DRIVER(cuModuleGetFunction)(&kernel, module, ("k" + std::to_string(n)).c_str());
    if (!error)
      error = DRIVER(cuLaunchKernel)(kernel, kEncodingThreads / kEncodingBlock, 1, 1,
                                     kEncodingBlock, 1, 1, 0, nullptr, arguments, nullptr);
    if (!error) error = DRIVER(cuMemcpyDtoH)(words.data(), out, kBytes);
    Row& row = shared.rows[n];
    row.error = static_cast<unsigned>(error);
    shared.next = n + 1;
    if (error) _exit(1);
    for (std::uint32_t w = 0; w < kEncodingThreads / 32; ++w)
      row.hashes[w] = hash_of_warp(&words[std::size_t{w} * 32 * kEncodingResults]);
  }
  _exit(0);
}

}  // namespace

int main(int arguments, char** words) {
  if (arguments != 5) {
    std::fprintf(stderr, "usage: record_encodings CUBIN INPUT COUNT RESULTS\n");
    return 2;
  }
  const std::string cubin = read_file(words[1]), input = read_file(words[2]);
  const long count = std::atol(words[3]);
  const std::size_t bytes = sizeof(Shared) + sizeof(Row) * static_cast<std::size_t>(count);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 5;
  auto& shared = *static_cast<Shared*>(memory);
  for (long n = 0; n < count; ++n) shared.rows[n].error = kNotRun;
  while (shared.next < count) {
    const pid_t child = fork();
    if (child == 0) run_some(shared, count, cubin, input);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 6) return 6;
  }
  std::ofstream out(words[4], std::ios::binary);
  out.write(reinterpret_cast<const char*>(shared.rows),
            static_cast<std::streamsize>(sizeof(Row) * static_cast<std::size_t>(count)));
  return out.flush() ? 0 : 1;
}
