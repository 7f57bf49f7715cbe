#include "tests/catch.hpp"
#include "validate/match.hpp"

using namespace warpmem;
using namespace warpmem::validate;

namespace {

LaunchMetrics launch(const std::string& kernel, std::uint32_t grid = 16, std::uint64_t number = 0) {
  LaunchMetrics l;
  l.launch = number;
  l.kernel = kernel;
  l.grid = {grid, 1, 1};
  l.block = {256, 1, 1};
  return l;
}

NcuImport file(std::initializer_list<LaunchMetrics> launches, bool shapes = true) {
  NcuImport out;
  for (const auto& l : launches) {
    NcuLaunch n;
    n.counted = l;
    n.counted.launch = out.launches.size();
    n.has_shape = shapes;
    out.launches.push_back(n);
  }
  return out;
}

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

}  // namespace

TEST_CASE("the same launches pair one to one") {
  const auto m = match_launches({launch("a"), launch("b"), launch("a")},
                                file({launch("void a(int)"), launch("b(T1)"), launch("a")}));
  CHECK(m.pairs == Pairs{{0, 0}, {1, 1}, {2, 2}});
  CHECK(m.unmatched_predicted.empty());
  CHECK(m.unmatched_measured.empty());
}

TEST_CASE("a profiler that skipped launches, a recorder that took some") {
  const auto fewer = match_launches({launch("init"), launch("a"), launch("b"), launch("a")},
                                    file({launch("b"), launch("a")}));
  CHECK(fewer.pairs == Pairs{{2, 0}, {3, 1}});
  CHECK(fewer.unmatched_predicted == std::vector<std::size_t>{0, 1});
  const auto more = match_launches({launch("b")}, file({launch("a"), launch("b"), launch("c")}));
  CHECK(more.pairs == Pairs{{0, 1}});
  CHECK(more.unmatched_measured == std::vector<std::size_t>{0, 2});
}

TEST_CASE("another grid is another launch") {
  const auto m = match_launches({launch("a", 16)}, file({launch("a", 32), launch("a", 16)}));
  CHECK(m.pairs == Pairs{{0, 1}});
  CHECK(match_launches({launch("a", 16)}, file({launch("a", 32)})).pairs.empty());
}

TEST_CASE("a file without shapes pairs by name and order") {
  const auto m = match_launches({launch("a", 16), launch("b", 16)},
                                file({launch("a", 1), launch("b", 1)}, false));
  CHECK(m.pairs == Pairs{{0, 0}, {1, 1}});
}

TEST_CASE("concurrent streams may come in another order") {
  const auto m = match_launches({launch("a"), launch("b")}, file({launch("b"), launch("a")}));
  CHECK(m.pairs == Pairs{{0, 1}, {1, 0}});
}

TEST_CASE("template arguments that tools print differently do not part a kernel from itself") {
  const auto m = match_launches({launch("k<ns::Op>")}, file({launch("void k<Op>(T1)")}));
  CHECK(m.pairs == Pairs{{0, 0}});
}

TEST_CASE("a summary row stands for all launches of its kernel") {
  auto summary = file({launch("a")});
  summary.shape = NcuShape::kSummary;
  const auto m = match_launches({launch("a"), launch("b"), launch("a")}, summary);
  CHECK(m.pairs == Pairs{{0, 0}, {2, 0}});
  CHECK(m.unmatched_predicted == std::vector<std::size_t>{1});
}

TEST_CASE("a file about other kernels is refused, and both sides are named") {
  const std::vector<LaunchMetrics> predicted{launch("a")};
  const auto other = file({launch("void z<int>(T1)")});
  const auto check = check_matched(match_launches(predicted, other), predicted, other, "f.csv");
  REQUIRE_FALSE(check.ok());
  CHECK(exit_status(check.error().kind) == 2);
  CHECK(check.error().message ==
        "no launch of the trace is in it: the trace has a (16,1,1)x(256,1,1); the file has z<int> "
        "(16,1,1)x(256,1,1)");
}
