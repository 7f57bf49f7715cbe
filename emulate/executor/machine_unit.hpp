// What machine code asks of a launch that PTX does not: constant banks, places in the code that
// registers hold, and the driver's functions.
#pragma once

#include "emulate/executor/calls.hpp"
#include "emulate/executor/memory_unit.hpp"

namespace warpmem::emulate {

class MachineUnit {
 public:
  MachineUnit(Running& run, Recorder& recorder, MemoryUnit& memory, Calls& calls)
      : run_(run), recorder_(recorder), memory_(memory), calls_(calls) {}

  void constant_load(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                     std::uint32_t mask);
  // True: the part goes on, at another place.
  bool jump(Warp& warp, std::int32_t part, const Inst& in, const std::byte* frame,
            std::uint32_t mask);
  bool call(Warp& warp, std::int32_t part, const Inst& in, std::byte* frame, std::uint32_t mask);

 private:
  std::uint64_t place_of_function(const Warp& warp, const Inst& in, std::uint32_t lane,
                                  std::uint64_t address) const;
  void device_runtime(Warp& warp, const Part& part, const DriverCall& call, std::byte* frame,
                      std::uint32_t mask, std::uint32_t builtin);
  bool go(Warp& warp, std::int32_t part, const Inst& in, std::uint32_t mask,
          const std::uint64_t* places);

  Running& run_;
  Recorder& recorder_;
  MemoryUnit& memory_;
  Calls& calls_;
};

}  // namespace warpmem::emulate
