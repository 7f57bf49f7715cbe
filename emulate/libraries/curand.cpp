// libcurand's host calls: random numbers of the distributions that programs ask for, the same for
// the same seed. They are not cuRAND's own sequences. Quasi-random sequences are refused: there the
// numbers themselves are what a program asks for.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>

#include "emulate/cudart/driver_calls.hpp"

using namespace warpmem::cudart;

namespace {

enum Status : int {
  kDone = 0,
  kNotInitialized = 101,
  kTypeError = 103,
  kOutOfRange = 104,
  kLengthNotMultiple = 105,
  kLaunchFailure = 201
};
constexpr int kFirstQuasi = 200;

// A generator: number i of a seed is a mix of both (the finaliser of splitmix64).
struct Generator {
  using result_type = std::uint64_t;
  std::uint64_t seed = 0, next = 0;
  bool host = false;
  Stream* stream = nullptr;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() {
    std::uint64_t z = (seed * 0xd1342543de82ef95u) + ++next * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In (0, 1], as cuRAND's.
  double uniform() { return (static_cast<double>((*this)() >> 11) + 1) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
};

template <class T, class F>
int fill(Generator* g, T* out, std::size_t count, F&& draw) {
  if (!g) return kNotInitialized;
  void* base = nullptr;
  std::size_t bytes = 0;
  if (!g->host && (cudaStreamSynchronize(g->stream) != 0 ||
                   (count > 0 && __cudaFindAllocation(out, &base, &bytes) != 0)))
    return kLaunchFailure;
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<T>(draw(*g));
  return kDone;
}

int make(Generator** out, int type, bool host) {
  if (!out) return kOutOfRange;
  if (type >= kFirstQuasi || type < 100) {
    std::fputs("warpmem: quasi-random generators of cuRAND's host calls are not emulated\n",
               stderr);
    return kTypeError;
  }
  *out = new Generator;
  (*out)->host = host;
  return kDone;
}

}  // namespace

extern "C" {

int curandCreateGenerator(Generator** out, int type) { return make(out, type, false); }
int curandCreateGeneratorHost(Generator** out, int type) { return make(out, type, true); }
int curandDestroyGenerator(Generator* g) { return g ? (delete g, kDone) : kNotInitialized; }
int curandGetVersion(int* version) { return version ? (*version = 10400, kDone) : kOutOfRange; }
int curandGetProperty(int which, int* value) {
  return value && which >= 0 && which < 3 ? (*value = which == 0   ? 10
                                                      : which == 1 ? 4
                                                                   : 0,
                                             kDone)
                                          : kOutOfRange;
}
int curandSetStream(Generator* g, Stream* s) {
  return g ? (g->stream = s, kDone) : kNotInitialized;
}
int curandSetPseudoRandomGeneratorSeed(Generator* g, unsigned long long seed) {
  return g ? (g->seed = seed, g->next = 0, kDone) : kNotInitialized;
}
int curandSetGeneratorOffset(Generator* g, unsigned long long offset) {
  return g ? (g->next = offset, kDone) : kNotInitialized;
}
int curandSetGeneratorOrdering(Generator* g, int) { return g ? kDone : kNotInitialized; }
int curandGenerateSeeds(Generator* g) { return g ? kDone : kNotInitialized; }
int curandSetQuasiRandomGeneratorDimensions(Generator* g, unsigned) {
  return g ? kTypeError : kNotInitialized;
}
int curandGenerate(Generator* g, unsigned* out, std::size_t n) {
  return fill(g, out, n, [](Generator& r) { return r() >> 32; });
}
int curandGenerateLongLong(Generator* g, unsigned long long*, std::size_t) {
  return g ? kTypeError : kNotInitialized;  // cuRAND has it for quasi-random sequences only
}
int curandGenerateUniform(Generator* g, float* out, std::size_t n) {
  // Of 24 bits, so that none is rounded down to 0.
  return fill(g, out, n,
              [](Generator& r) { return (static_cast<double>(r() >> 40) + 1) * 0x1p-24; });
}
int curandGenerateUniformDouble(Generator* g, double* out, std::size_t n) {
  return fill(g, out, n, [](Generator& r) { return r.uniform(); });
}
int curandGenerateNormal(Generator* g, float* out, std::size_t n, float mean, float deviation) {
  if (n % 2 != 0) return kLengthNotMultiple;
  return fill(g, out, n, [&](Generator& r) { return mean + deviation * r.normal(); });
}
int curandGenerateNormalDouble(Generator* g, double* out, std::size_t n, double mean,
                               double deviation) {
  if (n % 2 != 0) return kLengthNotMultiple;
  return fill(g, out, n, [&](Generator& r) { return mean + deviation * r.normal(); });
}
int curandGenerateLogNormal(Generator* g, float* out, std::size_t n, float mean, float deviation) {
  if (n % 2 != 0) return kLengthNotMultiple;
  return fill(g, out, n, [&](Generator& r) { return std::exp(mean + deviation * r.normal()); });
}
int curandGenerateLogNormalDouble(Generator* g, double* out, std::size_t n, double mean,
                                  double deviation) {
  if (n % 2 != 0) return kLengthNotMultiple;
  return fill(g, out, n, [&](Generator& r) { return std::exp(mean + deviation * r.normal()); });
}
int curandGeneratePoisson(Generator* g, unsigned* out, std::size_t n, double lambda) {
  if (!(lambda > 0)) return kOutOfRange;
  std::poisson_distribution<unsigned> distribution(lambda);
  return fill(g, out, n, [&](Generator& r) { return distribution(r); });
}

}  // extern "C"
