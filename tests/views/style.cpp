#include "views/style.hpp"
#include "tests/catch.hpp"

namespace warpmem::views {

TEST_CASE("text is broken between words, and no line is wider") {
  CHECK(wrapped("one two three", 8, 2) == "one two\n  three\n");
  CHECK(wrapped("short", 80, 2) == "short\n");
  CHECK(wrapped("grid 8x8  block", 10, 2) == "grid 8x8\n  block\n");
  CHECK(wrapped("a-word-that-is-too-long x", 5, 1) == "a-word-that-is-too-long\n x\n");
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
