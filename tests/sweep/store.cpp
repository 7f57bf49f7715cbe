#include "sweep/store.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/output_file.hpp"
#include "sweep/packed.hpp"
#include "sweep/store_file.hpp"
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
  const auto put_together = [&](const std::vector<std::string>& parts, const Plan* plan = nullptr) {
    auto file = OutputFile::create(folder.file("all"), {});
    REQUIRE(file.ok());
    return merge(parts, *file, plan);
  };
  const auto lacking = put_together({folder.file("p1")});
  REQUIRE_FALSE(lacking.ok());
  CHECK(lacking.error().kind == ErrorKind::kIncomplete);
  CHECK_FALSE(put_together({folder.file("p1"), folder.file("p1")}).ok());
  const Plan another = plan_of("2");
  CHECK_FALSE(put_together({folder.file("p2"), folder.file("p1")}, &another).ok());
  REQUIRE(put_together({folder.file("p2"), folder.file("p1")}).ok());
  CHECK(bytes_of(folder.file("all")) == whole);
}

TEST_CASE("the points of a search are fewer than its space, and not so those of others") {
  const Folder folder;
  for (const bool search : {true, false}) {
    Plan plan = plan_of();
    if (search) plan.identity.emplace_back("--objective", "cycles");
    const std::string path = folder.file(search ? "search" : "sweep");
    auto store = Store::open(path, plan, false);
    REQUIRE(store.ok());
    for (const std::uint64_t n : {1, 5}) REQUIRE(store->add(point(n)).ok());
    REQUIRE(store->publish().ok());
    CHECK(read_store(path).ok() == search);
  }
}

// ---- What others have written, or changed ----

// A change of a finished file by its tables.
Result<Plan> changed(const std::string& whole, const std::string& sql) {
  const Folder folder;
  std::ofstream(folder.file("s"), std::ios::binary) << whole;
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(folder.file("s").c_str(), &db) == SQLITE_OK);
  REQUIRE(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  REQUIRE(sqlite3_close(db) == SQLITE_OK);
  return sweep_of(bytes_of(folder.file("s")), "s");
}

TEST_CASE("a file that was changed is refused, whatever was changed") {
  const Folder folder;
  const std::string whole = written(folder, "a", {0, 1, 2, 3, 4, 5});
  REQUIRE(changed(whole, "VACUUM").ok());
  const std::string endless =
      " AS WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c) SELECT n, NULL FROM c";
  for (const std::string& sql : {
           std::string("UPDATE results SET value = 0 WHERE point = 3 AND metric = 0"),
           std::string("UPDATE results SET value = 'x'"),
           std::string("UPDATE results SET missing = 'why' WHERE metric = 0"),
           std::string("DELETE FROM results WHERE point = 3"),
           std::string("DELETE FROM points WHERE point = 3; DELETE FROM results WHERE point = 3;"
                       "DELETE FROM point_values WHERE point = 3"),
           std::string("DELETE FROM points WHERE point = 3; DELETE FROM results WHERE point = 3;"
                       "DELETE FROM point_values WHERE point = 3;"
                       "UPDATE plan SET value = '5' WHERE name = 'held'"),
           std::string("UPDATE point_values SET value = 'z' WHERE point = 2 AND axis = 0"),
           std::string("UPDATE points SET left_out = NULL"),
           std::string("UPDATE points SET left_out = ''"),
           std::string("UPDATE axes SET value = 'q' WHERE at = 1"),
           std::string("UPDATE traces SET name = 'u.wmt'"),
           std::string("UPDATE metrics SET unit = 's'"),
           std::string("UPDATE identity SET value = 'v100' WHERE name = 'gpu'"),
           std::string("UPDATE plan SET value = '7' WHERE name = 'points'"),
           std::string("UPDATE plan SET value = '1/2' WHERE name = 'part'"),
           std::string("UPDATE plan SET value = '0' WHERE name = 'hash'"),
           std::string("DELETE FROM plan WHERE name = 'hash'"),
           std::string("DELETE FROM plan"),
           std::string("DROP TABLE traces"),
           std::string("CREATE INDEX i ON results(value)"),
           std::string("CREATE TABLE more(a)"),
           std::string("ALTER TABLE results RENAME value TO v"),
           std::string("DROP TABLE points; CREATE VIEW points") + "(point, left_out)" + endless,
           std::string("DROP TABLE traces; CREATE VIEW traces") + "(trace, name)" + endless,
           std::string("PRAGMA application_id = 1"),
       }) {
    INFO(sql);
    const auto read = changed(whole, sql);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().kind == ErrorKind::kMalformed);
    CHECK(read.error().place == "s");
    CHECK_FALSE(read.error().fix.empty());
  }
}

