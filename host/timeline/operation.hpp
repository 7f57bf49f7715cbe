// What a program asks of a GPU from the host, one step after the other: copies, fills, kernels,
// host functions, events, and what the host waits for. Streams are already translated: each step
// names the earlier steps that it has to follow.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmem::host {

enum class Step : std::uint8_t {
  kCopy,
  kFill,  // cudaMemset
  kKernel,
  kHostFunction,  // cudaLaunchHostFunc
  kMark,          // an event: done when what it follows is done
  kWait,          // the host waits for what it follows
};
// Where one side of a copy lies.
enum class Place : std::uint8_t { kDevice, kPinned, kWriteCombined, kPageable, kManaged };

struct Operation {
  Step step = Step::kMark;
  Place from = Place::kDevice, to = Place::kDevice;
  std::uint64_t bytes = 0;   // of a copy or a fill
  std::uint64_t rows = 1;    // it is made of so many pieces with gaps between them
  std::uint64_t stream = 0;  // for the reader: what orders steps is `after`
  std::uint32_t launch = 0;  // a kernel's number among the program's launches
  double alone_ns = 0;       // a kernel or a host function that has the GPU or the host to itself
  double share = 1;          // of the GPU's room for CTAs that a kernel can fill, (0, 1]
  bool called = true;        // by a call of its own: a node of a graph is not
  std::vector<std::uint32_t> after{};  // numbers of earlier steps, in any order

  bool operator==(const Operation&) const = default;
};

}  // namespace warpmem::host
