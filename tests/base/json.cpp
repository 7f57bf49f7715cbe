#include "base/json.hpp"

#include <array>
#include <cstdlib>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "tests/catch.hpp"

using namespace warpmem;

#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // those have an allocator of their own
#define WARPMEM_COUNTS_ALLOCATIONS
#endif

#ifdef WARPMEM_COUNTS_ALLOCATIONS
namespace {
thread_local long left = -1;  // allocations until one fails; below 0: none does
thread_local bool failed = false;

void* take(std::size_t bytes) {
  if (left == 0) {
    left = -1;
    failed = true;
    throw std::bad_alloc();
  }
  if (left > 0) --left;
  if (void* const at = std::malloc(bytes ? bytes : 1)) return at;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t bytes) { return take(bytes); }
void* operator new[](std::size_t bytes) { return take(bytes); }
void operator delete(void* at) noexcept { std::free(at); }
void operator delete[](void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }
void operator delete[](void* at, std::size_t) noexcept { std::free(at); }
#endif

namespace {

Json sample() {
  Json out{{"schema", 1},
           {"list", {1, -2, 2.5, "x", true, nullptr}},
           {"pairs", {{"a", 1}, {"b", {{"c", 2}}}}}};
  out["empty"] = Json::array();
  out["nothing"] = Json::object();
  out["dims"] = std::array<std::uint32_t, 3>{4, 5, 6};
  out["names"] = std::vector<std::string>{"q", "w"};
  out["map"] = std::map<std::string, double>{{"k", 1.5}};
  for (int i = 0; i < 3; ++i) out["rows"].push_back({{"i", i}, {"text", std::string(30, 'x')}});
  return out;
}

std::string of(double value) { return Json(value).text(); }

}  // namespace

TEST_CASE("JSON: objects, arrays and values are written in the order in which they came") {
  CHECK(
      sample().text() ==
      R"({"schema":1,"list":[1,-2,2.5,"x",true,null],"pairs":{"a":1,"b":{"c":2}},"empty":[],"nothing":{},"dims":[4,5,6],)"
      R"("names":["q","w"],"map":{"k":1.5},"rows":[{"i":0,"text":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},)"
      R"({"i":1,"text":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},{"i":2,"text":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}]})");
  CHECK(Json{{"a", {1, {{"b", 2}}}}, {"e", Json::array()}}.text(2) ==
        "{\n  \"a\": [\n    1,\n    {\n      \"b\": 2\n    }\n  ],\n  \"e\": []\n}");
}

TEST_CASE("JSON: a number reads back as what it was, and what is no number is null") {
  CHECK(of(0) == "0.0");
  CHECK(of(-0.0) == "-0.0");
  CHECK(of(1) == "1.0");
  CHECK(of(-12.25) == "-12.25");
  CHECK(of(1e15) == "1e+15");
  CHECK(of(123456789012345) == "123456789012345.0");
  CHECK(of(0.0001) == "0.0001");
  CHECK(of(0.00001) == "1e-05");
  CHECK(of(1.5e300) == "1.5e+300");
  CHECK(of(5e-324) == "5e-324");
  CHECK(of(1.0 / 3) == "0.3333333333333333");
  CHECK(of(1.0 / 0.0) == "null");
  CHECK(Json(~std::uint64_t{0}).text() == "18446744073709551615");
  CHECK(Json(std::int64_t{-9223372036854775807 - 1}).text() == "-9223372036854775808");
  for (const double value :
       {0.1, 1e22, 1.7976931348623157e308, 901887354400979.25, 2.2250738585072014e-308})
    CHECK(Json::parse(of(value), "t")->as_double() == value);
}

TEST_CASE("JSON: text is escaped, and bytes that are no UTF-8 are replaced") {
  CHECK(Json("a\"\\\n\t\x01\x7f\xc3\xa4").text() == "\"a\\\"\\\\\\n\\t\\u0001\x7f\xc3\xa4\"");
  CHECK(Json("\xff|\xc3|\xe2\x82|\xed\xa0\x80|\xf5").text() ==
        "\"\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|"
        "\xef\xbf\xbd\"");
}

TEST_CASE("JSON: what is written reads back, and what is none is refused with its place") {
  const Json json = sample();
  for (const int indent : {-1, 0, 2}) {
    const auto again = Json::parse(json.text(indent), "t");
    REQUIRE(again);
    CHECK(*again == json);
  }
  CHECK(Json::parse(R"( "\u0041\ud83d\ude00\/\n" )", "t")->text() == "\"A\xf0\x9f\x98\x80/\\n\"");
  CHECK(Json::parse(R"({"a":1,"a":2})", "t")->find("a")->as_unsigned() == std::uint64_t{2});
  for (const std::string wrong :
       {"",         "{",   "[1,]",  "{\"a\"}", "{\"a\":1,}", "01",      "-",           "1.",
        "1e",       "+1",  ".5",    "nul",     "\"",         "\"\\x\"", "\"\\ud800\"", "\"\n\"",
        "\"\xff\"", "1 2", "[1 2]", "NaN",     "1e999",      "'a'",     "{1:2}"}) {
    const auto read = Json::parse(wrong, "t.json");
    INFO(wrong);
    REQUIRE(!read.ok());
    CHECK(read.error().kind == ErrorKind::kMalformed);
    CHECK(read.error().place.starts_with("t.json, byte "));
  }
  CHECK_FALSE(Json::parse(std::string(100000, '['), "t").ok());
}

#ifdef WARPMEM_COUNTS_ALLOCATIONS
TEST_CASE("whichever allocation fails, it is said, and nothing is lost") {
  const std::string text = sample().text(2);
  int tries = 0;
  for (long n = 0;; ++n, ++tries) {
    failed = false;
    bool said = false;
    left = n;
    try {
      const Json made = sample();
      Json copy = made;
      copy = made;
      copy["rows"].push_back(made);
      const auto read = Json::parse(made.text(2), "t");
      const bool same = read && read->text(2) == text;
      left = -1;
      if (!failed) CHECK(same);
    } catch (const std::bad_alloc&) {
      said = true;
    }
    left = -1;
    if (!failed) break;
    CHECK(said);
  }
  CHECK(tries > 50);
}
#endif
