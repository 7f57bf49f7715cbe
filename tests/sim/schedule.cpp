// The clock, barriers and their ends: what the fixed order between warps does to the counters.
#include "tests/catch.hpp"
#include "tests/sim/support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

// base = barrier, stride = threads expected (0: all).
Record barrier(std::uint32_t site, std::uint64_t index, std::int32_t threads = 0) {
  return regular(site, index, threads);
}

struct Outcome {
  std::uint64_t hits = 0;
  std::vector<std::string> notes;
  std::uint64_t records = 0;
};

Outcome run(const Kernel& k) {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {k});
  const auto reader = open(folder.file("t.wmt"));
  const auto result = must(sim::replay(reader, h200()));
  return {result.details[0].counters.global_ld.hits, result.details[0].notes,
          result.details[0].counters.records};
}

bool forced(const Outcome& o) {
  for (const std::string& n : o.notes)
    if (n.find("barriers opened by force") != std::string::npos) return true;
  return false;
}

// Warp 1 loads a line, takes it out of the L1 again by a reduction, and only then reaches the
// barrier that `waits` make the others stand at before they load the same line. No load hits unless
// somebody passed the barrier too early.
Kernel meeting(std::uint32_t warps,
               std::function<std::vector<Record>(std::uint32_t warp, std::uint32_t site)> waits) {
  Kernel k = kernel(1, warps * 32);
  const auto ld = k.site(Op::kLoad, Space::kGlobal, 4),
             red = k.site(Op::kReduction, Space::kGlobal, 4);
  const auto bar = k.site(Op::kBarrier, Space::kNone, 0);
  k.fill = [=](Warp& w) {
    if (w.warp == 1) {
      w.records = {regular(ld, kA, 4), regular(ld, kB, 4), regular(red, kA, 4)};
      for (const Record& r : waits(w.warp, bar)) w.records.push_back(r);
      return;
    }
    w.records = waits(w.warp, bar);
    if (w.warp == 0) w.records.push_back(regular(ld, kA, 4));
  };
  return k;
}

}  // namespace

TEST_CASE("no warp passes a barrier before all have reached it") {
  const auto all = run(
      meeting(4, [](std::uint32_t, std::uint32_t bar) { return std::vector{barrier(bar, 0)}; }));
  CHECK(all.hits == 0);
  CHECK_FALSE(forced(all));
  const auto none =
      run(meeting(4, [](std::uint32_t, std::uint32_t) { return std::vector<Record>{}; }));
  CHECK(none.hits == 4);  // the test can tell
}

TEST_CASE("barriers with other names do not wait for each other") {
  // Warps 0 and 1 meet at barrier 3, warps 2 and 3 at barrier 5: 64 threads each.
  const auto o = run(meeting(4, [](std::uint32_t warp, std::uint32_t bar) {
    return std::vector{barrier(bar, warp < 2 ? 3 : 5, 64)};
  }));
  CHECK(o.hits == 0);
  CHECK_FALSE(forced(o));
}

TEST_CASE("a barrier that counts threads opens when so many are there") {
  // Warps 2 and 3 never come.
  const auto o = run(meeting(4, [](std::uint32_t warp, std::uint32_t bar) {
    return warp < 2 ? std::vector{barrier(bar, 1, 64)} : std::vector<Record>{};
  }));
  CHECK(o.hits == 0);
  CHECK_FALSE(forced(o));
}

TEST_CASE("warps that have ended are not waited for") {
  // Warps 2 and 3 end at once; a barrier of all waits for the two that are left.
  const auto o = run(meeting(4, [](std::uint32_t warp, std::uint32_t bar) {
    return warp < 2 ? std::vector{barrier(bar, 0), barrier(bar, 0)} : std::vector<Record>{};
  }));
  CHECK(o.hits == 0);
  CHECK_FALSE(forced(o));
}

TEST_CASE("a barrier can be used again and again") {
  Kernel k = kernel(3, 128);
  const auto ld = k.site(Op::kLoad, Space::kGlobal, 4), bar = k.site(Op::kBarrier, Space::kNone, 0);
  k.fill = [&](Warp& w) {
    for (std::uint64_t i = 0; i < 50; ++i) {
      if (i % 4 == w.warp) w.records.push_back(regular(ld, kA + i * 128, 4));
      w.records.push_back(barrier(bar, i % 16));
    }
  };
  const auto o = run(k);
  CHECK_FALSE(forced(o));
  CHECK(o.records == 3 * (4 * 50 + 50));
}

TEST_CASE("a trace that leaves warps at different barriers ends, and says so") {
  const auto o = run(meeting(2, [](std::uint32_t warp, std::uint32_t bar) {
    return std::vector{barrier(bar, warp), barrier(bar, 7)};
  }));
  CHECK(forced(o));
  CHECK(o.notes.back().find("CTA 0 on SM 124: of 2 warps 1 at barrier 0, 1 at barrier 1") !=
        std::string::npos);
  CHECK(o.records == 3 + 2 + 2 + 1);
}

TEST_CASE("a barrier that expects more threads than the CTA has left opens all the same") {
  const auto o = run(meeting(
      2, [](std::uint32_t, std::uint32_t bar) { return std::vector{barrier(bar, 0, 1024)}; }));
  CHECK(o.hits == 0);
  CHECK_FALSE(forced(o));
}

TEST_CASE("reads of one line by the SMs of a GPC at one time share requests, far apart none") {
  // One CTA an SM; all read the same line first. In the second kernel each CTA reads lines of its
  // own, as many as its number, before that.
  auto card = h200();
  for (const char* each : {"launch.sm_millicycles", "launch.sm_warp_millicycles"})
    REQUIRE(card.set(each, "0").ok());
  for (bool together : {true, false}) {
    Kernel k = kernel(132, 32);
    const auto ld = k.site(Op::kLoad, Space::kGlobal, 4);
    k.fill = [&](Warp& w) {
      for (std::uint64_t i = 0; !together && i < w.cta; ++i)
        w.records.push_back(regular(ld, kB + (w.cta * 256 + i) * 128, 4));
      w.records.push_back(regular(ld, kA, 4));
    };
    const auto c = count(k, card);
    CHECK(c.l2.read + c.l2.merged == c.l1_fill_sectors);
    if (together) CHECK(c.l2.merged >= 132 * 4 / 2);
    else CHECK(c.l2.merged <= 132 * 4 / 5);
  }
}

TEST_CASE("CTAs beyond what fits wait for room, and all run") {
  Kernel k = kernel(132 * 2 + 5, 1024);
  k.launch.dynamic_shared = 200 * 1024;  // one CTA an SM
  const auto ld = k.site(Op::kLoad, Space::kGlobal, 4);
  k.fill = [&](Warp& w) { w.records = {regular(ld, kA, 4)}; };
  const auto c = count(k);
  CHECK(c.global_ld.requests == (132 * 2 + 5) * 32);
  CHECK(c.l1_fill_sectors == 132 * 4);  // each SM brings the line once; later CTAs find it
}
