// Threads that stay: each piece of work is done once, whatever the number of threads and of calls.
#include "traces/record/crew.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "tests/catch.hpp"

using warpmem::record::Crew;

TEST_CASE("a crew does each piece once, call after call", "[record][crew]") {
  for (const unsigned threads : {0u, 1u, 4u}) {
    Crew crew(threads);
    for (int call = 0; call < 200; ++call) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(call % 7));
      crew.run(done.size(), [&](std::size_t i) { ++done[i]; });
      for (const auto& count : done) REQUIRE(count == 1);
    }
  }
}

TEST_CASE("calls from several threads take turns", "[record][crew]") {
  Crew crew(3);
  std::atomic<int> total{0};
  std::atomic<int> inside{0}, most{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int call = 0; call < 50; ++call) {
        std::atomic<int> mine{0};
        crew.run(5, [&](std::size_t) {
          const int now = ++inside;
          if (now > most) most = now;
          ++mine;
          ++total;
          --inside;
        });
        if (mine != 5) total = -1000000;  // returned too early
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(total == 4 * 50 * 5);
  CHECK(most <= 4);  // three threads and the caller whose turn it is
}

TEST_CASE("each of a crew's threads begins with what it was given", "[record][crew]") {
  std::atomic<int> began{0};
  {
    Crew crew(3, [&] { ++began; });
  }
  CHECK(began == 3);
}
