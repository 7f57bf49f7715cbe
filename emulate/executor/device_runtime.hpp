// CUDA's device runtime: what a kernel calls to launch other kernels (dynamic parallelism).
//
// A kernel cannot wait for one that it launched, and sees nothing of it. So whoever runs the kernel
// collects what it launches and runs that when the kernel has ended, in the order it was issued:
// one of the orders that CUDA allows, whatever the streams.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "traces/format/launch.hpp"

namespace warpmem::emulate {

struct Function;

struct DeviceLaunch {
  const Function* kernel = nullptr;
  Dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t dynamic_shared = 0;
  bool tail = false;  // after all else that its grid launches
  std::vector<std::byte> params;
};

// What the one who runs a kernel provides. The results are CUDA's error codes.
class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;
  virtual int launch(DeviceLaunch launch) = 0;
  virtual int copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) = 0;
  virtual int fill(std::uint64_t to, int value, std::uint64_t bytes) = 0;
  virtual int attribute(int which, int device, int& value) = 0;
  // The value that a graph's conditional nodes look at.
  virtual void set_condition(std::uint64_t handle, std::uint32_t value) = 0;
  virtual std::string_view error_text(int code, bool name) = 0;
};

enum class DeviceCall : std::uint8_t {
  kNone,
  kParameters,
  kLaunch,
  kLastError,
  kPeekError,
  kErrorText,
  kErrorName,
  kDevice,
  kDeviceCount,
  kAttribute,
  kCreate,  // a stream or an event
  kOrder,   // waits, records and ends of those
  kMalloc,
  kFree,
  kCopy,
  kFill,
  kSetCondition
};

// By the name that PTX declares, of CUDA 12 and later (`__cudaCDP2…`) or before (`cuda…`).
constexpr DeviceCall device_call_named(std::string_view name) {
  constexpr std::string_view kNew = "__cudaCDP2", kOld = "cuda", kPerThread = "_ptsz";
  if (name.starts_with(kNew)) name.remove_prefix(kNew.size());
  else if (name.starts_with(kOld)) name.remove_prefix(kOld.size());
  else return DeviceCall::kNone;
  if (name.ends_with(kPerThread)) name.remove_suffix(kPerThread.size());
  struct Named {
    std::string_view name;
    DeviceCall call;
  };
  constexpr Named kCalls[] = {{"GetParameterBufferV2", DeviceCall::kParameters},
                              {"LaunchDeviceV2", DeviceCall::kLaunch},
                              {"GetLastError", DeviceCall::kLastError},
                              {"PeekAtLastError", DeviceCall::kPeekError},
                              {"GetErrorString", DeviceCall::kErrorText},
                              {"GetErrorName", DeviceCall::kErrorName},
                              {"GetDevice", DeviceCall::kDevice},
                              {"GetDeviceCount", DeviceCall::kDeviceCount},
                              {"DeviceGetAttribute", DeviceCall::kAttribute},
                              {"StreamCreateWithFlags", DeviceCall::kCreate},
                              {"EventCreateWithFlags", DeviceCall::kCreate},
                              {"StreamDestroy", DeviceCall::kOrder},
                              {"StreamWaitEvent", DeviceCall::kOrder},
                              {"EventRecord", DeviceCall::kOrder},
                              {"EventRecordWithFlags", DeviceCall::kOrder},
                              {"EventDestroy", DeviceCall::kOrder},
                              {"Malloc", DeviceCall::kMalloc},
                              {"Free", DeviceCall::kFree},
                              {"MemcpyAsync", DeviceCall::kCopy},
                              {"MemsetAsync", DeviceCall::kFill},
                              {"GraphSetConditional", DeviceCall::kSetCondition}};
  for (const Named& c : kCalls)
    if (c.name == name) return c.call;
  return DeviceCall::kNone;
}

// Bytes of each argument: 12 are three numbers of 32 bits.
constexpr std::uint32_t kMostDeviceArguments = 5, kWidestDeviceArgument = 12;
constexpr std::string_view device_arguments(DeviceCall call) {
  switch (call) {
    case DeviceCall::kParameters: return "\x08\x0c\x0c\x04";
    case DeviceCall::kLaunch:
    case DeviceCall::kMalloc: return "\x08\x08";
    case DeviceCall::kErrorText:
    case DeviceCall::kErrorName: return "\x04";
    case DeviceCall::kDevice:
    case DeviceCall::kDeviceCount:
    case DeviceCall::kFree: return "\x08";
    case DeviceCall::kAttribute: return "\x08\x04\x04";
    case DeviceCall::kCreate:
    case DeviceCall::kSetCondition: return "\x08\x04";
    case DeviceCall::kCopy: return "\x08\x08\x08\x04\x08";
    case DeviceCall::kFill: return "\x08\x04\x08\x08";
    case DeviceCall::kLastError:
    case DeviceCall::kPeekError:
    case DeviceCall::kOrder:
    case DeviceCall::kNone: break;
  }
  return {};
}

// Whether it gives an address; others an error code.
constexpr bool gives_address(DeviceCall call) {
  return call == DeviceCall::kParameters || call == DeviceCall::kErrorText ||
         call == DeviceCall::kErrorName;
}

}  // namespace warpmem::emulate
