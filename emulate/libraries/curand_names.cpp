// Every other call that cuRAND exports: it says its name and fails, so that a program that never
// calls it still loads.
#include <cstdio>

namespace {

int not_emulated(const char* name) {
  std::fprintf(stderr, "warpmem: %s is not emulated: it returns CURAND_STATUS_TYPE_ERROR\n", name);
  return 103;
}

}  // namespace

#define WARPMEM_NOT_EMULATED(X)      \
  X(curandCreatePoissonDistribution) \
  X(curandDestroyDistribution)       \
  X(curandGeneratePoissonMethod)     \
  X(curandGetDirectionVectors32)     \
  X(curandGetDirectionVectors64)     \
  X(curandGetScrambleConstants32)    \
  X(curandGetScrambleConstants64)

#define WARPMEM_REFUSE(name) \
  extern "C" int name() { return not_emulated(#name); }
WARPMEM_NOT_EMULATED(WARPMEM_REFUSE)
