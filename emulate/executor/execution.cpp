#include "emulate/executor/execution.hpp"

#include <algorithm>
#include <cstring>

#include "emulate/executor/faults.hpp"
#include "emulate/executor/machine_kernel.hpp"
#include "emulate/executor/run_ahead.hpp"
#include "emulate/executor/turns.hpp"

namespace warpmem::emulate {

Running::Running(const Kernel& of, Memory& in, const LaunchShape& as, const RunOptions& asked,
                 Tracer* to, RunStatistics& counted)
    : kernel(of), memory(in), shape(as), options(asked), tracer(to), statistics(counted) {
  threads = shape.block[0] * shape.block[1] * shape.block[2];
  warps = (threads + 31) / 32;
  cluster_size = shape.cluster[0] * shape.cluster[1] * shape.cluster[2];
  shared_bytes = kernel.static_shared;
  if (shape.dynamic_shared) shared_bytes = kernel.dynamic_shared_at + shape.dynamic_shared;
  if (kernel.reserves_shared) shared_bytes = (shared_bytes + 15) / 16 * 16 + kReservedShared;
  groups = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2] / cluster_size;
}

Result<void> Execution::run() {
  Memory& memory = run_.memory;
  const std::vector<std::byte>& params = run_.shape.params;
  if (!params.empty())
    std::memcpy(memory.host(memory.param_base()), params.data(),
                std::min<std::size_t>(params.size(), kParamBytes));
  std::memset(memory.host(memory.barrier_base()), 0, kGridBarrierBytes);
  memory.set_param_bytes(run_.kernel.param_bytes);
  run_.turns = takes_turns(run_);
  auto result = run_all();
  groups_.units().recorder.end();
  return result;
}

Result<void> Execution::run_all() {
  try {
    if (run_.turns) run_in_turns(run_, groups_);
    else if (auto ok = run_in_order(); !ok) return ok;
  } catch (Fault& fault) {
    if (run_.tracer) {
      if (auto ok = run_.tracer->finish(); !ok) return ok;
    }
    if (run_.statistics.fault == FaultKind::kNone) run_.statistics.fault = FaultKind::kOther;
    return std::move(fault.error);
  }
  return run_.tracer ? run_.tracer->finish() : Result<void>{};
}

// One group after the other, unless one takes so long that it may be waiting for one that has not
// started.
Result<void> Execution::run_in_order() {
  std::deque<Group>& active = groups_.active();
  RunStatistics& done = run_.statistics;
  std::uint64_t next = 0;
  std::size_t turn = 0, wanted = 1;
  while (next < run_.groups || !active.empty()) {
    while (next < run_.groups && active.size() < wanted) groups_.start(next++);
    if (turn >= active.size()) turn = 0;
    if (!groups_.run(active[turn], kGroupSlice)) {
      if (wanted < kMostGroups) ++wanted;
      ++turn;
      continue;
    }
    groups_.end(active[turn]);
    groups_.retire(turn);
    if (active.empty()) wanted = 1;
    if (done.ctas == run_.cluster_size && active.empty() && next < run_.groups &&
        worth_running_ahead(run_)) {
      auto reached = run_ahead(run_, groups_.units().recorder, next);
      if (!reached) return reached.error();
      next = *reached;
    }
    if (run_.options.progress) run_.options.progress(done.ctas, run_.groups * run_.cluster_size);
  }
  return {};
}

Result<void> run_launch(const Kernel& kernel, Memory& memory, const LaunchShape& shape,
                        const RunOptions& options, Tracer* tracer, RunStatistics& statistics) {
  if (kernel.machine)
    if (auto ok = prepare_machine_launch(kernel, memory, shape); !ok) return ok;
  Execution execution(kernel, memory, shape, options, tracer, statistics);
  auto result = execution.run();
  if (tracer) statistics.memory_records = tracer->records();
  return result;
}

}  // namespace warpmem::emulate
