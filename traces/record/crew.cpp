#include "traces/record/crew.hpp"

#include <pthread.h>

#include <chrono>

namespace warpmem::record {
namespace {

using Clock = std::chrono::steady_clock;

// A launch's end gives work twice, close together: sorting, then encoding.
constexpr auto kLinger = std::chrono::microseconds(100);

}  // namespace

SignalsBlocked::SignalsBlocked() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old_);
}
SignalsBlocked::~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &old_, nullptr); }

Crew::Crew(unsigned threads, const std::function<void()>& first) {
  const SignalsBlocked blocked;
  for (unsigned i = 0; i < threads; ++i) {
    threads_.emplace_back([this, first] {
      if (first) first();
      work();
    });
  }
}

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::help(Job& job) {
  for (std::size_t i; (i = job.next.fetch_add(1)) < job.count;) {
    (*job.action)(i);
    job.done.fetch_add(1, std::memory_order_release);
  }
}

void Crew::run(std::size_t count, const std::function<void(std::size_t)>& action) {
  const std::lock_guard turn(turn_);
  const auto job = std::make_shared<Job>();
  job->action = &action;
  job->count = count;
  if (count > 1 && !threads_.empty()) {
    {
      const std::lock_guard lock(mutex_);
      job_ = job;
      number_.fetch_add(1);
    }
    wake_.notify_all();
  }
  help(*job);
  for (unsigned spins = 0; job->done.load(std::memory_order_acquire) < count; ++spins) {
    pause_briefly();
    if (spins % 256 == 255) std::this_thread::yield();  // the others may need this core
  }
}

void Crew::work() {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return quit_ || number_.load() != seen; });
    if (quit_) return;
    while (number_.load() != seen) {
      seen = number_.load();
      const std::shared_ptr<Job> job = job_;
      lock.unlock();
      help(*job);
      for (const auto end = Clock::now() + kLinger; number_.load() == seen && Clock::now() < end;)
        pause_briefly();
      lock.lock();
    }
  }
}

}  // namespace warpmem::record
