// A launch that runs: its CTAs one after the other, some ahead of their turn, or all in turns.
#pragma once

#include "emulate/executor/cta_groups.hpp"

namespace warpmem::emulate {

class Execution {
 public:
  Execution(const Kernel& kernel, Memory& memory, const LaunchShape& shape,
            const RunOptions& options, Tracer* tracer, RunStatistics& statistics)
      : run_(kernel, memory, shape, options, tracer, statistics), groups_(run_) {}
  Result<void> run();

 private:
  Result<void> run_all();
  Result<void> run_in_order();

  Running run_;
  CtaGroups groups_;
};

}  // namespace warpmem::emulate
