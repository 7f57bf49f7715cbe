#include "base/read_number.hpp"

#include <limits>

#include "tests/catch.hpp"

using namespace warpmem;

namespace {

std::string refused(std::string_view text, const WholeRange& range) {
  const auto read = read_whole(text, range, "--limit");
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().kind == ErrorKind::kUsage);
  CHECK(read.error().place == "--limit");
  return read.error().message;
}

}  // namespace

TEST_CASE("a whole number is read up to the ends of its range") {
  const WholeRange range{1, 4096, "records", false};
  CHECK(*read_whole("1", range, "") == 1);
  CHECK(*read_whole("4096", range, "") == 4096);
  CHECK(*read_whole("4,096", range, "") == 4096);
  CHECK(*read_whole("18446744073709551615", {}, "") == kNoMost);
  CHECK(*read_whole("18,446,744,073,709,551,615", {}, "") == kNoMost);
}

TEST_CASE("a number that does not fit is refused, not wrapped") {
  const WholeRange range{1, 4096, "records", false};
  CHECK(refused("-1", range) == "'-1' is less than 1");
  CHECK(refused("0", range) == "'0' is less than 1");
  CHECK(refused("4097", range) == "'4097' is more than 4,096");
  CHECK(refused("18446744073709551616", {}) ==
        "'18446744073709551616' is more than 18,446,744,073,709,551,615");
  CHECK(refused("-18446744073709551616", {}) == "'-18446744073709551616' is less than 0");
  CHECK(read_whole("-1", range, "").error().fix ==
        "write a whole number of records from 1 to 4,096");
}

TEST_CASE("what is no whole number is called so") {
  for (const char* text :
       {"",    " ",   "x", "1.5", "1e3",    "0x10", "+1",       "1 ",      " 1",    "nan",
        "inf", "--1", "-", "1,2", "1,2345", ",123", "1234,567", "12,,345", "64KiB", "1,"})
    CHECK(refused(text, {}) == "'" + std::string(text) + "' is not a whole number");
  CHECK(read_whole("x", {}, "").error().fix == "write a whole number, 0 or more");
}

TEST_CASE("bytes are read as sizes too, and only bytes") {
  const WholeRange bytes{0, 1 << 20, "bytes", true};
  CHECK(*read_whole("64KiB", bytes, "") == 65536);
  CHECK(*read_whole("64 KiB", bytes, "") == 65536);
  CHECK(*read_whole("1.5KiB", bytes, "") == 1536);
  CHECK(*read_whole("262,656 B", bytes, "") == 262656);  // as messages name it
  CHECK_FALSE(read_whole("2,62 B", bytes, "").ok());
  CHECK(refused("2MiB", bytes) == "'2MiB' is more than 1 MiB");
  CHECK(refused("-2MiB", bytes) == "'-2MiB' is less than 0 B");
  CHECK(refused("1.3", bytes) == "'1.3' is not a whole number");
  CHECK(read_whole("nan", bytes, "").error().fix ==
        "write a whole number of bytes from 0 B to 1 MiB, or a size as 64KiB");
}

TEST_CASE("a fraction lies in its range, and is finite") {
  const RealRange fraction{0, 1, true};
  CHECK(*read_real("0.25", fraction, "") == 0.25);
  CHECK(*read_real("1", fraction, "") == 1);
  for (const char* text : {"0", "-0.1", "1.01", "nan", "inf", "1e999", "half", "", "0.5x"})
    CHECK_FALSE(read_real(text, fraction, "--ctas").ok());
  CHECK(read_real("0", fraction, "--ctas").error().text() ==
        "--ctas: '0' is not above 0\n  fix: write a number above 0 and at most 1");
}

TEST_CASE("a range of launches has two ends, one or a single number") {
  const auto range = [](std::string_view text) {
    const auto r = read_counted_range(text, "launches", "--launch");
    REQUIRE(r.ok());
    return std::pair(r->first, r->end);
  };
  CHECK(range("3") == std::pair<std::uint64_t, std::uint64_t>(3, 4));
  CHECK(range("3:7") == std::pair<std::uint64_t, std::uint64_t>(3, 7));
  CHECK(range("3:") == std::pair<std::uint64_t, std::uint64_t>(3, kNoMost));
  CHECK(range(":7") == std::pair<std::uint64_t, std::uint64_t>(0, 7));
  for (const char* text :
       {"", ":", "x", "3:3", "7:3", "-1", "-1:3", "1:2:3", "18446744073709551615", "3.5"})
    CHECK_FALSE(read_counted_range(text, "launches", "--launch").ok());
}
