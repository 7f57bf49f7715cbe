#include "emulate/cudart/device_launches.hpp"

#include <algorithm>
#include <cstring>

#include "emulate/cudart/handles.hpp"

namespace warpmem::cudart {
namespace {

Function& function_named(Module& module, const std::string& name) {
  const auto known = std::find_if(module.functions.begin(), module.functions.end(),
                                  [&](const Function* f) { return f->name == name; });
  // The host does not know of a kernel that only kernels launch.
  return known != module.functions.end()
             ? **known
             : *Runtime::registry().add_function(&module, nullptr, name);
}

}  // namespace

int DeviceLaunches::launch(emulate::DeviceLaunch launch) {
  KernelCall call;
  call.function = &function_named(module_, std::string(launch.kernel->name));
  call.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
  call.block = {launch.block[0], launch.block[1], launch.block[2]};
  call.shared = launch.dynamic_shared;
  call.params = std::move(launch.params);
  if (const Code code = check(r_, call); code != kSuccess) return code;
  (launch.tail ? tails_ : work_).emplace_back(std::move(call));
  return kSuccess;
}

int DeviceLaunches::copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
  if (bytes == 0) return kSuccess;
  if (!r_.memory.contains(to, to + bytes) || !r_.memory.contains(from, from + bytes))
    return kInvalidValue;
  work_.emplace_back(Transfer{to, from, bytes});
  return kSuccess;
}

int DeviceLaunches::fill(std::uint64_t to, int value, std::uint64_t bytes) {
  if (bytes == 0) return kSuccess;
  if (!r_.memory.contains(to, to + bytes)) return kInvalidValue;
  work_.emplace_back(Transfer{to, 0, bytes, value, true});
  return kSuccess;
}

int DeviceLaunches::attribute(int which, int device, int& value) {
  if (device != 0) return kInvalidDevice;
  const auto found = cudart::attribute(r_.device(), which);
  if (!found) return kInvalidValue;
  value = *found;
  return kSuccess;
}

void DeviceLaunches::set_condition(std::uint64_t handle, std::uint32_t value) {
  auto& conditions = graph_table().conditions;
  if (const auto at = conditions.find(handle); at != conditions.end()) at->second.value = value;
}

std::string_view DeviceLaunches::error_text(int code, bool name) {
  return name ? error_name(static_cast<Code>(code)) : cudart::error_text(static_cast<Code>(code));
}

Code DeviceLaunches::run_each(std::vector<Work>& work) {
  for (const Work& w : work) {
    if (r_.sticky != kSuccess) return kSuccess;
    if (const auto* call = std::get_if<KernelCall>(&w)) {
      if (const Code code = run(r_, stream_, *call); code != kSuccess) return code;
      continue;
    }
    const auto& t = std::get<Transfer>(w);
    if (t.fills) std::memset(r_.memory.host(t.to), t.value, t.bytes);
    else std::memmove(r_.memory.host(t.to), r_.memory.host(t.from), t.bytes);
  }
  return kSuccess;
}

Code DeviceLaunches::run_all() {
  if (const Code code = run_each(work_); code != kSuccess) return code;
  return run_each(tails_);
}

}  // namespace warpmem::cudart
