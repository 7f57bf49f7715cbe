// The L2 behind SMs that are shared out: serves what they asked for in a batch of steps, on all
// threads, parts of its sets in parallel (model/l2/split_l2.hpp).
#pragma once

#include <cstdint>

#include "base/step_barrier.hpp"
#include "model/l2/split_l2.hpp"
#include "sim/counts/sm_shares.hpp"

namespace warpmem::sim {

class SharedL2 {
 public:
  SharedL2(const ManySms& what, SmShares& shares);

  // Where all threads meet.
  StepBarrier& barrier() { return barrier_; }
  // For requests that are served at once, one after the other.
  model::SplitL2& at_once() { return l2_; }
  // By each thread, behind a meeting of all of them. False: not all of the batch at once.
  bool serve(unsigned number, std::uint64_t batch);
  // By one thread, behind the next meeting.
  void end_serving();

  std::uint64_t cut() const { return cut_; }  // batches of which one thread served a part
  model::L2Counters counted() const { return l2_.counted(); }

 private:
  static std::vector<model::L2Requests*> requests_of(SmShares& shares);

  SmShares& shares_;
  model::SplitL2 l2_;
  StepBarrier barrier_;
  std::uint64_t next_free_ = 0;  // SplitL2::free() of the next batch, if it is known already
  bool free_known_ = false;
  std::uint64_t cut_ = 0;
};

}  // namespace warpmem::sim
