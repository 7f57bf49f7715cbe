// A barrier for threads that meet very often, some microseconds apart: they look for each other
// instead of going to sleep, and let others of the host go first when that takes long.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

namespace warpmem {

class StepBarrier {
 public:
  explicit StepBarrier(unsigned threads) : threads_(threads), flags_(new Flag[threads]) {}

  // Thread `number` has come to the next meeting; returns when all have. `patient`: that may take
  // long and says nothing about the host.
  void meet(unsigned number, bool patient = false) {
    // Each tells one that is twice as far as in the round before; after as many rounds as it takes
    // all have heard of all.
    for (unsigned far = 1; far < threads_; far *= 2) {
      Flag& mine = flags_[number];
      mine.round.store(++mine.count, std::memory_order_release);
      const unsigned other = (number + threads_ - far) % threads_;
      wait(flags_[other].round, mine, patient);
    }
  }
  // Of thread `number`, by itself: whether it has waited so long so often that there seem to be
  // fewer free processors than threads.
  bool busy(unsigned number) const { return flags_[number].long_waits >= kMostLong; }
  // … which is to be found out anew. By thread `number` itself: it counts its waits after the
  // others have seen it come.
  void forget(unsigned number) { flags_[number].long_waits = 0; }

 private:
  struct alignas(64) Flag {
    std::atomic<std::uint64_t> round{0};
    // Its owner's:
    std::uint64_t count = 0;
    int long_waits = 0;  // of late
  };
  static constexpr int kLooks = 16384, kFewLooks = 64;  // before others may go first
  static constexpr int kMostLong = 256, kForgets = 64;

  // On a host that is busy otherwise, whoever is waited for may not be running at all: where that
  // was so of late, the one that waits makes room soon.
  static void wait(const std::atomic<std::uint64_t>& flag, Flag& mine, bool patient) {
    const int most = mine.long_waits >= kMostLong / 4 ? kFewLooks : kLooks;
    int looks = 0;
    while (flag.load(std::memory_order_acquire) < mine.count) {
      if (++looks <= most) relax();
      else std::this_thread::yield();
    }
    if (patient) return;
    if (looks > most) mine.long_waits = std::min(mine.long_waits + kForgets / 8, kMostLong);
    else if (mine.long_waits > 0 && mine.count % (kForgets / 8) == 0) --mine.long_waits;
  }
  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }

  unsigned threads_;
  std::unique_ptr<Flag[]> flags_;
};

}  // namespace warpmem
