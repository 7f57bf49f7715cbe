// Calls of functions: those of the program, and those that the driver brings along.
#pragma once

#include "emulate/executor/device_calls.hpp"
#include "emulate/executor/divergence.hpp"
#include "emulate/executor/frames.hpp"

namespace warpmem::emulate {

class Calls {
 public:
  Calls(Running& run, Frames& frames) : run_(run), frames_(frames), device_calls_(run) {}
  // True: the part goes on.
  bool call(Warp& warp, std::int32_t part, const Inst& in, std::uint32_t mask);
  // One of the driver's functions (builtins.hpp).
  void builtin(Warp& warp, const Part& part, const CallSite& site, std::uint32_t mask);
  static void return_values(Warp& warp, std::int32_t part, std::uint32_t lanes);

 private:
  struct Callee {
    std::uint32_t function;  // number
    std::uint32_t lanes;     // that call it
  };
  // Whom the first of these lanes calls, and who of the others calls it too.
  Callee callee(const Warp& warp, const Inst& in, const CallSite& site, const std::byte* registers,
                std::uint32_t lanes) const;
  static std::int32_t wait_for_return(Warp& warp, std::int32_t part, const CallSite& site,
                                      std::uint32_t mask);

  Running& run_;
  Frames& frames_;
  DeviceCalls device_calls_;
};

}  // namespace warpmem::emulate
