// The barrier of a cluster, by the rules of the PTX ISA ("barrier.cluster").
#include "sim/engine/cluster_barrier.hpp"

#include "tests/catch.hpp"

using namespace warpmem::sim;

namespace {

// A cluster of so many warps, whose barrier opens 100 cycles after the last one has come.
struct Cluster {
  explicit Cluster(std::uint32_t warps) { barrier.add(warps); }
  void arrive(AtClusterBarrier& w, std::uint64_t cycle) {
    barrier.arrive(w, cycle, [this] { ++opened; });
  }
  bool wait(AtClusterBarrier& w, std::uint64_t cycle) {
    return barrier.wait(w, cycle, [this] { ++opened; });
  }
  void leave(const AtClusterBarrier& w, std::uint64_t cycle) {
    barrier.leave(w, cycle, [this] { ++opened; });
  }
  ClusterBarrier barrier{100};
  int opened = 0;
};

}  // namespace

TEST_CASE("a cluster's barrier opens when all of its warps have arrived") {
  Cluster c(3);
  AtClusterBarrier a, b, d;
  c.arrive(a, 5);
  c.arrive(a, 6);  // twice for one opening
  CHECK_FALSE(c.wait(b, 40));
  CHECK(c.opened == 0);
  CHECK(c.wait(d, 20));  // the last one need not wait
  CHECK(c.opened == 1);
  CHECK(c.barrier.opened_at() == 140);
  CHECK(c.wait(a, 150));  // who arrived before comes to wait at what is open
  // The next round is another one.
  CHECK_FALSE(c.wait(a, 200));
  CHECK_FALSE(c.wait(b, 201));
  CHECK(c.wait(d, 202));
  CHECK(c.opened == 2);
}

TEST_CASE("warps that end are not waited for at their cluster's barrier") {
  Cluster c(3);
  AtClusterBarrier a, b, d;
  CHECK_FALSE(c.wait(a, 10));
  c.arrive(b, 11);
  c.leave(b, 12);  // it had arrived, and counts no more
  CHECK(c.opened == 0);
  c.leave(d, 30);
  CHECK(c.opened == 1);
  CHECK(c.barrier.opened_at() == 130);
}

TEST_CASE("a cluster's barrier that nobody else will reach opens by force") {
  Cluster c(2);
  AtClusterBarrier a;
  CHECK_FALSE(c.barrier.anybody_arrived());
  CHECK_FALSE(c.wait(a, 10));
  CHECK(c.barrier.anybody_arrived());
  c.barrier.open([&] { ++c.opened; });
  CHECK(c.opened == 1);
  CHECK_FALSE(c.barrier.anybody_arrived());
}
