// Commands that make traces: what they are told, and what is said of those that fail.
#include "sweep/make_command.hpp"

#include <filesystem>
#include <fstream>

#include "base/scratch_folder.hpp"
#include "tests/catch.hpp"

using namespace warpmem;
using namespace warpmem::sweep;

TEST_CASE("values stand where the command has their keys, and nothing else changes") {
  CHECK(filled("nvcc -DBLOCK={block} {block}.cu", {{"block", "64"}}) == "nvcc -DBLOCK=64 64.cu");
  CHECK(filled("awk '{print}' ${block} {other}", {{"block", "64"}, {"print", ""}}) ==
        "awk '' ${block} {other}");
  CHECK(filled("echo {a}", {{"a", "{a}"}}) == "echo {a}");
  CHECK(filled("echo {a} {b}", {{"a", "{b}"}, {"b", "{a}"}}) == "echo {b} {a}");
  CHECK(has_place("x {block}", "block"));
  CHECK_FALSE(has_place("x ${block} {blocks}", "block"));
  CHECK(has_place("x ${block}{block}", "block"));
}

TEST_CASE("the trace is one word of a shell, within quotes or without") {
  CHECK(filled("cp a {trace}", {}, "/tmp/t.wmt") == "cp a /tmp/t.wmt");
  CHECK(filled("cp a {trace}", {}, "/t m;p/t") == "cp a '/t m;p/t'");
  CHECK(filled("cp a '{trace}'", {}, "/it's") == "cp a '/it'\\''s'");
  CHECK(filled("cp \"it's {a}\" \"{trace}\"", {{"a", "1"}}, "/$a b") ==
        "cp \"it's 1\" \"/\\$a b\"");
  CHECK(filled("cp \\' {trace} {a}", {{"a", "{trace}"}}, "/a b") == "cp \\' '/a b' {trace}");
  const auto folder = ScratchFolder::create();
  REQUIRE(folder.ok());
  std::filesystem::create_directory(folder->file("a ;b'c\"$d"));
  const std::string trace = folder->file("a ;b'c\"$d/t.wmt");
  for (const char* line : {"echo x > {trace}", "echo x > '{trace}'", "echo x > \"{trace}\""}) {
    CHECK(make_trace(line, {}, trace).ok());
    CHECK(std::filesystem::remove(trace));
  }
}

TEST_CASE("of what a command prints without end its last line is kept") {
  const auto failed = make_trace("yes | head -c 100000000; echo {trace} >&2; false", {}, "/none");
  REQUIRE(!failed);
  CHECK(failed.error().message == "the command failed: /none");
}

TEST_CASE("a command that fails says what it said last") {
  const auto folder = ScratchFolder::create();
  REQUIRE(folder.ok());
  const std::string trace = folder->file("t.wmt");
  CHECK(make_trace("cp /dev/null {trace}", {}, trace).ok());
  CHECK(std::filesystem::exists(trace));
  const auto failed =
      make_trace("echo one; echo two >&2; exit 3 # {trace}", {{"block", "64"}}, trace);
  REQUIRE(!failed);
  CHECK(failed.error().kind == ErrorKind::kUsage);
  CHECK(failed.error().message == "the command failed for block=64: two");
  CHECK(failed.error().fix.find("echo one") != std::string::npos);
  const auto none = make_trace("true {trace}.not", {}, folder->file("other.wmt"));
  REQUIRE(!none);
  CHECK(none.error().message == "the command left no trace");
}

TEST_CASE("sources that a command names are found, for each of the values") {
  const auto folder = ScratchFolder::create();
  REQUIRE(folder.ok());
  for (const char* name : {"a.cu", "b.cu", "run.sh", "c.h", "log"})
    std::ofstream(folder->file(name)) << 1;
  const std::string at = folder->file("");
  CHECK(sources_in("sh '" + at + "run.sh' --source=" + at + "{name}.cu -o {trace} >" + at + "log",
                   {{"name", {"a", "b", "none"}}, {"l1.size", {"1"}}}) ==
        std::vector<std::string>{at + "a.cu", at + "b.cu", at + "run.sh"});
}
