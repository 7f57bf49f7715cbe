// The SMs of a launch, shared out among threads: each has some of them in a row on the card's
// cta_order, with their L1s, and blocks of the trace.
#pragma once

#include <memory>
#include <vector>

#include "model/counters/launch_counters.hpp"
#include "model/l2/l2_requests.hpp"
#include "sim/counts/counted_sms.hpp"
#include "sim/counts/many_sms.hpp"
#include "sim/engine/barrier_waits.hpp"
#include "sim/engine/block_cache.hpp"

namespace warpmem::sim {

// What one thread has.
struct SmShare {
  using Part = CountedSms<model::PartMemory>;

  std::unique_ptr<model::PartMemory> memory;
  std::unique_ptr<BlockCache> cache;
  std::unique_ptr<Part> part;

  model::L2Requests& l2() const { return memory->l2(); }
};

class SmShares {
 public:
  explicit SmShares(const ManySms& what) : what_(what) {}
  // As many as there are threads, so that each has about as many of the CTAs that start on these
  // SMs.
  void make(const std::vector<int>& first);

  std::size_t size() const { return shares_.size(); }
  SmShare& operator[](std::size_t number) { return shares_[number]; }
  auto begin() { return shares_.begin(); }
  auto end() { return shares_.end(); }
  // By SM: the share that it is in.
  std::vector<SmShare*> by_sm();

  std::uint64_t records() const;
  bool idle() const;
  bool failed() const;
  Error failure() const;
  // Opens the barriers that nobody else reaches: a trace that was cut short, or filtered, can leave
  // warps there.
  Result<void> release_barriers(ForcedBarriers& forced);
  // What all of them counted; bytes that warps read for products and that are not counted yet.
  model::LaunchCounters counted(std::uint64_t& product_bytes) const;

 private:
  struct Range {
    std::size_t first = 0, end = 0;  // of the card's cta_order
  };
  std::vector<Range> ranges(const std::vector<int>& first) const;
  SmShare share_of(const Range& range) const;

  const ManySms& what_;
  std::vector<SmShare> shares_;
};

}  // namespace warpmem::sim
