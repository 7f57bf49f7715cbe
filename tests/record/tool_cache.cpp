// What nvdisasm printed, kept between runs: found when it is whole and the user's own, else never.
#include "binary/disassembly/tool_cache.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/scratch_folder.hpp"
#include "tests/catch.hpp"

using namespace warpmem;
using namespace warpmem::record;
namespace fs = std::filesystem;

namespace {

constexpr unsigned char kImage[] = {1, 2, 3};
const std::string kTool = "/proc/self/exe";

ToolKey some_key(std::string_view options = "-fun 1") { return *tool_key(kTool, options, kImage); }

struct Folder {
  ScratchFolder scratch = std::move(ScratchFolder::create()).value();
  std::string path = scratch.file("warpmem");
  ToolCache cache{path};

  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(path)) out.push_back(entry.path());
    return out;
  }
};

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace

TEST_CASE("a listing that was kept is found by all that it depends on", "[record][tool_cache]") {
  const Folder f;
  CHECK_FALSE(f.cache.find(some_key()));
  f.cache.keep(some_key(), "EXIT ;\n");
  CHECK(f.cache.find(some_key()) == "EXIT ;\n");
  CHECK_FALSE(f.cache.find(some_key("-fun 2")));
  constexpr unsigned char kOther[] = {1, 2, 4};
  CHECK_FALSE(f.cache.find(*tool_key(kTool, "-fun 1", kOther)));
  const std::string other_tool = f.scratch.file("nvdisasm");
  fs::copy_file(kTool, other_tool);
  CHECK_FALSE(f.cache.find(*tool_key(other_tool, "-fun 1", kImage)));
  // As an installation in its place: another time.
  const auto before = tool_key(other_tool, "-fun 1", kImage);
  fs::last_write_time(other_tool, fs::last_write_time(other_tool) - std::chrono::seconds(10));
  CHECK(before->hash != tool_key(other_tool, "-fun 1", kImage)->hash);
}

TEST_CASE("of a script nobody knows what it starts: nothing is kept", "[record][tool_cache]") {
  const Folder f;
  const std::string script = f.scratch.file("nvdisasm");
  write(script, "#!/bin/sh\nexec other \"$@\"\n");
  CHECK_FALSE(tool_key(script, "", kImage));
  CHECK_FALSE(tool_key("nvdisasm", "", kImage));
  CHECK_FALSE(tool_key("/no/such/file", "", kImage));
}

TEST_CASE("an entry that was cut or changed anywhere is none", "[record][tool_cache]") {
  const Folder f;
  const std::string text = "/*0000*/ IADD3 R1, R2, R3, RZ ;\n/*0010*/ EXIT ;\n";
  f.cache.keep(some_key(), text);
  REQUIRE(f.files().size() == 1);
  const fs::path file = f.files()[0];
  const std::string whole = read(file);
  std::size_t wrong = 0;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    write(file, whole.substr(0, n));
    wrong += f.cache.find(some_key()).has_value();
    // Bits of a frame's header that say nothing may differ: never the text.
    for (const int bit : {0, 3, 7}) {
      std::string changed = whole;
      changed[n] = static_cast<char>(changed[n] ^ 1 << bit);
      write(file, changed);
      const auto found = f.cache.find(some_key());
      wrong += found && *found != text;
    }
  }
  CHECK(wrong == 0);
  write(file, whole + "x");
  CHECK(f.cache.find(some_key()).value_or(text) == text);
  // Of other code, under this name.
  f.cache.keep(some_key("-fun 2"), "NOP ;\n");
  for (const fs::path& other : f.files())
    if (other != file) fs::rename(other, file);
  CHECK_FALSE(f.cache.find(some_key()));
  f.cache.keep(some_key(), text);
  CHECK(f.cache.find(some_key()) == text);
}

TEST_CASE("what others can write to is not believed", "[record][tool_cache]") {
  const Folder f;
  f.cache.keep(some_key(), "EXIT ;\n");
  const fs::path file = f.files()[0];
  struct stat status {};
  REQUIRE(::stat(f.path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  ::chmod(file.c_str(), 0666);
  CHECK_FALSE(f.cache.find(some_key()));
  ::chmod(file.c_str(), 0600);
  CHECK(f.cache.find(some_key()));
  ::chmod(f.path.c_str(), 0777);
  CHECK_FALSE(f.cache.find(some_key()));
  ::chmod(f.path.c_str(), 0700);
  fs::rename(file, f.scratch.file("elsewhere"));
  fs::create_symlink(f.scratch.file("elsewhere"), file);
  CHECK_FALSE(f.cache.find(some_key()));
}

TEST_CASE("all entries together have a bound", "[record][tool_cache]") {
  const Folder f;
  const ToolCache small(f.path, 4096);
  std::string noise;  // does not get smaller by packing
  for (std::uint32_t i = 0, x = 1; i < 900; ++i)
    x = x * 1664525u + 1013904223u, noise += static_cast<char>(x >> 24);
  const std::string text = noise.substr(0, 300);
  for (int i = 0; i < 40; ++i) {
    small.keep(some_key(std::to_string(i)), text);
    CHECK(small.size().bytes <= 4096);
  }
  CHECK(small.size().entries >= 4);
  small.keep(some_key("too long"), noise);
  CHECK_FALSE(small.find(some_key("too long")));
}

TEST_CASE("processes share the folder", "[record][tool_cache]") {
  const Folder f;
  std::vector<pid_t> all;
  for (int p = 0; p < 6; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool good = true;
      for (int i = 0; i < 100; ++i) {
        const std::string name = std::to_string(i % 5);
        f.cache.keep(some_key(name), "text of " + name);
        const auto found = f.cache.find(some_key(name));
        good = good && found == "text of " + name;
      }
      ::_exit(good ? 0 : 1);
    }
    all.push_back(child);
  }
  for (const pid_t child : all) {
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(f.files().size() == 5);
}

TEST_CASE("the user says where listings are kept, or that none are", "[record][tool_cache]") {
  const auto with = [](const char* own, const char* all, const char* home) {
    const auto set = [](const char* name, const char* value) {
      value ? ::setenv(name, value, 1) : ::unsetenv(name);
    };
    const char* const names[] = {"WARPMEM_CACHE", "XDG_CACHE_HOME", "HOME"};
    std::vector<std::optional<std::string>> before;
    for (const char* name : names) {
      const char* value = std::getenv(name);
      before.push_back(value ? std::optional<std::string>(value) : std::nullopt);
    }
    set("WARPMEM_CACHE", own), set("XDG_CACHE_HOME", all), set("HOME", home);
    std::string folder = ToolCache::of_user().folder();
    for (std::size_t i = 0; i < 3; ++i) set(names[i], before[i] ? before[i]->c_str() : nullptr);
    return folder;
  };
  CHECK(with(nullptr, nullptr, "/home/a") == "/home/a/.cache/warpmem");
  CHECK(with(nullptr, "/var/cache", "/home/a") == "/var/cache/warpmem");
  CHECK(with(nullptr, "not/absolute", "/home/a") == "/home/a/.cache/warpmem");
  CHECK(with("/mine", "/var/cache", "/home/a") == "/mine");
  CHECK(with("off", "/var/cache", "/home/a").empty());
  CHECK(with(nullptr, nullptr, nullptr).empty());
  const ToolCache off("");
  off.keep(some_key(), "EXIT ;\n");
  CHECK_FALSE(off.find(some_key()));
}
