// Threads that sleep until they are called, all together.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace warpmem::sim {

class CalledThreads {
 public:
  // `work(number)`: what each does when it is called; numbers go from 1 to below `end`.
  CalledThreads(unsigned end, std::function<void(unsigned)> work) : work_(std::move(work)) {
    for (unsigned t = 1; t < end; ++t) threads_.emplace_back([this, t] { run(t); });
  }
  ~CalledThreads() {
    ends_ = true;
    call();
    for (std::thread& t : threads_) t.join();
  }
  CalledThreads(const CalledThreads&) = delete;
  CalledThreads& operator=(const CalledThreads&) = delete;

  void call() {
    ++called_;
    called_.notify_all();
  }

 private:
  void run(unsigned number) {
    for (std::uint64_t call = 1;; ++call) {
      std::uint64_t seen = called_.load();
      while (seen < call) {
        called_.wait(seen);
        seen = called_.load();
      }
      if (ends_) return;
      work_(number);
    }
  }

  std::function<void(unsigned)> work_;
  std::atomic<std::uint64_t> called_{0};  // how often
  std::atomic<bool> ends_{false};
  std::vector<std::thread> threads_;
};

}  // namespace warpmem::sim
