// Launches that a trace leaves out because they are equal to one that is in it. It becomes known
// after that launch has ended, so a note says it, in words that a reader takes back apart; one from
// before shows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpmem::trace {

struct Repeats {
  std::uint32_t launch = 0;  // Launch::id of the one in the trace
  std::uint64_t ran = 1;     // times in a row, itself among them
  std::uint64_t otherwise =
      0;  // of these: had its arguments, but ran another number of instructions
  bool operator==(const Repeats&) const = default;
};

std::string repeats_note(const Repeats& repeats);
std::optional<Repeats> parse_repeats(
    std::string_view note);  // nothing: the note says something else

}  // namespace warpmem::trace
