// What a program asks about its kernels: attributes and occupancy.
#include <algorithm>
#include <cstring>

#include "emulate/cudart/alias.hpp"
#include "emulate/cudart/launch.hpp"

using namespace warpmem;
using namespace warpmem::cudart;

namespace {

template <class F>
Code with_kernel(const void* key, F&& body) {
  return api([&](Runtime& r) {
    Function* f = Runtime::registry().find_function(key);
    if (!f) return kInvalidDeviceFunction;
    KernelCall probe;
    probe.function = f;
    if (!r.kernel(*f)) return check(r, probe);  // says why
    return body(r, *f, **r.kernel(*f));
  });
}

int max_threads(const Device& device, const emulate::Kernel& k) {
  const auto& bound = k.entry->max_block;
  const auto all = static_cast<int>(most_cta_threads(device.cc()));
  const auto most = static_cast<int>(bound[0] * bound[1] * bound[2]);
  return most > 0 ? std::min(most, all) : all;
}

// Resident CTAs an SM with what the kernel prefers of shared memory.
int resident(Runtime& r, Function& f, const emulate::Kernel& k, int threads, std::size_t shared) {
  const emulate::Resources* known = r.resources(f);
  const std::size_t fixed = known ? known->static_shared : k.static_shared;
  return resident_ctas(r.device(), k, known, threads, shared, carved_out(r, f, fixed + shared));
}

Code set_attribute(Runtime& r, Function& f, const emulate::Kernel& k, int which, int value) {
  switch (which) {
    case 8:
      if (value < 0 || static_cast<std::size_t>(value) + k.static_shared >
                           static_cast<std::size_t>(r.device().shared_optin))
        return kInvalidValue;
      f.max_dynamic_shared = value;
      return kSuccess;
    case 9:
      if (value < -1 || value > 100) return kInvalidValue;
      f.carveout = value;
      return kSuccess;
    case 11: return f.required_cluster.x = static_cast<unsigned>(value), kSuccess;
    case 12: return f.required_cluster.y = static_cast<unsigned>(value), kSuccess;
    case 13: return f.required_cluster.z = static_cast<unsigned>(value), kSuccess;
    case 14: return f.cluster_nonportable = value, kSuccess;
    case 15: return f.cluster_policy = value, kSuccess;
    default: return kInvalidValue;
  }
}

}  // namespace

