// What every program of the suite shares: the command line, arrays on the device, seeded inputs,
// and the comparison with the CPU's result.
//
// Nothing here launches a kernel or calls cudaMemset: a run launches what its variant is about and
// nothing else, so that a recorded launch table or a profiler's report needs no filtering.
// Exit status: 0 result right, 1 result wrong, 2 usage, 5 out of memory, 6 no suitable GPU.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

namespace suite {

enum ExitCode { kRight = 0, kWrong = 1, kUsage = 2, kNoMemory = 5, kNoEnvironment = 6 };

struct Options {
  const char* variant = nullptr;
  int size = 0;
  int block = 0;  // threads a CTA, 0: the variant's own choice
  bool check = true;

  int block_or(int usual) const { return block != 0 ? block : usual; }
};

struct Variant {
  const char* name;     // program name + '_' + this is the kernel's name
  const char* teaches;  // one line, the same as in README.md
  bool (*run)(const Options&);
  int needs_cc = 0;  // 10 * major + minor of the oldest GPU that has the instructions; 0: all for
                     // which it is compiled
};

struct Program {
  const char* name;
  const char* size_means;
  int default_size;
  int min_size;
  int max_size;
  int size_multiple;
  bool free_block;  // --block is accepted (the CTA's shape is not part of the algorithm)
};

// --- errors -------------------------------------------------------------------------------------

inline int exit_code_of(cudaError_t error) {
  switch (error) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorDevicesUnavailable: return kNoEnvironment;
    case cudaErrorMemoryAllocation: return kNoMemory;
    default: return kWrong;
  }
}

inline void require_cuda(cudaError_t error, const char* call, const char* file, int line) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorString(error),
               cudaGetErrorName(error));
  if (exit_code_of(error) == kNoEnvironment) {
    std::fprintf(stderr,
                 "this program needs an NVIDIA GPU it was compiled for, and a driver at "
                 "least as new as the toolkit that compiled it\n");
  }
  std::exit(exit_code_of(error));
}

#define CUDA_CHECK(call) ::suite::require_cuda((call), #call, __FILE__, __LINE__)

// Ends the launch part of a run: launch errors first, then errors of the kernel itself.
#define CUDA_FINISH()                    \
  do {                                   \
    CUDA_CHECK(cudaGetLastError());      \
    CUDA_CHECK(cudaDeviceSynchronize()); \
  } while (0)

[[noreturn]] inline void usage_error(const char* what, const char* fix) {
  std::fprintf(stderr, "%s; %s\n", what, fix);
  std::exit(kUsage);
}

[[noreturn]] inline void missing(const char* what) {
  std::fprintf(stderr, "not possible here: %s\n", what);
  std::exit(kNoEnvironment);
}

inline int device_attribute(cudaDeviceAttr attribute) {
  int value = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, 0));
  return value;
}

// --- arrays -------------------------------------------------------------------------------------

