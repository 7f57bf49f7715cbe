// Text from outside (names in traces and PTX, file names, a profiler's cells) as a terminal may see
// it: what could move the cursor, change colours or turn the direction of writing is spelled out.
#pragma once

#include <string>
#include <string_view>

namespace warpmem {

// One line of valid UTF-8. "\n", "\t" and "\r" are spelled so, other control characters and bytes
// that are no UTF-8 as "\x1b", invisible ones beyond ASCII as "\u{202e}".
std::string printable(std::string_view text);

// The same for a text of several lines: line ends and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace warpmem
