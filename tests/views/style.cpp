#include "views/style.hpp"
#include "tests/catch.hpp"

namespace warpmem::views {

TEST_CASE("text is broken between words, and no line is wider") {
  CHECK(wrapped("one two three", 8, 2) == "one two\n  three\n");
  CHECK(wrapped("short", 80, 2) == "short\n");
  CHECK(wrapped("grid 8x8  block", 10, 2) == "grid 8x8\n  block\n");
  CHECK(wrapped("a-word-that-is-too-long x", 5, 1) == "a-word-that-is-too-long\n x\n");
}

TEST_CASE("lines that are too wide are broken, and the others stay") {
  CHECK(fitted("short\n\n  level     sass\n", 40) == "short\n\n  level     sass\n");
  // What stands in a second column goes on below it.
  CHECK(fitted("level  one two three\n", 15) == "level  one two\n       three\n");
  CHECK(fitted("  note: one two three", 16) == "  note: one two\n    three");
  CHECK(fitted("a  a-word-of-20-columns and\n", 21) == "a\n a-word-of-20-columns\n   and\n");
}

TEST_CASE("what is too wide ends with a sign that says so") {
  CHECK(shortened("transpose", 9) == "transpose");
  CHECK(shortened("transpose_naive", 9) == "transpos…");
  CHECK(shortened("größer", 4) == "grö…");
}

TEST_CASE("colour is only where it is wanted") {
  CHECK(styled("x", Style::kRed, false) == "x");
  CHECK(styled("x", Style::kRed, true) == "\x1b[1;31mx\x1b[0m");
  CHECK(display_width(styled("größe", Style::kBold, true)) == 5);
}

}  // namespace warpmem::views