extern "C" {

int cudaFuncGetAttributes(FunctionAttributes* out, const void* key) {
  return with_kernel(key, [&](Runtime& r, Function& f, emulate::Kernel& k) {
    if (!out) return kInvalidValue;
    std::memset(out, 0, sizeof *out);
    const emulate::Resources* known = r.resources(f);
    out->shared_bytes = known ? known->static_shared : k.static_shared;
    out->local_bytes = known ? known->local_bytes : k.local_bytes;
    for (const emulate::Variable& v : k.module->module().variables)
      if (v.space == emulate::Space::kConst) out->const_bytes += v.bytes;
    out->max_threads = max_threads(r.device(), k);
    out->registers = known ? static_cast<int>(known->registers) : 32;  // PTX does not say
    // The host picks what it launches by this (CUB: its policies), as the kernel did when it was
    // compiled: the number is of the PTX that runs.
    out->ptx_version = static_cast<int>(Registry::compiled_for(f));
    out->binary_version = static_cast<int>(r.device().cc());
    out->max_dynamic_shared = static_cast<int>(most_dynamic_shared(r.device(), f, k));
    out->carveout = f.carveout;
    const auto& c = k.entry->required_cluster;
    out->cluster_width = static_cast<int>(c[0]), out->cluster_height = static_cast<int>(c[1]),
    out->cluster_depth = static_cast<int>(c[2]);
    out->cluster_policy = f.cluster_policy, out->cluster_nonportable = f.cluster_nonportable;
    return kSuccess;
  });
}
int cudaFuncSetAttribute(const void* key, int which, int value) {
  return with_kernel(key, [&](Runtime& r, Function& f, emulate::Kernel& k) {
    return set_attribute(r, f, k, which, value);
  });
}
int cudaKernelSetAttributeForDevice(const void* kernel, int which, int value, int device) {
  return device != 0 ? remember(kInvalidDevice) : cudaFuncSetAttribute(kernel, which, value);
}
int cudaFuncSetCacheConfig(const void* key, int config) {
  return with_kernel(key, [&](Runtime&, Function& f, emulate::Kernel&) {
    return config < 0 || config > 3 ? kInvalidValue : (f.cache_config = config, kSuccess);
  });
}
int cudaFuncSetSharedMemConfig(const void* key, int config) {
  return with_kernel(key, [&](Runtime&, Function&, emulate::Kernel&) {
    return config < 0 || config > 2 ? kInvalidValue : kSuccess;
  });
}
int cudaFuncGetName(const char** name, const void* key) {
  return api([&](Runtime&) {
    Function* f = Runtime::registry().find_function(key);
    if (!name || !f) return name ? kInvalidDeviceFunction : kInvalidValue;
    *name = f->name.c_str();
    return kSuccess;
  });
}
int cudaFuncGetParamInfo(const void* key, std::size_t index, std::size_t* offset,
                         std::size_t* bytes) {
  return with_kernel(key, [&](Runtime&, Function&, emulate::Kernel& k) {
    if (!offset || index >= k.entry->params.size()) return kInvalidValue;
    *offset = k.entry->params[index]->offset;
    if (bytes) *bytes = k.entry->params[index]->bytes;
    return kSuccess;
  });
}

int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* count, const void* key, int threads,
                                                           std::size_t shared, unsigned flags) {
  return with_kernel(key, [&](Runtime& r, Function& f, emulate::Kernel& k) {
    if (!count || threads <= 0 || flags > 1) return kInvalidValue;
    *count = threads > max_threads(r.device(), k) || shared > most_dynamic_shared(r.device(), f, k)
                 ? 0
                 : resident(r, f, k, threads, shared);
    return kSuccess;
  });
}
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* count, const void* key, int threads,
                                                  std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count, key, threads, shared, 0);
}
int cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* key, int ctas,
                                              int threads) {
  return with_kernel(key, [&](Runtime& r, Function& f, emulate::Kernel& k) {
    if (!bytes || ctas <= 0 || threads <= 0) return kInvalidValue;
    const Device& d = r.device();
    // What is reserved in each CTA must fit, but is not taken off: so says an H200's driver.
    // An SM is set to more than is preferred for one CTA, not for several.
    const int room = ctas == 1 ? d.shared_sm() : carved_out(r, f, k.static_shared);
    const auto per_cta = static_cast<std::size_t>(room / ctas / 128 * 128);
    if (per_cta < k.static_shared + static_cast<std::size_t>(d.shared_reserved))
      return kInvalidValue;
    *bytes = std::min(per_cta - k.static_shared, most_dynamic_shared(d, f, k));
    return kSuccess;
  });
}
int cudaOccupancyMaxPotentialClusterSize(int* ctas, const void* key, const LaunchConfig* config) {
  return with_kernel(key, [&](Runtime& r, Function& f, emulate::Kernel&) {
    if (!ctas || !config || r.device().major < 9) return kInvalidValue;
    *ctas = f.cluster_nonportable ? 16 : 8;
    return kSuccess;
  });
}
int cudaOccupancyMaxActiveClusters(int* clusters, const void* key, const LaunchConfig* config) {
  return with_kernel(key, [&](Runtime& r, Function& f, emulate::Kernel& k) {
    if (!clusters || !config || r.device().major < 9) return kInvalidValue;
    unsigned ctas = 1;
    for (unsigned i = 0; i < config->attribute_count; ++i) {
      const Attribute& a = config->attributes[i];
      if (a.id == kAttributeCluster)
        ctas = std::max(1u, a.value.cluster.x * a.value.cluster.y * a.value.cluster.z);
    }
    const auto& c = k.entry->required_cluster;
    if (c[0]) ctas = c[0] * c[1] * c[2];
    const auto threads = static_cast<int>(config->block.x * config->block.y * config->block.z);
    if (ctas > (f.cluster_nonportable ? 16u : 8u)) return kInvalidClusterSize;
    *clusters = r.device().clusters(static_cast<int>(ctas),
                                    resident(r, f, k, threads, config->shared_bytes));
    return kSuccess;
  });
}

}  // extern "C"
