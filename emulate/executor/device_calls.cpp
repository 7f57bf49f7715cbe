#include "emulate/executor/device_calls.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "emulate/executor/builtins.hpp"
#include "emulate/executor/faults.hpp"

namespace warpmem::emulate {
namespace {

constexpr int kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2;
constexpr std::uint64_t kTailStream = 3;
constexpr std::uint64_t kFirstHandle = 0x100;  // beyond the streams that have a number of their own

std::uint32_t bytes_of_parameters(const Function& kernel) {
  std::uint64_t at = 0;
  for (const Variable* p : kernel.params) at = (at + p->align - 1) / p->align * p->align + p->bytes;
  return static_cast<std::uint32_t>(at);
}

// Whether a call returns one of CUDA's error codes, which the last error then is.
bool returns_code(DeviceCall call) {
  return call != DeviceCall::kParameters && call != DeviceCall::kErrorText &&
         call != DeviceCall::kErrorName && call != DeviceCall::kLastError &&
         call != DeviceCall::kPeekError;
}

std::uint64_t as_result(int error) { return static_cast<std::uint64_t>(error); }

}  // namespace

struct DeviceCalls::Call {
  Warp& warp;
  const Inst& in;
  const CallSite& site;
  std::byte* frame;
  std::uint32_t lane;
  DeviceCall which;
  DeviceRuntime& device;
};

// Where a generic address of the lane lies; a fault when that is outside memory.
std::byte* DeviceCalls::host_of(const Call& c, std::uint64_t address, std::uint32_t bytes) {
  if (const std::uint64_t local = address - kLocalWindow; local + bytes <= c.warp.local_capacity)
    return c.warp.local.data() + std::size_t{c.lane} * c.warp.local_capacity + local;
  if (const std::uint64_t shared = address - kSharedWindow; shared + bytes <= run_.shared_bytes)
    return run_.cta->shared.data() + shared;
  if (!run_.memory.contains(address, address + bytes))
    fault(run_, c.warp, c.in, c.lane,
          fmt::format("a result of {} bytes goes to {:#x}, outside memory", bytes, address),
          "pass the address of a variable that the kernel may write");
  return run_.memory.host(address);
}

void DeviceCalls::fetch(const Call& c, std::size_t i, void* to, std::size_t bytes) const {
  if (i >= c.site.arguments.size())
    fault(run_, c.warp, c.in, c.lane, "a call of the device runtime with too few arguments",
          "compile for the device runtime of CUDA 12 or 13 (-rdc=true)");
  const ParamSlot& a = c.site.arguments[i];
  std::memcpy(to, c.frame + a.offset + c.lane * a.bytes, std::min<std::size_t>(bytes, a.bytes));
}

std::uint64_t DeviceCalls::argument(const Call& c, std::size_t i) const {
  std::uint64_t v = 0;
  fetch(c, i, &v, sizeof v);
  return v;
}

template <class T>
void DeviceCalls::give(const Call& c, T value) {
  std::memcpy(host_of(c, argument(c, 0), sizeof value), &value, sizeof value);
}

std::uint64_t DeviceCalls::parameters(const Call& c) {
  const Function* kernel = run_.kernel.module->function_at(argument(c, 0));
  if (!kernel || !kernel->is_entry)
    fault(run_, c.warp, c.in, c.lane,
          fmt::format("a launch of {:#x}, which is not a kernel", argument(c, 0)),
          "launch a __global__ function of this program");
  DeviceLaunch launch;
  launch.kernel = kernel;
  fetch(c, 1, launch.grid.data(), sizeof launch.grid);
  fetch(c, 2, launch.block.data(), sizeof launch.block);
  launch.dynamic_shared = static_cast<std::uint32_t>(argument(c, 3));
  launch.params.resize(bytes_of_parameters(*kernel));
  const std::uint64_t at =
      run_.memory.allocate(launch.params.size(), trace::AllocationKind::kDevice, 512);
  if (at) launches_[at] = std::move(launch);
  else device_error_ = kOutOfMemory;
  return at;
}

std::uint64_t DeviceCalls::launch(const Call& c) {
  const auto at = launches_.find(argument(c, 0));
  if (at == launches_.end()) return kInvalidValue;
  DeviceLaunch launch = std::move(at->second);
  std::memcpy(launch.params.data(), run_.memory.host(at->first), launch.params.size());
  run_.memory.free(at->first);
  launches_.erase(at);
  launch.tail = argument(c, 1) == kTailStream;
  return as_result(c.device.launch(std::move(launch)));
}

std::uint64_t DeviceCalls::text_of_error(const Call& c) {
  const std::string_view text =
      c.device.error_text(static_cast<int>(argument(c, 0)), c.which == DeviceCall::kErrorName);
  const std::uint64_t at = run_.memory.allocate(text.size() + 1, trace::AllocationKind::kDevice,
                                                512, "text of an error");
  if (at) std::memcpy(run_.memory.host(at), text.data(), text.size());
  return at;
}

std::uint64_t DeviceCalls::attribute(const Call& c) {
  int value = 0;
  const std::uint64_t result = as_result(c.device.attribute(
      static_cast<int>(argument(c, 1)), static_cast<int>(argument(c, 2)), value));
  if (result == kSuccess) give(c, value);
  return result;
}

std::uint64_t DeviceCalls::allocate(const Call& c) {
  const std::uint64_t at = run_.memory.allocate_heap(argument(c, 1));
  give(c, at);
  return at == 0 ? kOutOfMemory : kSuccess;
}

std::uint64_t DeviceCalls::carry_out(const Call& c) {
  switch (c.which) {
    case DeviceCall::kParameters: return parameters(c);
    case DeviceCall::kLaunch: return launch(c);
    case DeviceCall::kLastError:
    case DeviceCall::kPeekError: return as_result(device_error_);
    case DeviceCall::kErrorText:
    case DeviceCall::kErrorName: return text_of_error(c);
    case DeviceCall::kDevice: return give(c, std::int32_t{0}), kSuccess;
    case DeviceCall::kDeviceCount: return give(c, std::int32_t{1}), kSuccess;
    case DeviceCall::kAttribute: return attribute(c);
    case DeviceCall::kCreate: return give(c, kFirstHandle + next_handle_++), kSuccess;
    case DeviceCall::kMalloc: return allocate(c);
    case DeviceCall::kFree:
      return argument(c, 0) != 0 && !run_.memory.free(argument(c, 0)) ? kInvalidValue : kSuccess;
    case DeviceCall::kCopy:
      return as_result(c.device.copy(argument(c, 0), argument(c, 1), argument(c, 2)));
    case DeviceCall::kFill:
      return as_result(
          c.device.fill(argument(c, 0), static_cast<int>(argument(c, 1)), argument(c, 2)));
    case DeviceCall::kSetCondition:
      c.device.set_condition(argument(c, 0), static_cast<std::uint32_t>(argument(c, 1)));
      return kSuccess;
    case DeviceCall::kOrder:
    case DeviceCall::kNone: break;
  }
  return kSuccess;
}

void DeviceCalls::device_call(Warp& warp, const Part& part, const CallSite& site,
                              std::uint32_t mask) {
  const Inst& in = code_of(warp, part).code[part.pc];
  const auto which =
      static_cast<DeviceCall>(site.builtin - static_cast<std::uint32_t>(Builtin::kDeviceRuntime));
  std::byte* frame = warp.frames[static_cast<std::size_t>(part.frame)].registers;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    if (!run_.options.device)
      fault(run_, warp, in, lane, "this kernel calls CUDA's device runtime",
            "emulate the whole program instead of one file", ErrorKind::kUsage);
    const std::uint64_t result =
        carry_out({warp, in, site, frame, lane, which, *run_.options.device});
    if (which == DeviceCall::kLastError) device_error_ = kSuccess;
    if (returns_code(which) && result != kSuccess) device_error_ = static_cast<int>(result);
    if (!site.results.empty())
      std::memcpy(frame + site.results[0].offset + lane * site.results[0].bytes, &result,
                  std::min(8u, site.results[0].bytes));
  }
}

}  // namespace warpmem::emulate