// Bits that may change: those that no value of the sweep is in.
void flip_bits(std::size_t stride) {
  const Folder folder;
  const std::string whole = written(folder, "a", {0, 1, 2, 3, 4, 5});
  const auto good = sweep_of(whole, "a");
  REQUIRE(good.ok());
  const std::uint64_t hash = hash_of_sweep(*good, good->empty.points);
  std::size_t refused = 0, same = 0, others = 0;
  for (std::size_t bit = 0; bit < whole.size() * 8; bit += stride) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    const auto read = sweep_of(std::move(bytes), "a");
    if (read) (hash_of_sweep(*read, read->empty.points) == hash ? same : others) += 1;
    else refused += read.error().kind == ErrorKind::kMalformed;
    if (!read && read.error().kind != ErrorKind::kMalformed) ++others;
  }
  CHECK(others == 0);
  CHECK(refused > 0);
  CHECK(same > 0);  // a page has room that nothing is in
}

TEST_CASE("no bit of a file changes a result in silence") { flip_bits(37); }
TEST_CASE("no bit of a file changes a result in silence, every one of them", "[.slow]") {
  flip_bits(1);
}

TEST_CASE("no length of a file but its own is read as it is") {
  const Folder folder;
  const std::string whole = written(folder, "a", {0, 1, 2, 3, 4, 5});
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    const auto read = sweep_of(whole.substr(0, size), "a");
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().kind == ErrorKind::kMalformed);
  }
}

// ---- Points that are not finished ----

std::string unfinished(const Folder& folder, const char* name) {
  auto store = Store::open(folder.file(name), plan_of(), false);
  REQUIRE(store.ok());
  for (std::uint64_t n = 0; n < 6; ++n) REQUIRE(store->add(point(n)).ok());
  return bytes_of(folder.file(name) + ".partial");
}

TEST_CASE("points that were cut short or damaged are replayed again, and no other is believed") {
  const Folder folder;
  const std::string whole = written(folder, "whole", {0, 1, 2, 3, 4, 5});
  const std::string log = unfinished(folder, "cut");
  const std::string partial = folder.file("cut") + ".partial";
  std::size_t plans = 0;
  for (std::size_t at = 0; at < log.size(); at += 3) {
    for (const bool cut : {true, false}) {
      std::string bytes = cut ? log.substr(0, at) : log;
      if (!cut) bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
      std::ofstream(partial, std::ios::binary) << bytes;
      auto store = Store::open(folder.file("cut"), plan_of(), false);
      if (!store) {  // not even the plan is there
        CHECK((store.error().kind == ErrorKind::kUsage ||
               store.error().kind == ErrorKind::kMalformed));
        ++plans;
        continue;
      }
      std::vector<std::uint64_t> missing;
      for (std::uint64_t n = 0; n < 6; ++n)
        if (!store->finished().contains(n)) missing.push_back(n);
      CHECK_FALSE(missing.empty());
      for (const std::uint64_t n : missing) REQUIRE(store->add(point(n)).ok());
      REQUIRE(store->publish().ok());
      REQUIRE(bytes_of(folder.file("cut")) == whole);
      fs::remove(folder.file("cut"));
    }
  }
  CHECK(plans > 0);
}

TEST_CASE("a file that has the name of unfinished points, and is none, stays") {
  const Folder folder;
  for (const std::string& mine : {std::string("mine"), std::string(), std::string(5000, 'x')}) {
    std::ofstream(folder.file("s.partial")) << mine;
    for (const bool replace : {false, true}) {
      const auto store = Store::open(folder.file("s"), plan_of(), replace);
      REQUIRE_FALSE(store.ok());
      CHECK(store.error().kind == ErrorKind::kUsage);
      CHECK(bytes_of(folder.file("s.partial")) == mine);
    }
  }
  CHECK_FALSE(fs::exists(folder.file("s")));
}

TEST_CASE("two runs do not work on one sweep at once") {
  const Folder folder;
  const auto first = Store::open(folder.file("s"), plan_of(), false);
  REQUIRE(first.ok());
  for (const bool replace : {false, true}) {
    const auto second = Store::open(folder.file("s"), plan_of(), replace);
    REQUIRE_FALSE(second.ok());
    CHECK(second.error().message == "another run is working on it");
  }
  const auto other = Store::open(folder.file("s"), plan_of("2"), true);
  REQUIRE_FALSE(other.ok());
}

TEST_CASE("points of another sweep go with --force alone") {
  const Folder folder;
  { REQUIRE(Store::open(folder.file("s"), plan_of("1"), false).ok()); }
  const auto refused = Store::open(folder.file("s"), plan_of("2"), false);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "the results are of another sweep: seed is 1 there and 2 here");
  CHECK(Store::open(folder.file("s"), plan_of("2"), true).ok());
}

}  // namespace
