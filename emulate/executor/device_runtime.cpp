#include "emulate/executor/device_runtime.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "emulate/ptx/builtins.hpp"
#include "emulate/executor/execution.hpp"

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

}  // namespace

// Where a generic address of the lane lies; a fault when that is outside memory.
std::byte* Execution::host_of(Warp& warp, const Inst& in, std::uint32_t lane, std::uint64_t address,
                              std::uint32_t bytes) {
  if (const std::uint64_t local = address - kLocalWindow; local + bytes <= warp.local_capacity)
    return warp.local.data() + std::size_t{lane} * warp.local_capacity + local;
  if (const std::uint64_t shared = address - kSharedWindow; shared + bytes <= shared_bytes_)
    return cta_->shared.data() + shared;
  if (!memory_.contains(address, address + bytes))
    fault(warp, in, lane,
          fmt::format("a result of {} bytes goes to {:#x}, outside memory", bytes, address),
          "pass the address of a variable that the kernel may write");
  return memory_.host(address);
}

void Execution::device_call(Warp& warp, const Part& part, const CallSite& site,
                            std::uint32_t mask) {
  const Inst& in = code_of(warp, part).code[part.pc];
  const auto call =
      static_cast<DeviceCall>(site.builtin - static_cast<std::uint32_t>(Builtin::kDeviceRuntime));
  std::byte* frame = warp.frames[static_cast<std::size_t>(part.frame)].registers;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    if (!options_.device)
      fault(warp, in, lane, "this kernel calls CUDA's device runtime",
            "emulate the whole program instead of one file", ErrorKind::kUsage);
    DeviceRuntime& device = *options_.device;
    const auto fetch = [&](std::size_t i, void* to, std::size_t bytes) {
      if (i >= site.arguments.size())
        fault(warp, in, lane, "a call of the device runtime with too few arguments",
              "compile for the device runtime of CUDA 12 or 13 (-rdc=true)");
      const ParamSlot& a = site.arguments[i];
      std::memcpy(to, frame + a.offset + lane * a.bytes, std::min<std::size_t>(bytes, a.bytes));
    };
    const auto argument = [&](std::size_t i) {
      std::uint64_t v = 0;
      fetch(i, &v, sizeof v);
      return v;
    };
    const auto give = [&](auto value) {
      std::memcpy(host_of(warp, in, lane, argument(0), sizeof value), &value, sizeof value);
    };
    std::uint64_t result = kSuccess;
    switch (call) {
      case DeviceCall::kParameters: {
        const Function* kernel = kernel_.module->function_at(argument(0));
        if (!kernel || !kernel->is_entry)
          fault(warp, in, lane,
                fmt::format("a launch of {:#x}, which is not a kernel", argument(0)),
                "launch a __global__ function of this program");
        DeviceLaunch launch;
        launch.kernel = kernel;
        fetch(1, launch.grid.data(), sizeof launch.grid);
        fetch(2, launch.block.data(), sizeof launch.block);
        launch.dynamic_shared = static_cast<std::uint32_t>(argument(3));
        launch.params.resize(bytes_of_parameters(*kernel));
        result = memory_.allocate(launch.params.size(), trace::AllocationKind::kDevice, 512);
        if (result) launches_[result] = std::move(launch);
        else device_error_ = kOutOfMemory;
        break;
      }
      case DeviceCall::kLaunch: {
        const auto at = launches_.find(argument(0));
        if (at == launches_.end()) {
          result = kInvalidValue;
          break;
        }
        DeviceLaunch launch = std::move(at->second);
        std::memcpy(launch.params.data(), memory_.host(at->first), launch.params.size());
        memory_.free(at->first);
        launches_.erase(at);
        launch.tail = argument(1) == kTailStream;
        result = static_cast<std::uint64_t>(device.launch(std::move(launch)));
        break;
      }
      case DeviceCall::kLastError:
      case DeviceCall::kPeekError: result = static_cast<std::uint64_t>(device_error_); break;
      case DeviceCall::kErrorText:
      case DeviceCall::kErrorName: {
        const std::string_view text =
            device.error_text(static_cast<int>(argument(0)), call == DeviceCall::kErrorName);
        result = memory_.allocate(text.size() + 1, trace::AllocationKind::kDevice, 512,
                                  "text of an error");
        if (result) std::memcpy(memory_.host(result), text.data(), text.size());
        break;
      }
      case DeviceCall::kDevice: give(std::int32_t{0}); break;
      case DeviceCall::kDeviceCount: give(std::int32_t{1}); break;
      case DeviceCall::kAttribute: {
        int value = 0;
        result = static_cast<std::uint64_t>(
            device.attribute(static_cast<int>(argument(1)), static_cast<int>(argument(2)), value));
        if (result == kSuccess) give(value);
        break;
      }
      case DeviceCall::kCreate: give(kFirstHandle + next_handle_++); break;
      case DeviceCall::kMalloc: {
        const std::uint64_t at = memory_.allocate(argument(1), trace::AllocationKind::kDevice, 512);
        give(at);
        if (at == 0) result = kOutOfMemory;
        break;
      }
      case DeviceCall::kFree:
        if (argument(0) != 0 && !memory_.free(argument(0))) result = kInvalidValue;
        break;
      case DeviceCall::kCopy:
        result = static_cast<std::uint64_t>(device.copy(argument(0), argument(1), argument(2)));
        break;
      case DeviceCall::kFill:
        result = static_cast<std::uint64_t>(
            device.fill(argument(0), static_cast<int>(argument(1)), argument(2)));
        break;
      case DeviceCall::kSetCondition:
        device.set_condition(argument(0), static_cast<std::uint32_t>(argument(1)));
        break;
      case DeviceCall::kOrder:
      case DeviceCall::kNone: break;
    }
    if (call == DeviceCall::kLastError) device_error_ = kSuccess;
    const bool is_code = call != DeviceCall::kParameters && call != DeviceCall::kErrorText &&
                         call != DeviceCall::kErrorName && call != DeviceCall::kLastError &&
                         call != DeviceCall::kPeekError;
    if (is_code && result != kSuccess) device_error_ = static_cast<int>(result);
    if (!site.results.empty())
      std::memcpy(frame + site.results[0].offset + lane * site.results[0].bytes, &result,
                  std::min(8u, site.results[0].bytes));
  }
}

}  // namespace warpmem::emulate
