#include "base/printable.hpp"

#include "base/error.hpp"
#include "tests/catch.hpp"

using warpmem::Error;
using warpmem::ErrorKind;
using warpmem::printable;
using warpmem::printable_lines;

TEST_CASE("what a terminal would act on is spelled out") {
  CHECK(printable("\x1b]0;title\x07") == "\\x1b]0;title\\x07");
  CHECK(printable("a\nb\tc\rd") == "a\\nb\\tc\\rd");
  CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(printable("\x7f") == "\\x7f");
  CHECK(printable("\u0085") == "\\u{85}");    // a line end of the second control set
  CHECK(printable("\u009b") == "\\u{9b}");    // its ESC [
  CHECK(printable("\u202e") == "\\u{202e}");  // writes backwards
}

TEST_CASE("bytes that are no UTF-8 are spelled out one by one") {
  CHECK(printable("a\xff") == "a\\xff");
  CHECK(printable("\xc3") == "\\xc3");                             // cut short
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");                    // longer than it has to be
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // half of a pair
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // behind the last character
}

TEST_CASE("names in any script stay as they are") {
  for (const char* name : {"copy(float*)", "Größe", "核函数", "🚀 launch", "×2 …"})
    CHECK(printable(name) == name);
}

TEST_CASE("a text of several lines keeps its line ends and tabs, and nothing else") {
  CHECK(printable_lines("a\n\tb\x1b\r") == "a\n\tb\\x1b\\r");
}

TEST_CASE("an error cannot be made to move the cursor, nor to look like two") {
  const Error error{ErrorKind::kUsage, "no 'x\nwarpmem: error: y'", "a\x1b[2J\nb", "c\nd"};
  CHECK(error.text() == "a\\x1b[2J\\nb: no 'x\n  warpmem: error: y'\n  fix: c\\nd");
}
