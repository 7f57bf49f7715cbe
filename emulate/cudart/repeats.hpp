// Equal launches in a row, as autotuners and benchmarks make them: which of them the trace has.
//
// Launches are equal that have the same kernel, geometry and arguments, and did the same: as many
// instructions, and accesses of the same addresses in the same order. The first is traced. The
// second is traced too, but only kept if it did something else, as launches of a search that goes
// on where it stopped do. Once two did the same the others are only counted; one of them that ran
// another number of instructions is told, and the next is traced again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "emulate/cudart/launch.hpp"

namespace warpmem::cudart {

enum class Tracing {
  kYes,
  kUnlessEqual,  // kept if it did not do what the launch before it did
  kNo,
};

class Repeats {
 public:
  using Limits = std::map<int, std::size_t>;  // cudaDeviceSetLimit's: they shape the replay

  // Of the next launch, where `most` of equal ones are wanted (0: all).
  Tracing plan(const KernelCall& next, const Limits& limits, std::uint64_t most) const;

  // It is in the trace; `same`: as the one before it.
  void traced(const KernelCall& call, const Limits& limits, std::uint64_t instructions, bool same);
  // It was compared, is equal, and is not in the trace.
  void confirmed() { confirmed_ = true; }
  // It was not traced: whether it ran as many instructions.
  bool counted(std::uint64_t instructions);
  // Something else came between.
  void end_row() { traced_ = 0; }

 private:
  bool in_row(const KernelCall& next, const Limits& limits) const;

  KernelCall call_;
  Limits limits_;
  std::uint64_t instructions_ = 0;
  std::uint64_t traced_ = 0;  // of this row; 0: there is none
  bool confirmed_ = false;    // two of the row did the same
};

}  // namespace warpmem::cudart
