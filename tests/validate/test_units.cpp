#include "tests/catch.hpp"
#include "validate/units.hpp"

using namespace warpmem::validate;

TEST_CASE("units become base units") {
  struct Row {
    const char* printed;
    double factor;
    const char* base;
  };
  for (const Row& r : {Row{"", 1, ""},
                       {"byte", 1, "byte"},
                       {"Kbyte", 1e3, "byte"},
                       {"Mbyte", 1e6, "byte"},
                       {"Gbyte", 1e9, "byte"},
                       {"Kibyte", 1024, "byte"},
                       {"sector", 1, "sector"},
                       {"inst", 1, "inst"},
                       {"%", 1, "%"},
                       {"nsecond", 1, "ns"},
                       {"ns", 1, "ns"},
                       {"usecond", 1e3, "ns"},
                       {"us", 1e3, "ns"},
                       {"msecond", 1e6, "ns"},
                       {"ms", 1e6, "ns"},
                       {"second", 1e9, "ns"},
                       {"s", 1e9, "ns"},
                       {"hz", 1, "hz"},
                       {"Ghz", 1e9, "hz"},
                       {"Mhz", 1e6, "hz"},
                       {"cycle/nsecond", 1e9, "hz"},
                       {"Gbyte/second", 1e9, "byte/s"},
                       {"byte/ns", 1e9, "byte/s"},
                       {"Kbyte/block", 1e3, "byte/block"},
                       {"register/thread", 1, "register/thread"}}) {
    INFO(r.printed);
    const auto scale = unit_scale(r.printed);
    CHECK(scale.known);
    CHECK(scale.factor == Approx(r.factor));
    CHECK(scale.base == r.base);
  }
  CHECK_FALSE(unit_scale("furlong").known);
}

TEST_CASE("numbers in either style") {
  const auto point = [](const char* s) { return parse_number(s, NumberStyle::kPoint).value; };
  const auto comma = [](const char* s) { return parse_number(s, NumberStyle::kComma).value; };
  CHECK(point("1,234,567.5") == 1234567.5);
  CHECK(point("0") == 0);
  CHECK(point("-3") == -3);
  CHECK(point("4.0e-05") == 4.0e-05);
  CHECK(point("1'234") == 1234);
  CHECK(point("1\xC2\xA0"
              "234") == 1234);
  CHECK(point("131072 (65536; 65536)") == 131072);
  CHECK(comma("1.234,5") == 1234.5);
  CHECK(comma("117.344") == 117344);
  CHECK_FALSE(point("1,23"));  // no group of three: not a number in this style
  CHECK_FALSE(point("12abc"));
  CHECK_FALSE(point("1.2.3"));
  CHECK_FALSE(point("1e999"));
  CHECK(parse_number("x", NumberStyle::kPoint).text);
  CHECK_FALSE(parse_number("N/A", NumberStyle::kPoint).text);
}

TEST_CASE("what one number says about its file's style") {
  CHECK(style_evidence("1,234.5") == NumberStyle::kPoint);
  CHECK(style_evidence("1.234,5") == NumberStyle::kComma);
  CHECK(style_evidence("1,234,567") == NumberStyle::kPoint);
  CHECK(style_evidence("1.234.567") == NumberStyle::kComma);
  CHECK(style_evidence("65.77") == NumberStyle::kPoint);
  CHECK(style_evidence("0.123") == NumberStyle::kPoint);
  CHECK(style_evidence("65,77") == NumberStyle::kComma);
  for (const char* both : {"1234", "1,234", "1.234", "580.159.04", "abc", ""})
    CHECK_FALSE(style_evidence(both));
}
