// How many CTAs of a launch an SM of a GPU holds at once, and what the answer would be with other
// blocks, registers and shared memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/residency.hpp"

namespace warpmem {

// From `first` to `last` of what a curve varies the answer is the same.
struct OccupancyStep {
  std::uint64_t first = 0, last = 0;
  std::uint64_t ctas = 0, warps = 0;
};

// One launch on one GPU.
struct OccupancyResult {
  std::string gpu, full_name, capability;  // "h200", "NVIDIA H200", "9.0"
  std::string kernel;                      // demangled; empty: no code was given
  SmLimits sm;
  CtaNeeds needs;
  Residency residency;
  std::string refusal;  // CUDA's error, where not even one CTA fits
  std::string failure;  // why there is no answer, in a table of several

  // Of code: what was compiled for this GPU, and what the kernel takes of local memory.
  std::string code;
  std::uint64_t max_registers = 0;  // --maxrregcount; 0: not asked for
  std::optional<std::uint64_t> static_shared, local_bytes, spill_stores, spill_loads;  // bytes

  // Of a launch in a trace: its CTAs, and the SMs that they go to. 0: no launch is known.
  std::uint64_t launch = 0, grid_ctas = 0, sms = 0;

  std::vector<OccupancyStep> by_threads, by_registers, by_shared;

  // How many times the grid fills the GPU, and how much of it the last CTAs fill.
  std::uint64_t wave_ctas() const { return residency.ctas * sms; }
  double waves() const {
    return wave_ctas() == 0 ? 0 : static_cast<double>(grid_ctas) / static_cast<double>(wave_ctas());
  }
  std::uint64_t tail_ctas() const { return wave_ctas() == 0 ? 0 : grid_ctas % wave_ctas(); }

  std::uint64_t warps() const { return residency.ctas * residency.warps; }
  double percent() const {
    return sm.warps == 0 ? 0 : 100.0 * static_cast<double>(warps()) / static_cast<double>(sm.warps);
  }
};

}  // namespace warpmem
