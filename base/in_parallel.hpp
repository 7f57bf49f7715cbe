// Independent tasks on several threads. Tasks are begun in order and none after one has failed, so
// that the first failure, in their order, is the same on any number of threads. What a task throws
// is thrown again by in_parallel.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <vector>

namespace warpmem {

// `make_worker()` gives each thread what calls its tasks: worker(i) for an i below `count`, false
// when it failed. One thread: everything happens on the caller's.
template <class MakeWorker>
void in_parallel(std::size_t count, std::size_t threads, MakeWorker&& make_worker) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  const auto work = [&] {
    try {
      auto&& worker = make_worker();
      for (std::size_t i; !failed && (i = next++) < count;)
        if (!worker(i)) failed = true;
    } catch (...) {
      failed = true;
      throw;
    }
  };
  std::vector<std::future<void>> others;
  try {
    for (std::size_t t = 1; t < std::min(threads, count); ++t)
      others.push_back(std::async(std::launch::async, work));
  } catch (...) {  // the system allows no more threads: nobody works on for a run that has failed
    failed = true;
    throw;
  }
  work();
  for (std::future<void>& other : others) other.get();
}

}  // namespace warpmem
