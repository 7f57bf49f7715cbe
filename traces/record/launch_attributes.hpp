// What a launch asks for beside its grid: dynamic shared memory, carve-out, L2 access window. The
// patching API's launch callback does not tell; the driver calls that lead to it do.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "binary/cubin/parameters.hpp"
#include "traces/format/launch.hpp"

namespace warpmem::record {

struct LaunchAttributes {
  std::uint32_t dynamic_shared = 0;  // bytes
  std::int32_t carveout = -1;
  trace::AccessWindow window;
};

class AttributeTracker {
 public:
  // On entry to a driver call; `params` is its parameter structure. Other calls are ignored.
  // `symbol`: the kernel's name for launches.
  void driver_call(std::uint32_t cbid, const void* params, const char* symbol);
  void driver_call_over();
  // What the launch call that this thread is in asks for; falls back to the kernel's last launch
  // call (a graph's kernels were launched when it was captured).
  LaunchAttributes current(const std::string& name, const void* function, CUstream stream) const;
  // The kernel parameters of the launch call that this thread is in; empty outside of one, as for a
  // graph's kernels.
  static std::vector<std::uint8_t> parameters(const KernelParameters& kernel);
  std::uint64_t set_aside() const;
  // DRAM's granularity, if the program has said one, else 0.
  std::uint32_t fetch_bytes() const;
  // Whether persisting lines were given up since the last call.
  bool take_persisting_reset();
  // Driver calls to be told of.
  static const std::vector<std::uint32_t>& wanted_calls();

 private:
  LaunchAttributes from_launch(const void* function, std::uint32_t shared) const;
  static void apply(const CUlaunchAttribute* attributes, unsigned count, LaunchAttributes& out);

  mutable std::mutex mutex_;
  std::map<const void*, std::int32_t> carveouts_;  // CUfunction or CUkernel
  std::map<CUstream, trace::AccessWindow> windows_;
  std::map<std::string, LaunchAttributes> by_name_;
  std::map<const void*, LaunchAttributes> by_function_;
  std::uint64_t set_aside_ = 0;
  std::uint32_t fetch_bytes_ = 0;
  bool persisting_reset_ = false;
};

}  // namespace warpmem::record
