// Functions that the driver brings along and PTX only declares.
#pragma once

#include <cstdint>
#include <string_view>

#include "emulate/executor/device_runtime.hpp"

namespace warpmem::emulate {

// From kDeviceRuntime on: that and a DeviceCall.
enum class Builtin : std::uint32_t { kNone, kPrintf, kMalloc, kFree, kAssert, kDeviceRuntime };

constexpr Builtin builtin_named(std::string_view name) {
  if (name == "vprintf") return Builtin::kPrintf;
  if (name == "malloc") return Builtin::kMalloc;
  if (name == "free") return Builtin::kFree;
  if (name == "__assertfail") return Builtin::kAssert;
  if (const DeviceCall call = device_call_named(name); call != DeviceCall::kNone)
    return static_cast<Builtin>(static_cast<std::uint32_t>(Builtin::kDeviceRuntime) +
                                static_cast<std::uint32_t>(call));
  return Builtin::kNone;
}

}  // namespace warpmem::emulate
