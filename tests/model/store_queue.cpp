// Stores that wait to leave an SM: which join, which are sent on their own, who has to wait.
#include "model/store_queue.hpp"

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
