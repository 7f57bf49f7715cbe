// The words of an access pattern's text, each with its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpmem::sim::pattern {

struct Token {
  enum class Kind : std::uint8_t { kName, kNumber, kSign, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;        // a name may have dots: "threadIdx.x"
  std::int64_t value = 0;  // of a number
  std::size_t at = 0;      // byte in the text
};

// The last one is kEnd.
Result<std::vector<Token>> tokens_of(std::string_view text);

// An error with the text's line and a caret under the place.
Error error_at(std::string_view text, std::size_t at, const std::string& message,
               const std::string& fix);

}  // namespace warpmem::sim::pattern
