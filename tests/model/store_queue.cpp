// Stores that wait to leave an SM: which join, which are sent on their own, who has to wait.
#include "model/cache/store_queue.hpp"

#include <algorithm>
#include <deque>
#include <random>

#include "tests/catch.hpp"

using warpmem::model::StoreQueue;

namespace {
constexpr std::uint32_t kEntries = 24, kDelay = 8;
}

TEST_CASE("a store joins the line that waits, and only its new sectors are sent") {
  StoreQueue q(kEntries, kDelay);
  CHECK(q.take(7, 0b0011, 100, 110).opens);
  const auto joins = q.take(7, 0b0110, 105, 115);
  CHECK_FALSE(joins.opens);
  CHECK(joins.again == 0b0010);
  CHECK(joins.at == 105);
  // What joined waits too.
  CHECK(q.take(7, 0b0100, 110, 116).again == 0b0100);
  // Other lines do not join.
  CHECK(q.take(8, 0b0011, 110, 117).opens);
}

TEST_CASE("a line waits until its last data has passed, and a little longer") {
  for (std::uint64_t later : {0, 1, 7, 8, 9, 50}) {
    StoreQueue q(kEntries, kDelay);
    q.take(7, 1, 100, 110);
    CHECK(q.take(7, 1, 110 + later, 120 + later).opens == (later >= kDelay));
  }
  // Each that joins keeps it; one look at the tags behind slow data joins, however long that takes.
  StoreQueue q(kEntries, kDelay);
  q.take(7, 1, 100, 400);
  CHECK_FALSE(q.take(7, 2, 399, 800).opens);
  CHECK_FALSE(q.take(7, 4, 807, 810).opens);
  CHECK(q.take(7, 8, 818, 820).opens);
}

TEST_CASE("a full queue lets the oldest line go first") {
  StoreQueue q(kEntries, kDelay);
  for (std::uint64_t line = 0; line < kEntries; ++line)
    CHECK(q.take(line, 1, line, 1000 + line).at == line);
  // Its data comes at 1000: it leaves at 1008.
  const auto next = q.take(99, 1, 30, 1050);
  CHECK(next.opens);
  CHECK(next.at == 1000 + kDelay);
  // It is gone; those behind it are still there.
  CHECK_FALSE(q.take(1, 1, 31, 1060).opens);
  CHECK(q.take(0, 1, 32, 1070).opens);
}

TEST_CASE("a line whose port is busy stays for others to join") {
  StoreQueue q(kEntries, kDelay);
  q.take(7, 1, 100, 101);
  q.keep_until(500);
  CHECK_FALSE(q.take(7, 2, 499, 500).opens);
  q.take(8, 1, 500, 501);
  CHECK(q.take(8, 1, 509, 511).opens);
}

// The queue as its header says it, looked at from end to end each time.
namespace {

struct EagerQueue {
  struct Entry {
    std::uint64_t line, until;
    std::uint8_t sectors;
  };
  std::uint32_t entries, delay;
  std::deque<Entry> waiting{};
  Entry* latest = nullptr;

  StoreQueue::Taken take(std::uint64_t line, std::uint8_t sectors, std::uint64_t tags,
                         std::uint64_t data) {
    while (!waiting.empty() && waiting.front().until <= tags) waiting.pop_front();
    for (Entry& e : waiting) {
      if (e.line != line || e.until <= tags) continue;
      const auto again = static_cast<std::uint8_t>(e.sectors & sectors);
      e.sectors = static_cast<std::uint8_t>(e.sectors | sectors);
      e.until = std::max(e.until, data + delay);
      latest = &e;
      return {again, false, tags};
    }
    std::uint64_t at = tags;
    if (waiting.size() == entries) {
      at = std::max(at, waiting.front().until);
      waiting.pop_front();
    }
    waiting.push_back({line, std::max(at, data) + delay, sectors});
    latest = &waiting.back();
    return {0, true, at};
  }
  void keep_until(std::uint64_t cycle) { latest->until = std::max(latest->until, cycle); }
};

}  // namespace

TEST_CASE("a store queue that lets go of lines late says what one says that does so at once") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 300; ++round) {
    const auto entries = static_cast<std::uint32_t>(1 + random() % 24);
    const auto delay = static_cast<std::uint32_t>(random() % 10);
    StoreQueue queue(entries, delay);
    EagerQueue eager{entries, delay};
    std::uint64_t now = 0;
    for (int i = 0; i < 400; ++i) {
      now += random() % 6;
      // Tags may be looked up before those of an earlier store, and data come before or after.
      const std::uint64_t tags = round % 2 ? now : now + random() % 40;
      const std::uint64_t line = random() % (1 + random() % 60);
      const auto sectors = static_cast<std::uint8_t>(1 + random() % 15);
      const std::uint64_t data = now + random() % 12;
      const StoreQueue::Taken a = queue.take(line, sectors, tags, data),
                              b = eager.take(line, sectors, tags, data);
      REQUIRE((a.again == b.again && a.opens == b.opens && a.at == b.at));
      if (random() % 4 == 0) {
        const std::uint64_t cycle = now + random() % 60;
        queue.keep_until(cycle);
        eager.keep_until(cycle);
      }
    }
  }
}
