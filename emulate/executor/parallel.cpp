// One launch on several threads: workers run CTAs ahead, this thread takes what they leave in order.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>

#include "emulate/executor/execution.hpp"
#include "emulate/ptx/special.hpp"
#include "emulate/executor/speculation.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint64_t kWorthIt = 1u << 21;  // warp instructions of a whole launch
constexpr std::uint64_t kAhead = 8;           // groups a worker may be ahead of what is taken

// What other CTAs could see by ways that are not watched, or that counts across CTAs.
bool stays_alone(const Kernel& kernel) {
  for (const auto& function : kernel.functions) {
    for (const Inst& in : function->code) {
      switch (in.kind) {
        case Kind::kTexture: case Kind::kTensorCopy: case Kind::kBulkCopy: case Kind::kClusterArrive: case Kind::kClusterWait: return false;
        case Kind::kCall:
          if (function->calls[in.extra].builtin) return false;
          break;
        case Kind::kSpecial: {
          const auto what = static_cast<Special>(in.sub);
          if (what == Special::kClock || what == Special::kClockHi || what == Special::kClock64 || what == Special::kTimer || what == Special::kTimerLo || what == Special::kTimerHi) return false;
          break;
        }
        case Kind::kAccess: {
          const Access& a = function->accesses[in.extra];
          const bool loads = a.op == trace::Op::kLoad || a.op == trace::Op::kStore || a.op == trace::Op::kPrefetch;
          if (a.space != Space::kShared && a.space != Space::kLocal && (!loads || a.waits)) return false;
          break;
        }
        default: break;
      }
    }
  }
  return true;
}

struct Outcome {
  bool ready = false;
  RunStatistics statistics;
  Speculation::Log log;
  std::optional<Tracer> records;
  std::vector<std::uint64_t> entered;  // Execution::entered_
};

}  // namespace

// Runs groups from `first` on; returns the first one that has to run in order (all done: the end).
Result<std::uint64_t> Execution::run_ahead(std::uint64_t first) {
  static std::mutex only;
  static std::unique_ptr<Speculation> speculation;
  const std::unique_lock lock(only, std::try_to_lock);
  if (!lock) return first;
  if (!speculation) speculation = Speculation::create();
  if (!speculation) return first;
  Speculation& s = *speculation;
  const std::uint64_t window = kAhead * options_.threads;
  s.begin(groups_, first, window);

  std::vector<Outcome> outcomes(window);  // by group, a ring: a grid may have billions
  const auto outcome_of = [&](std::uint64_t group) -> Outcome& { return outcomes[group % window]; };
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t next = first, head = first;
  std::atomic<bool> stop{false};
  const auto work = [&] {
    RunOptions options;
    RunStatistics statistics;
    Execution execution(kernel_, memory_, shape_, options, nullptr, statistics);
    execution.speculation_ = &s;
    execution.stop_ = &stop;
    while (true) {
      std::uint64_t group;
      {
        std::unique_lock l(mutex);
        changed.wait(l, [&] { return stop || next >= groups_ || next < head + window; });
        if (stop || next >= groups_) return;
        group = next++;
      }
      Outcome& out = outcome_of(group);
      statistics = {};
      if (tracer_) out.records.emplace(tracer_->collector());
      bool good = false;
      try {
        good = execution.run_alone(group, out.records ? &*out.records : nullptr, out.log);
      } catch (const Conflict&) {
      } catch (const Fault&) {  // in order it may not happen, and if it does it is told there
      }
      if (good) s.finish(group);
      const std::lock_guard l(mutex);
      if (good) {
        out.statistics = statistics;
        out.entered = std::move(execution.entered_);
        out.ready = true;
      } else {
        stop = true;
      }
      changed.notify_all();
    }
  };
  const auto work_or_stop = [&] {
    try {
      work();
    } catch (const std::bad_alloc&) {  // in order it takes less
      const std::lock_guard l(mutex);
      stop = true;
      changed.notify_all();
    }
  };
  std::vector<std::thread> workers;
  try {
    for (std::uint32_t i = 0; i < options_.threads; ++i) workers.emplace_back(work_or_stop);
  } catch (const std::system_error&) {  // fewer do it too; with none, all runs in order
    const std::lock_guard l(mutex);
    if (workers.empty()) stop = true;
  }
  Result<void> taken;
  while (true) {
    {
      std::unique_lock l(mutex);
      changed.wait(l, [&] { return head >= groups_ || outcome_of(head).ready || stop; });
      if (head >= groups_ || !outcome_of(head).ready) break;
    }
    Outcome& out = outcome_of(head);
    if (tracer_) taken = tracer_->take(*out.records);
    stats_.warp_instructions += out.statistics.warp_instructions;
    stats_.thread_instructions += out.statistics.thread_instructions;
    stats_.ctas += out.statistics.ctas;
    add_times(out.entered);
    out.records.reset();
    out.entered = {};
    out.log = {};
    out.ready = false;
    s.pass(head);
    const std::lock_guard l(mutex);
    ++head;
    if (!taken || (options_.interrupted && options_.interrupted())) stop = true;
    changed.notify_all();
    if (stop && !taken) break;
    if (options_.progress) options_.progress(stats_.ctas, groups_ * cluster_size_);
  }
  {
    const std::lock_guard l(mutex);
    stop = true;
    changed.notify_all();
  }
  for (std::thread& t : workers) t.join();
  if (head < groups_) ++kernel_.conflicts;
  for (std::uint64_t g = next; g-- > head;) Speculation::take_back(memory_, outcome_of(g).log);
  s.end();
  if (!taken) return taken.error();
  return head;
}

// One group by itself; false: it may be waiting for another.
bool Execution::run_alone(std::uint64_t number, Tracer* tracer, Speculation::Log& log) {
  tracer_ = tracer;
  back_edges_ = tracer ? tracer->back_edges() : nullptr;
  told_ = tracer ? tracer->told() : nullptr;
  begin_times();
  log_ = &log;
  number_ = number;
  active_.clear();
  start_group(number);
  if (!run_group(active_.back(), kGroupSlice)) return false;
  end_group(active_.back());
  spare_.push_back(std::move(active_.back()));
  active_.clear();
  return true;
}

std::uint32_t threads_for(std::uint64_t asked) {
  const std::uint64_t all = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(asked ? asked : all, kMostThreads));
}

bool Execution::worth_running_ahead() const {
  constexpr std::uint32_t kTries = 2;
  return options_.threads > 1 && groups_ < Speculation::kMostGroups && !options_.report && kernel_.conflicts < kTries && !shape_.cooperative && cluster_size_ == 1 && options_.max_instructions == 0 && stats_.ctas > 0 &&
         stats_.warp_instructions / stats_.ctas * groups_ > kWorthIt && (!tracer_ || tracer_->takes_all()) && stays_alone(kernel_);
}

}  // namespace warpmem::emulate
