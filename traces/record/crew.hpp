// Threads that stay, for the short work at the end of each launch: starting threads anew would take
// longer than the work, and each keeps its compressor. They block all signals, which are the
// program's.
#pragma once

#include <signal.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace warpmem::record {

class Crew {
 public:
  // Besides the thread that calls run(), so 0 is allowed. `first`: what each does when it starts.
  explicit Crew(unsigned threads, const std::function<void()>& first = {});
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // action(0) … action(count - 1), each once, on any of the threads; returns when all are done.
  // `action` throws nothing. Calls from several threads take turns.
  void run(std::size_t count, const std::function<void(std::size_t)>& action);

 private:
  // One call of run(): threads that come late see its end, not the next call's work.
  struct Job {
    const std::function<void(std::size_t)>* action = nullptr;
    std::size_t count = 0;
    std::atomic<std::size_t> next{0}, done{0};
  };
  void work();
  static void help(Job& job);

  std::mutex turn_;  // one run() at a time
  std::mutex mutex_;
  std::condition_variable wake_;
  std::shared_ptr<Job> job_;
  std::atomic<std::uint64_t> number_{0};  // of jobs so far
  bool quit_ = false;
  std::vector<std::thread> threads_;
};

// The program's signals stay with the program's threads: held while threads of ours are started.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t old_;
};

// Tells the core that this thread only waits.
inline void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace warpmem::record
