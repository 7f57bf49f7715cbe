#include "base/error.hpp"

#include "tests/catch.hpp"

using warpmem::Error;
using warpmem::ErrorKind;
using warpmem::Result;

TEST_CASE("every kind of error has the exit status of the documentation") {
  CHECK(exit_status(ErrorKind::kCheckFailed) == 1);
  CHECK(exit_status(ErrorKind::kUsage) == 2);
  CHECK(exit_status(ErrorKind::kMalformed) == 3);
  CHECK(exit_status(ErrorKind::kIncomplete) == 4);
  CHECK(exit_status(ErrorKind::kResources) == 5);
  CHECK(exit_status(ErrorKind::kEnvironment) == 6);
  CHECK(exit_status(ErrorKind::kInternal) == 70);
  CHECK(exit_status(ErrorKind::kInterrupted) == 130);
}

TEST_CASE("an error's text has the place first and the fix on a line of its own") {
  const Error full{ErrorKind::kMalformed, "the header is damaged", "t.wmt, byte 8", "record again"};
  CHECK(full.text() == "t.wmt, byte 8: the header is damaged\n  fix: record again");
}

TEST_CASE("an error without place and fix is its message alone") {
  CHECK(Error{ErrorKind::kUsage, "no trace given", "", ""}.text() == "no trace given");
}

TEST_CASE("a result holds a value or an error, never both") {
  const Result<int> value(7);
  REQUIRE(value.ok());
  CHECK(*value == 7);
  const Result<int> error(Error{ErrorKind::kUsage, "wrong", "", ""});
  REQUIRE_FALSE(error.ok());
  CHECK(error.error().message == "wrong");
}

TEST_CASE("a result of nothing is a success until it carries an error") {
  CHECK(Result<void>().ok());
  CHECK_FALSE(Result<void>(Error{}).ok());
}
