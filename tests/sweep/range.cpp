#include "sweep/range.hpp"

#include "tests/catch.hpp"

namespace {

using warpmem::sweep::read_range;
using Texts = std::vector<std::string>;

Texts range(const std::string& text) { return read_range(text, "--vary k").value(); }
std::string error(const std::string& text) {
  const auto read = read_range(text, "--vary k");
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().kind == warpmem::ErrorKind::kUsage);
  CHECK(read.error().place == "--vary k");
  CHECK_FALSE(read.error().fix.empty());
  return read.error().message;
}

TEST_CASE("a list is taken as it is, and lists in brackets are one value each") {
  CHECK(range("lru, fifo,random") == Texts{"lru", "fifo", "random"});
  CHECK(range("[1, 2],[3]") == Texts{"[1, 2]", "[3]"});
  CHECK(range("4") == Texts{"4"});
}

TEST_CASE("a range without a step doubles, and keeps its unit") {
  CHECK(range("32KiB:256KiB") == Texts{"32KiB", "64KiB", "128KiB", "256KiB"});
  CHECK(range("1:10") == Texts{"1", "2", "4", "8"});
}

TEST_CASE("a range with a step adds it, and its end belongs to it") {
  CHECK(range("2:11:3") == Texts{"2", "5", "8", "11"});
  CHECK(range("512KiB:1MiB:256KiB") == Texts{"512KiB", "768KiB", "1MiB"});
  CHECK(range("5:5:1") == Texts{"5"});
}

TEST_CASE("a range with a factor multiplies, in whole numbers, each once") {
  CHECK(range("1:100:*10") == Texts{"1", "10", "100"});
  CHECK(range("1:6:*1.5") == Texts{"1", "2", "3", "5"});
}

TEST_CASE("a range that is empty, has no step, or no end is refused with its reason") {
  CHECK(error("8:4") == "the range '8:4' is empty: 8 is more than 4");
  CHECK(error("") == "the range is empty");
  CHECK(error("1,,2") == "'1,,2' has an empty value");
  CHECK(error("1,2,1") == "'1,2,1' has 1 twice");
  CHECK(error("1:8:0") == "'0' in '1:8:0' is no step");
  CHECK(error("a:8") == "'a' is no whole number");
  CHECK(error("0:8") == "'0:8' begins with 0, of which every multiple is 0");
  CHECK(error("1:2:3:4") == "'1:2:3:4' is no range");
  CHECK(error("0:10000000:1") == "the range '0:10000000:1' has more than 1,000,000 values");
}

}  // namespace
