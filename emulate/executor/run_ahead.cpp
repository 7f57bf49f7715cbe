#include "emulate/executor/run_ahead.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>

#include "emulate/executor/cta_groups.hpp"
#include "emulate/executor/faults.hpp"
#include "emulate/executor/special.hpp"
#include "emulate/executor/speculation.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint64_t kWorthIt = 1u << 21;     // warp instructions of a whole launch
constexpr std::chrono::milliseconds kLook{200};  // at whether somebody wants it to end
constexpr std::uint64_t kAhead = 8;              // groups a worker may be ahead of what is taken

// What other CTAs could see by ways that are not watched, or that counts across CTAs.
bool stays_alone(const Kernel& kernel) {
  for (const auto& function : kernel.functions) {
    for (const Inst& in : function->code) {
      switch (in.kind) {
        case Kind::kTexture:
        case Kind::kTensorCopy:
        case Kind::kBulkCopy:
        case Kind::kClusterArrive:
        case Kind::kClusterWait: return false;
        case Kind::kCall:
          if (function->calls[in.extra].builtin) return false;
          break;
        case Kind::kSpecial: {
          const auto what = static_cast<Special>(in.sub);
          if (what == Special::kClock || what == Special::kClockHi || what == Special::kClock64 ||
              what == Special::kTimer || what == Special::kTimerLo || what == Special::kTimerHi)
            return false;
          break;
        }
        case Kind::kAccess: {
          const Access& a = function->accesses[in.extra];
          const bool loads =
              a.op == trace::Op::kLoad || a.op == trace::Op::kStore || a.op == trace::Op::kPrefetch;
          if (a.space != Space::kShared && a.space != Space::kLocal && (!loads || a.waits))
            return false;
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
  std::vector<std::uint64_t> entered;  // Recorder::entered
};

// What a worker runs groups with: its own units, and nothing that is the launch's.
class Worker {
 public:
  Worker(const Running& launch, Speculation& speculation, const std::atomic<bool>& stop)
      : run_(launch.kernel, launch.memory, launch.shape, options_, nullptr, statistics_),
        groups_(run_) {
    groups_.units().memory.watched_by(speculation);
    groups_.stop_when(stop);
  }
  // One group by itself; false: it may be waiting for another, or must not run ahead.
  bool run(std::uint64_t number, Outcome& out) {
    statistics_ = {};
    try {
      return run_alone(number, out);
    } catch (const Conflict&) {
    } catch (const Fault&) {  // in order it may not happen, and if it does it is told there
    }
    return false;
  }
  void give(Outcome& out) {
    out.statistics = statistics_;
    out.entered = groups_.units().recorder.take_entered();
    out.ready = true;
  }

 private:
  bool run_alone(std::uint64_t number, Outcome& out) {
    run_.tracer = out.records ? &*out.records : nullptr;
    groups_.units().recorder.begin();
    groups_.units().memory.log_to(out.log, number);
    groups_.active().clear();
    if (!groups_.run(groups_.start(number), kGroupSlice)) return false;
    groups_.end(groups_.active().back());
    groups_.retire(0);
    return true;
  }

  RunOptions options_;
  RunStatistics statistics_;
  Running run_;
  CtaGroups groups_;
};

// The workers and the ring of what they leave.
class Ahead {
 public:
  Ahead(Running& run, Recorder& recorder, Speculation& speculation, std::uint64_t first)
      : run_(run),
        recorder_(recorder),
        speculation_(speculation),
        window_(kAhead * run.options.threads),
        outcomes_(window_),
        next_(first),
        head_(first) {}

  Result<std::uint64_t> run() {
    speculation_.begin(run_.groups, head_, window_);
    start();
    const Result<void> taken = take_all();
    stop();
    for (std::thread& t : workers_) t.join();
    if (head_ < run_.groups) ++run_.kernel.conflicts;
    for (std::uint64_t g = next_; g-- > head_;)
      Speculation::take_back(run_.memory, outcome_of(g).log);
    speculation_.end();
    if (!taken) return taken.error();
    return head_;
  }

 private:
  Outcome& outcome_of(std::uint64_t group) { return outcomes_[group % window_]; }

  void stop() {
    const std::lock_guard l(mutex_);
    stop_ = true;
    changed_.notify_all();
  }

  void start() {
    try {
      for (std::uint32_t i = 0; i < run_.options.threads; ++i)
        workers_.emplace_back([this] { work_or_stop(); });
    } catch (const std::system_error&) {  // fewer do it too; with none, all runs in order
      const std::lock_guard l(mutex_);
      if (workers_.empty()) stop_ = true;
    }
  }

  void work_or_stop() {
    try {
      work();
    } catch (const std::bad_alloc&) {  // in order it takes less
      stop();
    }
  }

  // A group for a worker, once there is room in the ring.
  std::optional<std::uint64_t> next_group() {
    std::unique_lock l(mutex_);
    changed_.wait(l, [&] { return stop_ || next_ >= run_.groups || next_ < head_ + window_; });
    if (stop_ || next_ >= run_.groups) return std::nullopt;
    return next_++;
  }

  void work() {
    Worker worker(run_, speculation_, stop_);
    while (const auto group = next_group()) {
      Outcome& out = outcome_of(*group);
      if (run_.tracer) out.records.emplace(run_.tracer->collector());
      const bool good = worker.run(*group, out);
      if (good) speculation_.finish(*group);
      const std::lock_guard l(mutex_);
      if (good) worker.give(out);
      else stop_ = true;
      changed_.notify_all();
    }
  }

  // Waits for the next group in order; false: it has to run in order, or there is none.
  bool wait_for_head() {
    std::unique_lock l(mutex_);
    const auto come = [&] { return head_ >= run_.groups || outcome_of(head_).ready || stop_; };
    const RunOptions& options = run_.options;
    while (!changed_.wait_for(l, kLook, come))
      if (options.interrupted && options.interrupted()) return false;
    return head_ < run_.groups && outcome_of(head_).ready;
  }

  Result<void> take(Outcome& out) {
    Result<void> taken;
    if (run_.tracer) taken = run_.tracer->take(*out.records);
    run_.statistics.warp_instructions += out.statistics.warp_instructions;
    run_.statistics.thread_instructions += out.statistics.thread_instructions;
    run_.statistics.ctas += out.statistics.ctas;
    recorder_.add_entered(out.entered);
    out.records.reset();
    out.entered = {};
    out.log = {};
    out.ready = false;
    return taken;
  }

  Result<void> take_all() {
    const RunOptions& options = run_.options;
    while (wait_for_head()) {
      const Result<void> taken = take(outcome_of(head_));
      speculation_.pass(head_);
      const std::lock_guard l(mutex_);
      ++head_;
      if (!taken || (options.interrupted && options.interrupted())) stop_ = true;
      changed_.notify_all();
      if (!taken) return taken;
      if (options.progress) options.progress(run_.statistics.ctas, run_.groups * run_.cluster_size);
    }
    return {};
  }

  Running& run_;
  Recorder& recorder_;
  Speculation& speculation_;
  const std::uint64_t window_;
  std::vector<Outcome> outcomes_;  // by group, a ring: a grid may have billions
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_, head_;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> workers_;
};

}  // namespace

Result<std::uint64_t> run_ahead(Running& run, Recorder& recorder, std::uint64_t first) {
  static std::mutex only;
  static std::unique_ptr<Speculation> speculation;
  const std::unique_lock lock(only, std::try_to_lock);
  if (!lock) return first;
  if (!speculation) speculation = Speculation::create();
  if (!speculation) return first;
  return Ahead(run, recorder, *speculation, first).run();
}

std::uint32_t threads_for(std::uint64_t asked) {
  const std::uint64_t all = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(asked ? asked : all, kMostThreads));
}

bool worth_running_ahead(const Running& run) {
  constexpr std::uint32_t kTries = 2;
  const RunOptions& options = run.options;
  const RunStatistics& done = run.statistics;
  return options.threads > 1 && run.groups < Speculation::kMostGroups && !options.report &&
         run.kernel.conflicts < kTries && !run.shape.cooperative && run.cluster_size == 1 &&
         options.max_instructions == 0 && done.ctas > 0 &&
         done.warp_instructions / done.ctas * run.groups > kWorthIt &&
         (!run.tracer || run.tracer->takes_all()) && stays_alone(run.kernel);
}

}  // namespace warpmem::emulate
