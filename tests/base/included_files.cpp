#include "base/included_files.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

using namespace warpmem;
namespace fs = std::filesystem;

TEST_CASE("what a source includes is found beside it, in its folders, and through others") {
  const fs::path folder = fs::temp_directory_path() / ("includes-" + std::to_string(::getpid()));
  fs::create_directories(folder / "inc/deep");
  const auto write = [&](const char* name, const char* text) {
    std::ofstream(folder / name) << text;
  };
  write("a.cu",
        "#include <cstdio>\n#include \"b.h\"\n  # include \"c.h\" // ours\n#include \"gone.h\"\n");
  write("b.h", "#pragma once\n#include \"inc/../b.h\"\n#include \"a.cu\"\n");
  write("inc/c.h", "#include \"deep/d.h\"\n");
  write("inc/deep/d.h", "// #include \"e.h\"\n");
  write("e.h", "");
  const auto found = included_files((folder / "a.cu").string(), {(folder / "inc").string()});
  std::vector<std::string> names;
  for (const std::string& f : found)
    names.push_back(fs::path(f).lexically_normal().lexically_relative(folder).string());
  CHECK(names == std::vector<std::string>{"b.h", "inc/c.h", "inc/deep/d.h"});
  CHECK(included_files((folder / "none.cu").string(), {}).empty());
  fs::remove_all(folder);
}

TEST_CASE("a compiler's folders of headers are known in each of their forms") {
  CHECK(include_folders({"nvcc", "-Ia", "-I", "b", "-isystem", "c", "--include-path=d", "x.cu",
                         "-O2", "-I"}) == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK(is_code("x/a.cuh"));
  CHECK_FALSE(is_code("a.ptx"));
}
