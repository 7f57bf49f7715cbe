// Calls of CUDA's device runtime (device_runtime.hpp), lane after lane.
#pragma once

#include <map>

#include "emulate/executor/device_runtime.hpp"
#include "emulate/executor/running.hpp"

namespace warpmem::emulate {

class DeviceCalls {
 public:
  explicit DeviceCalls(Running& run) : run_(run) {}
  void device_call(Warp& warp, const Part& part, const CallSite& site, std::uint32_t mask);

 private:
  struct Call;  // of one lane
  // What the call returns.
  std::uint64_t carry_out(const Call& call);
  std::uint64_t parameters(const Call& call);
  std::uint64_t launch(const Call& call);
  std::uint64_t text_of_error(const Call& call);
  std::uint64_t attribute(const Call& call);
  std::uint64_t allocate(const Call& call);
  void fetch(const Call& call, std::size_t argument, void* to, std::size_t bytes) const;
  std::uint64_t argument(const Call& call, std::size_t number) const;
  template <class T>
  void give(const Call& call, T value);  // where the first argument points to
  std::byte* host_of(const Call& call, std::uint64_t address, std::uint32_t bytes);

  Running& run_;
  std::map<std::uint64_t, DeviceLaunch> launches_;  // parameters not launched yet, by their buffer
  int device_error_ = 0;
  std::uint64_t next_handle_ = 0;  // of streams and events
};

}  // namespace warpmem::emulate
