// Errors as values. Libraries never print, exit or throw across a room's border:
// they return Result<T>, and the command turns an Error into one message and an exit status.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace warpmem {

// What went wrong, in the order of the command's exit statuses (docs/reference/exit-status.md).
enum class ErrorKind {
  kCheckFailed,  // 1: a comparison did not hold (validate, diff)
  kUsage,        // 2: wrong option, wrong card, wrong configuration
  kMalformed,    // 3: the input is not what it says it is
  kIncomplete,   // 4: the input is cut short and --partial was not given
  kResources,    // 5: out of memory, disk, or the time that was allowed
  kEnvironment,  // 6: no GPU, no permission, no nvcc
  kInternal,     // 70: our bug
  kInterrupted,  // 130: the user stopped it
};

// The process exit status of each kind.
int exit_status(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;  // what is wrong, one sentence without a final stop
  std::string place;    // file, and where in it: "t.wmt, block 3, byte 1042"; may be empty
  std::string fix;      // what the reader can do about it, one sentence; may be empty

  // "place: message\n  fix: …", the form every error is shown in.
  std::string text() const;
};

// A value or an Error. Result<void> carries only success or the Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  explicit operator bool() const { return state_.index() == 0; }
  bool ok() const { return state_.index() == 0; }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  // Not defaulted: `return {}` would set all of the room for an Error to zero first, which takes
  // longer than most of what succeeds.
  Result() {}  // NOLINT(modernize-use-equals-default)
  Result(Error error) : error_(std::move(error)) {}
  explicit operator bool() const { return !error_; }
  bool ok() const { return !error_; }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace warpmem
