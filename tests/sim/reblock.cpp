// Launches with CTAs of another size.
#include "sim/reblock.hpp"

#include "tests/catch.hpp"
#include "tests/sim/support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

// Each thread loads the word of its number in the grid.
Kernel copy(std::uint32_t ctas, std::uint32_t threads) {
  Kernel k = kernel(ctas, threads);
  const auto begin = k.site(Op::kCtaBegin, Space::kNone, 0);
  const auto ld = k.site(Op::kLoad, Space::kGlobal, 4);
  const auto end = k.site(Op::kCtaEnd, Space::kNone, 0);
  const std::uint64_t warps = k.warps();
  k.fill = [=](Warp& w) {
    Record first = regular(begin, trace::kUnknownSm, 0), last = regular(end, 0, 0);
    w.records = {first, regular(ld, kA + (w.cta * warps + w.warp) * 128, 4), last};
  };
  return k;
}

// What a launch of `from` says when its CTAs have `threads` threads.
std::string redealt(const Kernel& from, std::uint32_t threads) {
  TemporaryFolder folder;
  write_trace(folder.file("from.wmt"), {from});
  const auto reader = open(folder.file("from.wmt"));
  must(sim::write_with_blocks(reader, threads, nullptr, folder.file("to.wmt")));
  const auto to = open(folder.file("to.wmt"));
  return everything(must(sim::replay(to, h200())));
}

std::string as_launched(const Kernel& k) {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {k});
  const auto reader = open(folder.file("t.wmt"));
  return everything(must(sim::replay(reader, h200())));
}

Error refused(const Kernel& from, std::uint32_t threads) {
  TemporaryFolder folder;
  write_trace(folder.file("from.wmt"), {from});
  const auto reader = open(folder.file("from.wmt"));
  const auto done = sim::write_with_blocks(reader, threads, nullptr, folder.file("to.wmt"));
  REQUIRE(!done);
  CHECK(done.error().kind == ErrorKind::kUsage);
  return done.error();
}

}  // namespace

TEST_CASE("smaller and larger CTAs do what a launch with such CTAs does, to the cycle") {
  // 3072 warps, started as 32 to 1024 threads.
  const auto launched = [](std::uint32_t threads) { return copy(3072 * 32 / threads, threads); };
  const Kernel from = launched(256);
  for (const std::uint32_t threads : {32u, 64u, 128u, 256u, 512u, 1024u}) {
    INFO(threads);
    CHECK(redealt(from, threads) == as_launched(launched(threads)));
  }
  CHECK(as_launched(launched(32)) != as_launched(from));
}

TEST_CASE("the last of the larger CTAs may have fewer warps") {
  TemporaryFolder folder;
  write_trace(folder.file("from.wmt"), {copy(7, 64)});
  const auto from = open(folder.file("from.wmt"));
  must(sim::write_with_blocks(from, 256, nullptr, folder.file("to.wmt")));
  const auto to = open(folder.file("to.wmt"));
  const trace::LaunchSummary& l = to.launches()[0];
  CHECK(l.launch.grid[0] == 2);
  CHECK(l.launch.block[0] == 256);
  CHECK(l.end.records == from.launches()[0].end.records);
  CHECK(must(sim::replay(to, h200())).details[0].counters.global_ld.requests == 14);
}

TEST_CASE("only the launches that are wanted are there, with their numbers") {
  TemporaryFolder folder;
  write_trace(folder.file("from.wmt"), {copy(4, 128), copy(8, 64), copy(2, 128)});
  const auto from = open(folder.file("from.wmt"));
  must(sim::write_with_blocks(
      from, 64, [](std::uint64_t l) { return l != 1; }, folder.file("to.wmt")));
  const auto to = open(folder.file("to.wmt"));
  REQUIRE(to.launches().size() == 2);
  CHECK(to.launches()[0].launch.id == 0);
  CHECK(to.launches()[0].launch.grid[0] == 8);
  CHECK(to.launches()[1].launch.id == 2);
  CHECK(to.launches()[1].launch.grid[0] == 4);
}

TEST_CASE("what cannot be dealt out anew is refused with the reason") {
  Kernel shared = copy(4, 256);
  shared.launch.static_shared = 1024;
  CHECK(refused(shared, 128).message.find("share memory") != std::string::npos);
  Kernel cluster = copy(4, 256);
  cluster.launch.cluster = {2, 1, 1};
  CHECK(refused(cluster, 128).message.find("clusters") != std::string::npos);
  Kernel barrier = copy(4, 256);
  const auto sync = barrier.site(Op::kBarrier, Space::kNone, 0);
  barrier.fill = [=](Warp& w) { w.records = {regular(sync, 0, 0)}; };
  CHECK(refused(barrier, 128).message.find("barrier") != std::string::npos);
  CHECK(refused(copy(4, 256), 48).message.find("whole number of warps") != std::string::npos);
  CHECK(refused(copy(4, 256), 96).message.find("does not divide") != std::string::npos);
  CHECK(refused(copy(4, 256), 384).message.find("several times") != std::string::npos);
  CHECK(refused(copy(4, 48), 96).message.find("several times") != std::string::npos);
  Kernel rows = copy(15, 64);
  rows.launch.grid = {3, 5, 1};
  CHECK(refused(rows, 128).message.find("a row of the grid has 3 CTAs") != std::string::npos);
  CHECK(refused(rows, 128).fix.find("--make") != std::string::npos);
}
