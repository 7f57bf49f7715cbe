#include "sweep/store.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/catch.hpp"

namespace {

using namespace warpmem;
using namespace warpmem::sweep;
namespace fs = std::filesystem;

struct Folder {
  Folder() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::string file(const char* name) const { return (path / name).string(); }
  fs::path path = fs::temp_directory_path() / ("warpmem-store-" + std::to_string(::getpid()));
};

Plan plan_of(const std::string& seed = "1") {
  Plan plan;
  plan.identity = {{"gpu", "h200"}, {"seed", seed}, {"version", "0"}};
  plan.empty.axes = {{"l1.size", {"a", "b", "c"}}, {"l2.size", {"x", "y"}}};
  plan.empty.traces = {"t.wmt"};
  plan.empty.metrics = {{"cycles", "cycles"}, {"hits", "%"}};
  plan.points = 6;
  return plan;
}

SweepPoint point(std::uint64_t n) {
  SweepPoint p;
  p.number = n;
  p.values = {std::string(1, static_cast<char>('a' + n / 2)), n % 2 ? "y" : "x"};
  if (n == 4) p.left_out = "no such GPU";
  else p.metrics = {{{100.5 + static_cast<double>(n), ""}, {0, "nothing to divide by"}}};
  return p;
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string written(const Folder& folder, const char* name,
                    const std::vector<std::uint64_t>& order) {
  auto store = Store::open(folder.file(name), plan_of(), false);
  REQUIRE(store.ok());
  for (const std::uint64_t n : order) REQUIRE(store->add(point(n)).ok());
  REQUIRE(store->publish().ok());
  return bytes_of(folder.file(name));
}

TEST_CASE("a finished file has the same bytes in whatever order points were finished") {
  const Folder folder;
  const std::string one = written(folder, "a", {0, 1, 2, 3, 4, 5});
  CHECK(one.size() > 4096);
  CHECK(one == written(folder, "b", {5, 3, 1, 4, 0, 2}));
  CHECK_FALSE(fs::exists(folder.file("a.partial")));
}

TEST_CASE("a sweep goes on where it was interrupted, to the same bytes") {
  const Folder folder;
  const std::string whole = written(folder, "whole", {0, 1, 2, 3, 4, 5});
  for (std::uint64_t n = 0; n < 6; ++n) {
    auto store = Store::open(folder.file("cut"), plan_of(), false);
    REQUIRE(store.ok());
    CHECK(store->finished().size() == n);
    REQUIRE(store->add(point(n)).ok());
  }
  auto store = Store::open(folder.file("cut"), plan_of(), false);
  REQUIRE(store->publish().ok());
  CHECK(bytes_of(folder.file("cut")) == whole);
}

TEST_CASE("what was put in comes out") {
  const Folder folder;
  written(folder, "a", {0, 1, 2, 3, 4, 5});
  const auto read = read_store(folder.file("a"));
  REQUIRE(read.ok());
  REQUIRE(read->result.points.size() == 6);
  CHECK(read->result.points[3].values == std::vector<std::string>{"b", "y"});
  CHECK(read->result.points[3].metrics[0][0].value == 103.5);
  CHECK(read->result.points[3].metrics[0][1].missing == "nothing to divide by");
  CHECK(read->result.points[4].left_out == "no such GPU");
  CHECK(read->result.axes[1].values == std::vector<std::string>{"x", "y"});
}

TEST_CASE("a file of another sweep or another version is refused, with what differs") {
  const Folder folder;
  written(folder, "a", {0, 1, 2, 3, 4, 5});
  const auto other = Store::open(folder.file("a"), plan_of("2"), false);
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().kind == ErrorKind::kUsage);
  CHECK(other.error().message == "the results are of another sweep: seed is 1 there and 2 here");
  Plan newer = plan_of();
  newer.identity[2].second = "1";
  const auto version = Store::open(folder.file("a"), newer, false);
  REQUIRE_FALSE(version.ok());
  CHECK(version.error().message == "the results are of warpmem 0, and this is 1");
  std::ofstream(folder.file("text")) << "this is no database, but a text of some length\n";
  const auto text = Store::open(folder.file("text"), plan_of(), false);
  REQUIRE_FALSE(text.ok());
  CHECK(text.error().kind == ErrorKind::kMalformed);
}

TEST_CASE("parts put together are the file of the whole sweep") {
  const Folder folder;
  const std::string whole = written(folder, "whole", {0, 1, 2, 3, 4, 5});
  for (std::uint64_t part = 1; part <= 2; ++part) {
    Plan plan = plan_of();
    plan.part = std::to_string(part) + "/2";
    auto store = Store::open(folder.file(part == 1 ? "p1" : "p2"), plan, false);
    REQUIRE(store.ok());
    for (std::uint64_t n = part - 1; n < 6; n += 2) REQUIRE(store->add(point(n)).ok());
    REQUIRE(store->publish().ok());
  }
  const auto lacking = merge({folder.file("p1")}, folder.file("all"), false);
  REQUIRE_FALSE(lacking.ok());
  CHECK(lacking.error().kind == ErrorKind::kIncomplete);
  CHECK_FALSE(merge({folder.file("p1"), folder.file("p1")}, folder.file("all"), false).ok());
  REQUIRE(merge({folder.file("p2"), folder.file("p1")}, folder.file("all"), false).ok());
  CHECK(bytes_of(folder.file("all")) == whole);
}

}  // namespace
