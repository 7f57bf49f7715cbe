// Numbers that people write: in a command line, a file or an environment variable. Each is read
// here, with the range in which it may lie, so that none wraps or is cut off in silence. An error
// says the value, the range and what to write.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpmem {

constexpr std::uint64_t kNoMost = ~std::uint64_t{0};

struct WholeRange {
  std::uint64_t least = 0;
  std::uint64_t most = kNoMost;
  std::string_view unit = "";  // a plural: "records"
  bool sizes = false;          // bytes: "64KiB" as well
};

struct RealRange {
  double least = 0;
  double most = 1;
  bool above = false;  // `least` itself is not allowed
};

// A part of what is counted from 0: those from `first` to `end` - 1.
struct CountedRange {
  std::uint64_t first = 0;
  std::uint64_t end = kNoMost;
};

// `place`: what the error stands for, "dump --limit". Groups of digits as messages show them
// ("1,000,000") are read as well.
Result<std::uint64_t> read_whole(std::string_view text, const WholeRange& range,
                                 const std::string& place);
// A finite number.
Result<double> read_real(std::string_view text, const RealRange& range, const std::string& place);
// "3", "3:7", "3:" and ":7" of `unit` ("launches").
Result<CountedRange> read_counted_range(std::string_view text, std::string_view unit,
                                        const std::string& place);

// A number that a file holds as such; `shown` is what the message calls it, "grid = 0".
Result<std::uint64_t> check_whole(std::int64_t value, const WholeRange& range,
                                  const std::string& shown, const std::string& place);
Result<double> check_real(double value, const RealRange& range, const std::string& shown,
                          const std::string& place);

// "a whole number of records from 1 to 4,096", "a number above 0 and at most 1".
std::string allowed(const WholeRange& range);
std::string allowed(const RealRange& range);

}  // namespace warpmem
