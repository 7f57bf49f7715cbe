// The time engine's calendar: whose turn it is in a window, and in which order.
#include "sim/time/window_calendar.hpp"

#include <vector>

#include "tests/catch.hpp"

using warpmem::sim::WindowCalendar;
using Due = WindowCalendar::Due;

namespace {

struct Turn {
  std::uint32_t sm, slot;
  std::uint64_t cycle;
  bool operator==(const Turn&) const = default;
};

std::vector<Turn> window(WindowCalendar& calendar) {
  std::vector<Turn> out;
  for (const Due& d : calendar.begin_window()) out.push_back({d.sm, d.slot, d.cycle});
  calendar.end_window();
  return out;
}

}  // namespace

TEST_CASE("warps of a window go SM by SM, an SM's by cycle and then by slot") {
  WindowCalendar calendar(3);
  calendar.add(2, 0, 17);
  calendar.add(0, 9, 20);
  calendar.add(0, 3, 20);
  calendar.add(0, 63, 16);
  CHECK(window(calendar).empty());
  CHECK(window(calendar) == std::vector<Turn>{{0, 63, 16}, {0, 3, 20}, {0, 9, 20}, {2, 0, 17}});
  CHECK(calendar.empty());
}

TEST_CASE("nobody comes due in the window at hand, but for those that do once more") {
  WindowCalendar calendar(1);
  calendar.add(0, 5, 3);  // this one has begun: the next
  CHECK(window(calendar).empty());
  CHECK(calendar.begin_window().size() == 1);
  calendar.passed(1);
  CHECK(calendar.is_next(0, 31));
  calendar.add_again(0, 7, 28);
  calendar.add_again(0, 8, 25);
  calendar.add_again(0, 9, 32);  // beyond it
  CHECK_FALSE(calendar.is_next(0, 25));
  CHECK(calendar.is_next(0, 24));
  Due due;
  CHECK_FALSE(calendar.take_again(0, 25, due));
  REQUIRE(calendar.take_again(0, 26, due));
  CHECK(due.slot == 8);
  REQUIRE(calendar.take_again(WindowCalendar::kNoSm, 0, due));
  CHECK(due.slot == 7);
  CHECK_FALSE(calendar.take_again(WindowCalendar::kNoSm, 0, due));
  calendar.end_window();
  CHECK(window(calendar) == std::vector<Turn>{{0, 9, 32}});
}

TEST_CASE("what lies beyond the calendar comes when its time has, earlier ones before later") {
  WindowCalendar calendar(2);
  constexpr std::uint64_t kFar = WindowCalendar::kWindows * WindowCalendar::kWindow * 10;
  calendar.add(1, 1, kFar + 5);
  calendar.add(0, 2, kFar + 6);
  calendar.add(0, 1, 2 * kFar);
  std::vector<Turn> came;
  int windows = 0;
  for (; !calendar.empty() && windows < 10000; ++windows)
    for (const Turn& t : window(calendar)) came.push_back(t);
  CHECK(came == std::vector<Turn>{{0, 2, kFar + 6}, {1, 1, kFar + 5}, {0, 1, 2 * kFar}});
  CHECK(windows < 1000);  // windows with nobody in them are passed over
}
