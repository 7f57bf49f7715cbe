// What threads report to each other of a batch of steps before they meet. Each writes its own line
// of the host's cache; one for even batches, one for odd ones, so that a thread that is ahead by a
// meeting writes over nothing that others still read.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace warpmem::sim {

struct alignas(64) BatchReport {
  std::uint64_t work = 0, requests = 0, ended = 0, records = 0, idle_since = 0;
  bool late = false, idle = false, failed = false, stops = false, busy = false;
};

class BatchReports {
 public:
  explicit BatchReports(std::size_t threads) : reports_(threads), ended_(threads) {}

  BatchReport& of(unsigned number, std::uint64_t batch) { return reports_[number][batch % 2]; }
  // Of all threads together.
  BatchReport all(std::uint64_t batch) const {
    BatchReport all;
    all.idle = true;
    for (const auto& by : reports_) {
      const BatchReport& one = by[batch % 2];
      all.work += one.work, all.requests += one.requests, all.records += one.records;
      all.ended += one.ended;
      all.idle_since = std::max(all.idle_since, one.idle_since);
      all.late |= one.late, all.idle &= one.idle, all.busy |= one.busy;
      all.failed |= one.failed, all.stops |= one.stops;
    }
    return all;
  }

  // CTAs that ended in a step, where others wait for their room; steps like batches.
  std::uint64_t& ended(unsigned number, std::uint64_t step) {
    return ended_[number].ctas[step % 2];
  }
  struct Ended {
    std::uint64_t before, all;  // of the threads before this one, of all
  };
  Ended ended_before(unsigned number, std::uint64_t step) const {
    Ended out{};
    for (unsigned t = 0; t < ended_.size(); ++t) {
      if (t == number) out.before = out.all;
      out.all += ended_[t].ctas[step % 2];
    }
    return out;
  }

 private:
  struct alignas(64) OfStep {
    std::uint64_t ctas[2] = {};
  };
  std::vector<std::array<BatchReport, 2>> reports_;  // by thread
  std::vector<OfStep> ended_;
};

}  // namespace warpmem::sim
