// What differs between the libraries for CUDA 12 and 13: compiled once for each, WARPMEM_CUDART =
// 12, 13.
#include "traces/emulate/runtime/device.hpp"
#include "traces/emulate/runtime/runtime.hpp"

using namespace warpmem;
using namespace warpmem::cudart;

namespace {

Code version(int* out) {
  if (!out) return remember(kInvalidValue);
  *out = WARPMEM_CUDART == 12 ? 12090 : 13000;
  return kSuccess;
}

Code properties(void* out, int device) {
  return api([&](Runtime& r) {
    if (!out) return kInvalidValue;
    if (device != 0) return kInvalidDevice;
    if (WARPMEM_CUDART == 12) fill_properties_12(r.device(), out);
    else fill_properties_13(r.device(), out);
    return kSuccess;
  });
}

}  // namespace

extern "C" {

int cudaDriverGetVersion(int* out) { return version(out); }
int cudaRuntimeGetVersion(int* out) { return version(out); }
int cudaGetDeviceProperties(void* out, int device) { return properties(out, device); }
#if WARPMEM_CUDART == 12
int cudaGetDeviceProperties_v2(void* out, int device) { return properties(out, device); }
#endif

}  // extern "C"
