#include "base/toml_values.hpp"

#include "tests/catch.hpp"

using namespace warpmem;

namespace {

const toml::table& file() {
  static const toml::table kFile = toml::parse(R"(whole = 7
negative = -1
real = 0.5
text = "x"
size = "4KiB"
yes = true
list = [1]
endless = inf
)");
  return kFile;
}

const toml::node& node(const char* key) { return *file().get(key); }

}  // namespace

TEST_CASE("a TOML value is taken by its own type only") {
  const WholeRange count{0, 10, "", false}, bytes{0, 10000, "bytes", true};
  CHECK(*toml_whole(node("whole"), "seed", count, "f") == 7);
  CHECK(*toml_whole(node("size"), "size", bytes, "f") == 4096);
  CHECK(*toml_real(node("real"), "min", {0, 1, false}, "f") == 0.5);
  CHECK(*toml_real(node("whole"), "min", {0, 10, false}, "f") == 7);
  CHECK(*toml_flag(node("yes"), "cooperative", "f"));
  CHECK(*toml_text(node("text"), "entry", "f") == "x");
  for (const char* key : {"real", "text", "yes", "list", "size", "negative"})
    CHECK_FALSE(toml_whole(node(key), key, count, "f").ok());
  for (const char* key : {"text", "yes", "list", "endless"})
    CHECK_FALSE(toml_real(node(key), key, {0, 10, false}, "f").ok());
  for (const char* key : {"text", "whole", "real", "list"})
    CHECK_FALSE(toml_flag(node(key), key, "f").ok());
  for (const char* key : {"yes", "whole", "real", "list"})
    CHECK_FALSE(toml_text(node(key), key, "f").ok());
}

TEST_CASE("what is wrong with a TOML value is said with its line, the value and the fix") {
  CHECK(toml_whole(node("negative"), "seed", {}, "l.toml").error().text() ==
        "l.toml, line 2: seed = -1 is less than 0\n  fix: write a whole number, 0 or more");
  CHECK(
      toml_whole(node("text"), "seed", {}, "l.toml").error().text() ==
      "l.toml, line 4: seed = \"x\" is not a whole number\n  fix: write a whole number, 0 or more");
  CHECK(toml_flag(node("text"), "cooperative", "l.toml").error().text() ==
        "l.toml, line 4: cooperative = \"x\" is neither true nor false\n"
        "  fix: write cooperative = true or cooperative = false, without quotes");
  CHECK(toml_whole(node("text"), "size", {0, 10, "bytes", true}, "l.toml").error().text() ==
        "l.toml, line 4: size: 'x' is not a whole number\n"
        "  fix: write a whole number of bytes from 0 B to 10 B, or a size as 64KiB");
}

TEST_CASE("beyond ASCII a character stands in quotes or in a comment, or is refused") {
  for (const char* text : {"a = \"é\"", "a = 'é'", "a = 1  # é", "\"é\" = 1",
                           "a = \"\"\"é\n\"é\"\"\"", "a = '''\n'é'''"}) {
    INFO(text);
    CHECK(toml_table(text, "x.toml").ok());
  }
  for (const char* text :
       {"é = 1", "b = 1\ninhe\xEF\xB8\xBFnt = 1", "b = 2\na = 1 é", "name =9\"\"\"'''\xD1\xA0 1"}) {
    INFO(text);
    const auto table = toml_table(text, "x.toml");
    REQUIRE_FALSE(table.ok());
    CHECK(table.error().text().find("not valid TOML") != std::string::npos);
  }
}
