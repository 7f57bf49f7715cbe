// An SM's stores on their way from the L1 to the L2. A store's tags are looked up ahead of its
// data: from that moment until the data of the line has passed the data stage, further stores to
// the line, of any warp, are written into it and leave with it.
//
// Model: so many lines wait, first come, first gone. A store to a line that waits joins it and
// keeps it `delay` cycles beyond its own data; one that finds the queue full enters when the oldest
// line has left.
//
// Source: kernels/micro/store_queue.cu on an H200 (model/gpus/h200/store_queue.csv): stores to one
// line merge 16 lines apart and not 32 apart, however the data stage is slowed by lane width; two
// of one warp merge as those of two warps do.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace warpmem::model {

class StoreQueue {
 public:
  static constexpr std::uint32_t kMost = 64;  // lines

  StoreQueue() = default;
  StoreQueue(std::uint32_t entries, std::uint32_t delay)
      : entries_(std::clamp(entries, 1u, kMost)), delay_(delay) {}

  struct Taken {
    std::uint8_t again = 0;  // sectors that wait already: not sent a second time
    bool opens = true;       // a request of its own
    std::uint64_t at = 0;    // cycle in which it has entered
  };
  // A store whose tags are looked up in cycle `tags` and whose data is there in cycle `data`.
  Taken take(std::uint64_t line, std::uint8_t sectors, std::uint64_t tags, std::uint64_t data) {
    while (count_ > 0 && waiting_[first_].until <= tags) pop();
    for (std::uint32_t i = 0; i < count_; ++i) {
      Entry& e = waiting_[(first_ + i) % kMost];
      if (e.line != line || e.until <= tags) continue;
      const auto again = static_cast<std::uint8_t>(e.sectors & sectors);
      e.sectors = static_cast<std::uint8_t>(e.sectors | sectors);
      e.until = std::max(e.until, data + delay_);
      latest_ = (first_ + i) % kMost;
      return {again, false, tags};
    }
    std::uint64_t at = tags;
    if (count_ == entries_) {
      at = std::max(at, waiting_[first_].until);
      pop();
    }
    latest_ = (first_ + count_++) % kMost;
    waiting_[latest_] = {line, std::max(at, data) + delay_, sectors};
    return {0, true, at};
  }

  // The line that take() spoke of last cannot leave before this cycle.
  void keep_until(std::uint64_t cycle) {
    waiting_[latest_].until = std::max(waiting_[latest_].until, cycle);
  }

 private:
  struct Entry {
    std::uint64_t line = 0;
    std::uint64_t until = 0;  // cycle in which it leaves
    std::uint8_t sectors = 0;
  };
  void pop() {
    first_ = (first_ + 1) % kMost;
    --count_;
  }

  std::array<Entry, kMost> waiting_{};
  std::uint32_t first_ = 0, count_ = 0, latest_ = 0;
  std::uint32_t entries_ = 24, delay_ = 8;
};

}  // namespace warpmem::model
