#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/catch.hpp"
#include "validate/suite.hpp"

using namespace warpmem;
using namespace warpmem::validate;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / fs::path("warpmem-suite-" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  void put(const std::string& name, const std::string& text = "") {
    std::ofstream(path / name) << text;
  }
};

}  // namespace

TEST_CASE("a suite is the pairs of a folder, with provenance") {
  Folder folder;
  for (const char* name : {"b.wmt", "b.csv", "b.repeat.csv", "a.wmt", "a.csv", "c.wmt", "d.csv"})
    folder.put(name);
  folder.put("provenance.toml",
             "[machine]\ngpu = \"NVIDIA H200\"\ndriver = \"580\"\nclocks = \"free\"\n");
  const auto suite = open_suite(folder.path.string());
  REQUIRE(suite.ok());
  REQUIRE(suite->entries.size() == 2);
  CHECK(suite->entries[0].name == "a");
  CHECK(suite->entries[0].repeat.empty());
  CHECK_FALSE(suite->entries[1].repeat.empty());
  CHECK(suite->heading ==
        std::vector<std::string>{"Counted on NVIDIA H200, driver 580", "Clocks: free"});
  CHECK(suite->notes ==
        std::vector<std::string>{"c.wmt has no c.csv beside it", "d.csv has no d.wmt beside it"});
}

TEST_CASE("a suite may take the traces of another GPU") {
  Folder own;
  std::filesystem::create_directory(own.path / "other");
  for (const char* name : {"a.csv", "b.csv", "e.wmt", "other/a.wmt", "other/a.csv", "other/c.wmt"})
    own.put(name);
  own.put("provenance.toml", "traces = \"other\"\n[machine]\ngpu = \"NVIDIA H100\"\n");
  const auto suite = open_suite(own.path.string());
  REQUIRE(suite.ok());
  REQUIRE(suite->entries.size() == 1);
  CHECK(suite->entries[0].trace == (own.path / "other/a.wmt").string());
  CHECK(suite->entries[0].counters == (own.path / "a.csv").string());
  REQUIRE(suite->notes.size() == 1);
  CHECK(suite->notes[0].starts_with("b.csv has no b.wmt in "));
  own.put("provenance.toml", "traces = \"/nonexistent\"\n");
  const auto missing = open_suite(own.path.string());
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().fix.find("correct traces in") == 0);
}

TEST_CASE("a folder that is no suite") {
  Folder folder;
  CHECK(exit_status(open_suite(folder.path.string()).error().kind) == 3);
  CHECK(exit_status(open_suite("/nonexistent").error().kind) == 2);
  folder.put("a.wmt");
  folder.put("a.csv");
  folder.put("provenance.toml", "[machine\n");
  CHECK(exit_status(open_suite(folder.path.string()).error().kind) == 3);
  folder.put("provenance.toml", "[machine]\ngpu = \"NVIDIA H200\"\ndriver = 580.1\n");
  const auto number = open_suite(folder.path.string());
  REQUIRE_FALSE(number.ok());
  CHECK(exit_status(number.error().kind) == 3);
  CHECK(number.error().message == "machine.driver = 580.1 is not a text in quotes");
  CHECK(number.error().place.ends_with("provenance.toml, line 3"));
}
