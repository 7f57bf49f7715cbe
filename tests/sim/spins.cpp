// Warps that wait for others by looking again and again: what is a look, and what a launch is
// without them.
#include "sim/engine/spins.hpp"
#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

constexpr std::uint64_t kFlag = kB;

// Each warp loads a line, looks at a flag `looks` times, by `text`, and stores a line.
Kernel waiting(std::uint64_t looks, const std::string& text, Op op = Op::kLoad) {
  Kernel k = kernel(4, 64);
  const auto load = k.site(Op::kLoad, Space::kGlobal, 4, "LDG.E R2, desc[UR4][R4.64] ;");
  const auto look = k.site(op, Space::kGlobal, 4, text);
  const auto store = k.site(Op::kStore, Space::kGlobal, 4, "STG.E desc[UR4][R6.64], R2 ;");
  k.fill = [=](Warp& w) {
    const std::uint64_t at = kA + (w.cta * 2 + w.warp) * 128;
    w.records.push_back(regular(load, at, 4));
    for (std::uint64_t n = 0; n < looks; ++n) w.records.push_back(regular(look, kFlag, 0));
    w.records.push_back(regular(store, at + 65536, 4));
  };
  return k;
}

constexpr const char* kVolatile = "LDG.E.STRONG.SYS R2, desc[UR4][R4.64] ;";

std::string notes(const sim::ReplayedLaunch& l) {
  std::string all;
  for (const std::string& n : l.notes) all += n + "\n";
  return all;
}

}  // namespace

TEST_CASE("spins: looks again are counted, and a launch is timed without them") {
  const auto card = h200();
  const auto spun = timed(waiting(400, kVolatile), card), once = timed(waiting(1, kVolatile), card);
  CHECK(spun.spinning.again == 8 * 399);
  REQUIRE(spun.spinning.cycles_without);
  CHECK(*spun.spinning.cycles_without == once.time->cycles);
  CHECK(spun.time->cycles > once.time->cycles);
  CHECK(notes(spun).find("warps wait for each other: 3192 of 3") != std::string::npos);
  CHECK(once.spinning.again == 0);
  CHECK(notes(once).find("wait for each other") == std::string::npos);
}

TEST_CASE("spins: compare-and-swap, exchange, adding nothing are looks") {
  const auto card = h200();
  const auto again = [&](const char* text, Op op) {
    return timed(waiting(20, text, op), card).spinning.again;
  };
  CHECK(again("ATOMG.E.CAS.STRONG.GPU PT, R2, [R4], R6, R7 ;", Op::kAtomic) == 8 * 19);
  CHECK(again("ATOMG.E.EXCH.STRONG.GPU PT, R2, desc[UR4][R4.64], R6 ;", Op::kAtomic) == 8 * 19);
  CHECK(again("ATOMG.E.ADD.STRONG.GPU PT, R2, desc[UR4][R4.64], RZ ;", Op::kAtomic) == 8 * 19);
  CHECK(again("ATOMG.E.ADD.STRONG.GPU PT, R2, desc[UR4][R4.64], R6 ;", Op::kAtomic) == 0);
  CHECK(again("LDG.E R2, desc[UR4][R4.64] ;", Op::kLoad) == 0);
}

TEST_CASE(
    "spins: looks at several words in turn are looks again, and an access in between begins anew") {
  Kernel k = kernel(1, 32);
  const auto look = k.site(Op::kLoad, Space::kGlobal, 4, kVolatile);
  const auto load = k.site(Op::kLoad, Space::kGlobal, 4, "LDG.E R2, desc[UR4][R4.64] ;");
  k.fill = [=](Warp& w) {
    for (int n = 0; n < 10; ++n)
      for (const std::uint64_t at : {kFlag, kFlag + 4, kFlag + 8})
        w.records.push_back(regular(look, at, 0));
    w.records.push_back(regular(load, kA, 4));
    w.records.push_back(regular(look, kFlag, 0));
  };
  CHECK(timed(k, h200()).spinning.again == 27);
}
