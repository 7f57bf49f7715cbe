// What the points of a sweep replay. Most sweeps replay the same traces at each point; where a key
// changes the program (its block size, what it is compiled with), points with other values of it
// have other traces.
#pragma once

#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sim/engine/decoded_trace.hpp"
#include "sweep/machine.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sweep {

// Traces that are open, each decoded once for all replays.
class TraceSet {
 public:
  using Wanted = std::function<bool(std::uint64_t launch)>;

  explicit TraceSet(std::vector<trace::TraceReader> readers) : readers_(std::move(readers)) {}
  std::size_t size() const { return readers_.size(); }
  const trace::TraceReader& reader(std::size_t trace) const { return readers_.at(trace); }
  // Decodes the launches that `wanted` names (none: all), where they find room; before that, and
  // where they do not, replays decode for themselves. Only the first call does anything.
  Result<void> decode(std::size_t threads, const Wanted& wanted) const;
  const sim::DecodedTrace* decoded(std::size_t trace) const {
    return trace < decoded_.size() ? decoded_[trace].get() : nullptr;
  }

 private:
  std::vector<trace::TraceReader> readers_;
  mutable std::mutex decoding_;
  mutable bool tried_ = false;
  mutable std::vector<std::unique_ptr<sim::DecodedTrace>> decoded_;
};

// Gives points their traces. Those of one program are made once as long as points ask for them one
// after the other; may be used from several threads.
class TraceSource {
 public:
  using Traces = std::shared_ptr<const TraceSet>;
  // Makes the traces of a program, told the values of the keys that change it.
  using Make = std::function<Result<Traces>(const Changes& program)>;

  // `keys`: those that change the program. `kept`: programs whose traces stay when no point has
  // them.
  TraceSource(std::vector<std::string> keys, std::size_t kept, Make make)
      : keys_(std::move(keys)), kept_(kept), make_(std::move(make)) {}
  const std::vector<std::string>& keys() const { return keys_; }
  // The part of a point's values that changes its program.
  Changes program_of(const Changes& point) const;
  // kUsage: there is no such program.
  Result<Traces> of(const Changes& point);

 private:
  using Made = std::shared_future<Result<Traces>>;
  void forget_oldest();

  std::vector<std::string> keys_;
  std::size_t kept_;
  Make make_;
  std::mutex mutex_;
  std::map<Changes, Made> made_;
  std::list<Changes> used_;  // the latest first
};

}  // namespace warpmem::sweep
