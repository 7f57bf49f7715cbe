// An SM's stores in flight from the L1 to the L2. A store's tags are looked up ahead of its
// data: from that moment until the data of the line has passed the data stage, further stores to
// the line, of any warp, are written into it and leave with it.
//
// Model: so many lines wait, first come, first gone. A store to a line that waits joins it and
// keeps it `delay` cycles beyond its own data; one that finds the queue full enters when the oldest
// line has left.
//
// Source: kernels/micro/store_queue.cu on an H200 (cards/gpus/h200/store_queue.csv): stores to one
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
    // Lines that have left are let go when their room is needed: until then nobody meets them, but
    // for stores that look up their tags before an earlier one did.
    if (tags < newest_) [[unlikely]] {
      if (kept_) let_go(newest_);
      let_go(tags);
      kept_ = false;
    } else {
      newest_ = tags;
      kept_ = true;
    }
    std::uint8_t& alike = alike_[kind_of(line)];
    if (alike > 0) [[unlikely]]
      if (Entry* const e = find(line, tags)) {
        const auto again = static_cast<std::uint8_t>(e->sectors & sectors);
        e->sectors = static_cast<std::uint8_t>(e->sectors | sectors);
        e->until = std::max(e->until, data + delay_);
        latest_ = static_cast<std::uint32_t>(e - waiting_.data());
        return {again, false, tags};
      }
    std::uint64_t at = tags;
    if (count_ == entries_) [[unlikely]] {
      let_go(tags);
      kept_ = false;
      if (count_ == entries_) {
        at = std::max(at, waiting_[first_].until);
        pop();
      }
    }
    const std::uint64_t until = std::max(at, data) + delay_;
    // One that does not wait at all is not to go with those that had left when it came.
    if (kept_ && until <= newest_) [[unlikely]] {
      let_go(newest_);
      kept_ = false;
    }
    ++alike;
    ++count_;
    latest_ = next_;
    next_ = behind(next_);
    waiting_[latest_] = {line, until, sectors};
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
  // Places are taken by turns, no more of them than there are entries: they stay in the host's
  // cache.
  std::uint32_t behind(std::uint32_t place) const { return place + 1 == entries_ ? 0 : place + 1; }
  void pop() {
    --alike_[kind_of(waiting_[first_].line)];
    first_ = behind(first_);
    --count_;
  }
  // Those that have left by this cycle, first come, first gone.
  void let_go(std::uint64_t cycle) {
    while (count_ > 0 && waiting_[first_].until <= cycle) pop();
  }
  static std::uint32_t kind_of(std::uint64_t line) {
    return static_cast<std::uint32_t>(line) * 0x9e3779b1u >> (32 - kKindBits);
  }
  // The first of those with this line that still wait.
  [[gnu::noinline]] Entry* find(std::uint64_t line, std::uint64_t tags) {
    std::uint32_t place = first_;
    for (std::uint32_t i = 0; i < count_; ++i, place = behind(place))
      if (waiting_[place].line == line && waiting_[place].until > tags) return &waiting_[place];
    return nullptr;
  }

  static constexpr unsigned kKindBits = 8;
  std::array<Entry, kMost> waiting_{};
  // How many lines wait, by kind: mostly there is none to look for.
  std::array<std::uint8_t, 1u << kKindBits> alike_{};
  std::uint32_t first_ = 0, next_ = 0, count_ = 0, latest_ = 0;
  std::uint64_t newest_ = 0;  // the latest cycle in which tags were looked up
  bool kept_ = false;         // lines may be there that had left by then
  std::uint32_t entries_ = 24, delay_ = 8;
};

}  // namespace warpmem::model
