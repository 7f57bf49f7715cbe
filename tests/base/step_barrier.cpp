#include "base/step_barrier.hpp"

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/catch.hpp"

using namespace warpmem;

// What a thread sanitizer sees of it counts most: every value is plain memory.
TEST_CASE("threads that meet see what the others did before") {
  constexpr unsigned kThreads = 3;
  constexpr int kSteps = 400;
  StepBarrier barrier(kThreads);
  std::array<std::array<int, kThreads>, 2> told{};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int step = 1; step <= kSteps; ++step) {
        auto& now = told[static_cast<std::size_t>(step % 2)];
        now[t] = step;
        barrier.meet(t, step % 5 == 0);
        for (const int other : now)
          if (other != step) ++wrong;
        // As one that found its host busy does, while others may still be on their way out.
        if (barrier.busy(t) || step % 7 == 0) barrier.forget(t);
        if (step % 7 == 0 && barrier.busy(t)) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("one thread alone waits for nobody") {
  StepBarrier barrier(1);
  for (int i = 0; i < 1000; ++i) barrier.meet(0);
  CHECK_FALSE(barrier.busy(0));
}
