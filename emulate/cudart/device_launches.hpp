// What one grid launches from the device: checked when it is issued, run when the grid has ended.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "emulate/cudart/launch.hpp"
#include "emulate/executor/device_runtime.hpp"

namespace warpmem::cudart {

class DeviceLaunches final : public emulate::DeviceRuntime {
 public:
  // `stream`: the grid's own, for the times and the trace.
  DeviceLaunches(Runtime& r, Stream& stream, Module& module)
      : r_(r), stream_(stream), module_(module) {}

  int launch(emulate::DeviceLaunch launch) override;
  int copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) override;
  int fill(std::uint64_t to, int value, std::uint64_t bytes) override;
  int attribute(int which, int device, int& value) override;
  void set_condition(std::uint64_t handle, std::uint32_t value) override;
  std::string_view error_text(int code, bool name) override;

  // In the order they were issued, each with all that it launches itself; tail launches last.
  Code run_all();

 private:
  struct Transfer {
    std::uint64_t to = 0, from = 0, bytes = 0;
    int value = 0;
    bool fills = false;
  };
  using Work = std::variant<KernelCall, Transfer>;

  Code run_each(std::vector<Work>& work);

  Runtime& r_;
  Stream& stream_;
  Module& module_;
  std::vector<Work> work_, tails_;
};

}  // namespace warpmem::cudart
