// What the executor's units share: the launch, and who of it runs now.
#pragma once

#include "emulate/executor/executor.hpp"

namespace warpmem::emulate {

using Lanes = std::uint64_t[32];  // a value of each lane, mostly an address

// What to do about an instruction of the whole warp that some lanes do not come to.
constexpr const char* kWholeWarp =
    "bring all lanes of the warp there together: no branch by lane around it, and blocks of whole "
    "warps";

constexpr std::uint64_t kWarpSlice = 1u << 14;  // warp instructions a warp runs at a stretch
constexpr std::uint32_t kStuck =
    32;  // loop iterations in vain until lanes no longer wait for those that spin
constexpr std::uint32_t kSpun = 16;        // … and until it counts as waiting for another CTA
constexpr std::size_t kMostGroups = 4096;  // at once, where one may wait for another

struct Running {
  Running(const Kernel& of, Memory& in, const LaunchShape& as, const RunOptions& asked, Tracer* to,
          RunStatistics& counted);

  const Kernel& kernel;
  Memory& memory;
  const LaunchShape& shape;
  const RunOptions& options;
  Tracer* tracer;  // null: nothing is traced
  RunStatistics& statistics;
  std::uint32_t threads = 0, warps = 0;  // of a CTA
  std::uint32_t cluster_size = 1, shared_bytes = 0;
  std::uint64_t groups = 0;
  bool turns = false;  // CTAs take turns (turns.hpp)

  // Now: the group and the CTA of the warp that runs, and the function that it is in.
  Group* group = nullptr;
  Cta* cta = nullptr;
  const Code* code = nullptr;
  bool turn_over = false;   // of that warp: the others come first
  std::uint64_t ahead = 0;  // warp instructions that the statistics lack

  // Ends the launch if somebody wants that: asked between slices of warps, and in what takes long.
  void stop_if_interrupted() const;
  bool traced() const { return tracer != nullptr && group->traced; }
};

inline const Code& code_of(const Warp& warp, const Part& part) {
  return *warp.frames[static_cast<std::size_t>(part.frame)].code;
}

}  // namespace warpmem::emulate