// Device memory, initialised from the host by a plain copy and freed at the end of the run.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& host) : size_(host.size()) {
    CUDA_CHECK(cudaMalloc(&data_, size_ * sizeof(T)));
    CUDA_CHECK(cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  // An output: filled with a value that no right answer has, so that an element never written
  // shows.
  explicit DeviceArray(std::size_t size, unsigned char fill = 0xCD)
      : DeviceArray(filled(size, fill)) {}
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* get() const { return data_; }
  operator T*() const { return data_; }

  std::vector<T> download() const {
    std::vector<T> host(size_);
    CUDA_CHECK(cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  static std::vector<T> filled(std::size_t size, unsigned char fill) {
    std::vector<T> host(size);
    std::memset(static_cast<void*>(host.data()), fill, size * sizeof(T));
    return host;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// --- inputs -------------------------------------------------------------------------------------

// splitmix64: the same inputs on every machine, whatever its standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed = 1) : state_(seed) {}
  std::uint32_t next() {
    state_ += 0x9E3779B97F4A7C15ull;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
  }
  int below(int bound) {
    return static_cast<int>((std::uint64_t{next()} * static_cast<std::uint64_t>(bound)) >> 32);
  }
  float unit() { return static_cast<float>(next() >> 8) * (1.0f / 16777216.0f); }

 private:
  std::uint64_t state_;
};

// Whole numbers in [-3, 3]: sums of their products are exact in float in any order, so that GPU and
// CPU must agree to the bit.
inline std::vector<float> small_numbers(std::size_t size, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<float> v(size);
  for (float& x : v) x = static_cast<float>(random.below(7) - 3);
  return v;
}

inline std::vector<std::uint32_t> random_words(std::size_t size, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<std::uint32_t> v(size);
  for (std::uint32_t& x : v) x = random.next();
  return v;
}

// 0 … size-1 in random order inside windows of `window` elements (the last one may be shorter).
inline std::vector<int> permutation(int size, int window, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<int> v(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) v[i] = i;
  for (int begin = 0; begin < size; begin += window) {
    const int count = size - begin < window ? size - begin : window;
    for (int k = count - 1; k > 0; --k) {
      const int other = random.below(k + 1);
      const int swapped = v[begin + k];
      v[begin + k] = v[begin + other];
      v[begin + other] = swapped;
    }
    if (size - begin <= window) break;  // begin + window could overflow
  }
  return v;
}

inline int blocks_for(int count, int per_block) { return (count - 1) / per_block + 1; }

// --- checks -------------------------------------------------------------------------------------

// Distance between the results that are checked, so that a check whose single result costs `each`
// steps stays at about 10^8 steps; odd, so that all columns and lanes get their turn.
inline std::size_t check_step(std::size_t results, std::size_t each) {
  const double steps = static_cast<double>(results) * static_cast<double>(each);
  return static_cast<std::size_t>(steps / 1e8) | 1;
}

inline bool differs(std::size_t index, double gpu, double cpu) {
  std::fprintf(stderr, "element %zu: GPU %.9g, CPU %.9g\n", index, gpu, cpu);
  return false;
}

// Every `step`-th element of the result equals expected(i), within tolerance * max(1, |expected|).
template <typename T, typename Expected>
bool matches(const DeviceArray<T>& result, Expected expected, double tolerance = 0,
             std::size_t step = 1) {
  const std::vector<T> got = result.download();
  for (std::size_t i = 0; i < got.size(); i += step) {
    const double cpu = static_cast<double>(expected(i));
    const double gpu = static_cast<double>(got[i]);
    const double allowed = tolerance * std::fmax(1.0, std::fabs(cpu));
    if (!(std::fabs(gpu - cpu) <= allowed)) return differs(i, gpu, cpu);  // also when it is NaN
  }
  return true;
}

// --- the command line ---------------------------------------------------------------------------

inline void print_help(const Program& p, const Variant* variants, std::size_t count) {
  std::printf("usage: %s --variant NAME [--size N]%s [--no-check] | --list\n", p.name,
              p.free_block ? " [--block THREADS]" : "");
  std::printf("  N: %s; %d to %d, a multiple of %d, default %d\n", p.size_means, p.min_size,
              p.max_size, p.size_multiple, p.default_size);
  for (std::size_t i = 0; i < count; ++i) {
    std::printf("  %-22s %s\n", variants[i].name, variants[i].teaches);
  }
}

// A whole decimal number, or -1.
inline int parse_number(const char* text) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  const bool whole = end != text && *end == '\0';
  return whole && value >= 0 && value <= 0x7FFFFFFF ? static_cast<int>(value) : -1;
}

inline void check_ranges(const Program& p, const Options& o) {
  if (o.size < p.min_size || o.size > p.max_size || o.size % p.size_multiple != 0) {
    std::fprintf(stderr, "%s: --size must be a multiple of %d from %d to %d (%s)\n", p.name,
                 p.size_multiple, p.min_size, p.max_size, p.size_means);
    std::exit(kUsage);
  }
  if (o.block == 0) return;
  if (!p.free_block) {
    std::fprintf(stderr, "%s: the CTA's shape is part of each variant; leave --block out\n",
                 p.name);
    std::exit(kUsage);
  }
  if (o.block < 32 || o.block > 1024 || o.block % 32 != 0) {
    std::fprintf(stderr, "%s: --block must be a multiple of 32 from 32 to 1024\n", p.name);
    std::exit(kUsage);
  }
}

inline void require_device(const Program& p, const Variant& v) {
  int devices = 0;
  CUDA_CHECK(cudaGetDeviceCount(&devices));
  const int cc = 10 * device_attribute(cudaDevAttrComputeCapabilityMajor) +
                 device_attribute(cudaDevAttrComputeCapabilityMinor);
  if (cc >= v.needs_cc) return;
  std::fprintf(stderr, "%s %s needs compute capability %d.%d or newer; this GPU has %d.%d\n",
               p.name, v.name, v.needs_cc / 10, v.needs_cc % 10, cc / 10, cc % 10);
  std::exit(kNoEnvironment);
}

template <std::size_t Count>
int run_program(int argc, char** argv, const Program& p, const Variant (&variants)[Count]) {
  Options o;
  o.size = p.default_size;
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0; };
    if (is("--list")) {
      for (const Variant& v : variants) std::printf("%s\n", v.name);
      return kRight;
    }
    if (is("--help") || is("-h")) {
      print_help(p, variants, Count);
      return kRight;
    }
    if (is("--no-check")) {
      o.check = false;
    } else if ((is("--variant") || is("--size") || is("--block")) && i + 1 < argc) {
      const char* value = argv[i + 1];
      if (is("--variant")) o.variant = value;
      if (is("--size")) o.size = parse_number(value);
      if (is("--block")) o.block = parse_number(value);
      ++i;
    } else {
      std::fprintf(stderr, "%s: cannot use '%s'; see %s --help\n", p.name, argv[i], p.name);
      return kUsage;
    }
  }
  const Variant* chosen = nullptr;
  for (const Variant& v : variants) {
    if (o.variant != nullptr && std::strcmp(o.variant, v.name) == 0) chosen = &v;
  }
  if (chosen == nullptr) {
    std::fprintf(stderr,
                 o.variant ? "%s: no variant '%s'; choose one of:" : "%s: %s one of:", p.name,
                 o.variant ? o.variant : "name a variant with --variant,");
    for (const Variant& v : variants) std::fprintf(stderr, " %s", v.name);
    std::fprintf(stderr, "\n");
    return kUsage;
  }
  check_ranges(p, o);
  require_device(p, *chosen);
  const bool right = chosen->run(o);
  std::printf("%s %s size=%d%s\n", right ? "ok" : "FAILED", chosen->name, o.size,
              o.check ? "" : " (not checked)");
  return right ? kRight : kWrong;
}

}  // namespace suite
