#include "base/units.hpp"

#include <limits>

#include "tests/catch.hpp"

using namespace warpmem;

TEST_CASE("digits are grouped by three") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(grouped(std::numeric_limits<std::uint64_t>::max()) == "18,446,744,073,709,551,615");
}

TEST_CASE("a number shows as an integer when it is one, with four digits otherwise") {
  CHECK(number(131072) == "131,072");
  CHECK(number(-4096) == "-4,096");
  CHECK(number(0.123456) == "0.1235");
  CHECK(number(1234.56) == "1,234.6");
  CHECK(number(1999.97) == "2,000.0");
  CHECK(number(std::numeric_limits<double>::quiet_NaN()) == "n/a");
}

TEST_CASE("byte sizes are binary and keep small ones exact") {
  CHECK(byte_size(0) == "0 B");
  CHECK(byte_size(1023) == "1,023 B");
  CHECK(byte_size(1024) == "1 KiB");
  CHECK(byte_size(1536) == "1.5 KiB");
  CHECK(byte_size(62914560) == "60 MiB");
}

TEST_CASE("durations read in the unit a person would choose") {
  CHECK(duration(0.0000042) == "4.2 us");
  CHECK(duration(0.0042) == "4.2 ms");
  CHECK(duration(12.34) == "12.3 s");
  CHECK(duration(83) == "1m23s");
  CHECK(duration(3 * 3600 + 5 * 60) == "3h05m");
}

TEST_CASE("byte sizes are read with binary, decimal and no suffix") {
  CHECK(parse_bytes("4096") == 4096);
  CHECK(parse_bytes("64KiB") == 65536);
  CHECK(parse_bytes("64 KiB") == 65536);
  CHECK(parse_bytes("1.5MiB") == 1572864);
  CHECK(parse_bytes("2GB") == 2000000000);
  CHECK(parse_bytes("7B") == 7);
}

TEST_CASE("what is no byte size is refused") {
  for (const char* text : {"", "KiB", "-1", "64Kib", "64 k", "0.5", "1.0001KiB", "nan", "1e300"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_bytes(text).has_value());
  }
}
