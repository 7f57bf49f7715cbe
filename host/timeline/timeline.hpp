// When each step of a program runs: on the link's copy engines, on the SMs, on the host.
//
// Steps are added in the order in which the program issues them. The host's own clock goes on with
// each call, and stops at what it waits for. A step is ready when what it follows is done and the
// host has issued it. Then it runs where it belongs:
//   - a copy engine serves one copy at a time, in the order in which they became ready; each begins
//     with a fixed time, and then moves bytes at the rate that the link gives it, or the host where
//     memory is pageable;
//   - kernels that are ready share the SMs: who came first fills what it can, the next one what is
//     left, and each goes on at the share that it got of what it can fill;
//   - a host function runs on a thread of the driver, one at a time.
// Rates change only where a step begins or ends, so between two such times all goes on evenly.
//
// Invariants: the link carries at most spec.to_device and spec.to_host, and both together at most
// spec.both; a step begins after all that it follows has ended; the same steps give the same times.
//
// Leaves out: what kernels and copies take from each other of the GPU's own memory; priorities.
//
// Cost: each step costs a few operations for each step that runs beside it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "host/link/spec.hpp"
#include "host/timeline/operation.hpp"

namespace warpmem::host {

// Times in nanoseconds since the program's first step.
struct Span {
  double issued = 0;  // by the host
  double ready = 0;   // all that it follows is done
  double begin = 0, end = 0;
};

// Where a step runs: a row of the timeline.
enum class Engine : std::uint8_t { kToDevice, kToHost, kCompute, kHost, kNone };
const char* engine_name(Engine engine);
Engine engine_of(const LinkSpec& spec, const Operation& what);

class Timeline {
 public:
  explicit Timeline(const LinkSpec& spec) : spec_(spec) {}

  // Its number: 0, 1, … A step may follow steps of lower numbers alone.
  std::uint32_t add(const Operation& what);

  // All that has been issued runs to its end. The host's clock stays.
  void finish();
  double host_now() const { return host_; }
  // The host does something else for so long.
  void host_works(double ns);

  std::size_t size() const { return steps_.size(); }
  bool done(std::uint32_t step) const { return !active_.contains(step); }
  // Of a step that has not ended, as far as is known.
  const Span& span(std::uint32_t step) const { return steps_[step]; }
  // Whether it has ended on the host's clock.
  bool ended(std::uint32_t step);
  // The end of a step, for which all is run that has to be.
  double end_of(std::uint32_t step);

 private:
  struct Where {
    std::uint64_t stream;
    Engine engine;
  };
  struct Node {  // of a step that is not done
    Operation what;
    std::vector<std::uint32_t> followed_by;
    std::uint32_t missing = 0;  // steps before it that are not done
    double fixed = 0;           // ns before it moves anything
    double work = 0;            // bytes, or ns of a kernel or a host function
    double rate = 0;            // of `work` a nanosecond
  };
  struct Waiting {  // until it is ready
    double at;
    std::uint32_t step;
    bool operator>(const Waiting& o) const { return at != o.at ? at > o.at : step > o.step; }
  };

  void run_until(double time);
  bool run_one(double limit);  // to the next time at which something begins or ends; none: false
  void start_ready();
  void start(std::uint32_t step);
  void begin(std::uint32_t step);
  void finish_step(std::uint32_t step);
  void set_rates();
  double link_rate(const Operation& what) const;
  double piece_ns(const Operation& what) const;
  double fixed_time(std::uint32_t step);
  double gap(std::uint32_t before, std::uint32_t after) const;
  void wait_for(const std::vector<std::uint32_t>& steps);

  LinkSpec spec_;
  double now_ = 0;   // up to here all is known
  double host_ = 0;  // the host's clock, never before now_
  std::vector<Span> steps_;
  std::vector<Where> where_;
  std::unordered_map<std::uint32_t, Node> active_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  std::vector<std::uint32_t> queues_[5];       // of each engine, who is ready; the first runs
  std::optional<std::uint64_t> turned_to_[5];  // the stream of an engine's last step
};

}  // namespace warpmem::host
