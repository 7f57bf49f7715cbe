#include "traces/record/launch_attributes.hpp"

#include <sanitizer.h>

#include <generated_cuda_meta.h>

#include <optional>
#include <utility>
#include <vector>

namespace warpmem::record {
namespace {

thread_local std::optional<LaunchAttributes> t_launch;  // of the launch call this thread is in
// Its parameters, which are the caller's for as long as the call lasts.
thread_local void** t_each = nullptr;
thread_local void** t_extra = nullptr;

trace::AccessWindow window_of(const CUaccessPolicyWindow& w) {
  trace::AccessWindow window;
  window.base = reinterpret_cast<std::uint64_t>(w.base_ptr);
  window.bytes = w.num_bytes;
  window.hit_ratio = w.hitRatio;
  window.hit = static_cast<std::uint8_t>(w.hitProp);
  window.miss = static_cast<std::uint8_t>(w.missProp);
  return window;
}

// The cache configurations of old are carve-outs since compute capability 7.0.
std::int32_t carveout_of(CUfunc_cache config) {
  switch (config) {
    case CU_FUNC_CACHE_PREFER_L1: return 0;
    case CU_FUNC_CACHE_PREFER_SHARED: return 100;
    case CU_FUNC_CACHE_PREFER_EQUAL: return 50;
    default: return -1;
  }
}

}  // namespace

const std::vector<std::uint32_t>& AttributeTracker::wanted_calls() {
  static const std::vector<std::uint32_t> calls{
      SANITIZER_CBID_DRIVER_API_cuLaunchKernel,
      SANITIZER_CBID_DRIVER_API_cuLaunchKernel_ptsz,
      SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx,
      SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx_ptsz,
      SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel,
      SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel_ptsz,
      SANITIZER_CBID_DRIVER_API_cuFuncSetAttribute,
      SANITIZER_CBID_DRIVER_API_cuKernelSetAttribute,
      SANITIZER_CBID_DRIVER_API_cuFuncSetCacheConfig,
      SANITIZER_CBID_DRIVER_API_cuKernelSetCacheConfig,
      SANITIZER_CBID_DRIVER_API_cuStreamSetAttribute,
      SANITIZER_CBID_DRIVER_API_cuStreamSetAttribute_ptsz,
      SANITIZER_CBID_DRIVER_API_cuCtxSetLimit};
  return calls;
}

LaunchAttributes AttributeTracker::from_launch(const void* function, std::uint32_t shared) const {
  LaunchAttributes result;
  result.dynamic_shared = shared;
  if (const auto it = carveouts_.find(function); it != carveouts_.end())
    result.carveout = it->second;
  return result;
}

void AttributeTracker::apply(const CUlaunchAttribute* attributes, unsigned count,
                             LaunchAttributes& out) {
  for (unsigned i = 0; attributes != nullptr && i < count; ++i) {
    if (attributes[i].id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) {
      out.window = window_of(attributes[i].value.accessPolicyWindow);
    } else if (attributes[i].id == CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
      out.carveout = static_cast<std::int32_t>(attributes[i].value.sharedMemCarveout);
    }
  }
}

void AttributeTracker::driver_call(std::uint32_t cbid, const void* params, const char* symbol) {
  const std::lock_guard lock(mutex_);
  const auto launch = [&](const void* function, const char* name,
                          const LaunchAttributes& attributes) {
    t_launch = attributes;
    by_function_[function] = attributes;
    if (name != nullptr) by_name_[name] = attributes;
  };
  switch (cbid) {
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernel:
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernel_ptsz: {
      const auto& p = *static_cast<const cuLaunchKernel_params*>(params);
      launch(p.f, symbol, from_launch(p.f, p.sharedMemBytes));
      t_each = p.kernelParams, t_extra = p.extra;
      break;
    }
    case SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel:
    case SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel_ptsz: {
      const auto& p = *static_cast<const cuLaunchCooperativeKernel_params*>(params);
      launch(p.f, symbol, from_launch(p.f, p.sharedMemBytes));
      t_each = p.kernelParams, t_extra = nullptr;
      break;
    }
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx:
    case SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx_ptsz: {
      const auto& p = *static_cast<const cuLaunchKernelEx_params*>(params);
      if (p.config == nullptr) break;
      LaunchAttributes attributes = from_launch(p.f, p.config->sharedMemBytes);
      apply(p.config->attrs, p.config->numAttrs, attributes);
      t_each = p.kernelParams, t_extra = p.extra;
      launch(p.f, nullptr, attributes);  // its `symbol` is no kernel's name (driver 580)
      break;
    }
    case SANITIZER_CBID_DRIVER_API_cuFuncSetAttribute: {
      const auto& p = *static_cast<const cuFuncSetAttribute_params*>(params);
      if (p.attrib == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
        carveouts_[p.hfunc] = p.value;
      break;
    }
    case SANITIZER_CBID_DRIVER_API_cuKernelSetAttribute: {
      const auto& p = *static_cast<const cuKernelSetAttribute_params*>(params);
      if (p.attrib == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
        carveouts_[p.kernel] = p.val;
      break;
    }
    case SANITIZER_CBID_DRIVER_API_cuFuncSetCacheConfig: {
      const auto& p = *static_cast<const cuFuncSetCacheConfig_params*>(params);
      carveouts_[p.hfunc] = carveout_of(p.config);
      break;
    }
    case SANITIZER_CBID_DRIVER_API_cuKernelSetCacheConfig: {
      const auto& p = *static_cast<const cuKernelSetCacheConfig_params*>(params);
      carveouts_[p.kernel] = carveout_of(p.config);
      break;
    }
    case SANITIZER_CBID_DRIVER_API_cuStreamSetAttribute:
    case SANITIZER_CBID_DRIVER_API_cuStreamSetAttribute_ptsz: {
      const auto& p = *static_cast<const cuStreamSetAttribute_params*>(params);
      if (p.attr == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW && p.param != nullptr) {
        windows_[p.hStream] = window_of(p.param->accessPolicyWindow);
      }
      break;
    }
    case SANITIZER_CBID_DRIVER_API_cuCtxSetLimit: {
      const auto& p = *static_cast<const cuCtxSetLimit_params*>(params);
      if (p.limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE) set_aside_ = p.value;
      if (p.limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY)
        fetch_bytes_ = static_cast<std::uint32_t>(p.value);
      break;
    }
    case SANITIZER_CBID_DRIVER_API_cuCtxResetPersistingL2Cache: persisting_reset_ = true; break;
    default: break;
  }
}

LaunchAttributes AttributeTracker::current(const std::string& name, const void* function,
                                           CUstream stream) const {
  const std::lock_guard lock(mutex_);
  LaunchAttributes result;
  if (t_launch) {
    result = *t_launch;
  } else if (const auto named = by_name_.find(name); named != by_name_.end()) {
    result = named->second;
  } else if (const auto known = by_function_.find(function); known != by_function_.end()) {
    result = known->second;
  }
  if (result.window.bytes == 0) {
    if (const auto it = windows_.find(stream); it != windows_.end()) result.window = it->second;
  }
  return result;
}

void AttributeTracker::driver_call_over() {
  t_launch.reset();
  t_each = t_extra = nullptr;
}

std::vector<std::uint8_t> AttributeTracker::parameters(const KernelParameters& kernel) {
  return pack_parameters(kernel, t_each, t_extra);
}

std::uint64_t AttributeTracker::set_aside() const {
  const std::lock_guard lock(mutex_);
  return set_aside_;
}

std::uint32_t AttributeTracker::fetch_bytes() const {
  const std::lock_guard lock(mutex_);
  return fetch_bytes_;
}

bool AttributeTracker::take_persisting_reset() {
  const std::lock_guard lock(mutex_);
  return std::exchange(persisting_reset_, false);
}

}  // namespace warpmem::record
