// When a program's steps ran on a GPU of a card: copies, fills and kernels on their engines, and
// what the host waited for. Times in nanoseconds from the program's first step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmem {

struct ProgramStep {
  std::string kind;    // "copy", "fill", "kernel", "host function", "event", "wait"
  std::string name;    // "pageable to GPU", or the kernel's
  std::string engine;  // where it ran; empty: nowhere
  std::uint64_t stream = 0;
  std::uint64_t bytes = 0;
  double issued = 0, ready = 0, begin = 0, end = 0;
  bool estimated = false;  // a kernel that was not replayed: as long as the emulator said
};

struct ProgramTimeline {
  std::string gpu, full_name;  // "h200", "NVIDIA H200"
  std::vector<ProgramStep> steps;
  double ns = 0;  // until the last step ended and the host had waited for all that it waits for
  struct Engine {
    std::string name;
    double busy = 0;
    std::uint64_t steps = 0, bytes = 0;
  };
  std::vector<Engine> engines;  // those that did something
  // What was going on: the time splits into these.
  double copies_alone = 0, kernels_alone = 0, both = 0, neither = 0;
  double limit_ns = 0;  // of the busiest engine: no order of the same steps takes less
  // The same program, if …
  struct WhatIf {
    std::string what;  // "all host memory were pinned"
    double ns = 0;
  };
  std::vector<WhatIf> what_ifs;
  std::vector<std::string> notes;
};

}  // namespace warpmem
