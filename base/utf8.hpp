// The characters of a text that may be no UTF-8 at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpmem {

struct Utf8 {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
  std::size_t skip = 1;   // … of which so many bytes could have begun a character
};

// The first character of `text`, which is not empty.
Utf8 first_utf8(std::string_view text);
void put_utf8(std::string& out, std::uint32_t code);

}  // namespace warpmem
