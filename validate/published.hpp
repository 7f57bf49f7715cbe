// How close the model comes to counters that others published of GPUs of each card
// (tests/catalogue): by card, in numbers of rows.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpmem::validate {

struct Published {
  std::string gpu;  // a card
  std::size_t rows = 0;
  // Of them: to the last digit that was printed; within 1 % or half a point; within 5 %; further
  // off, or of a kind that arbitration or order moves.
  std::size_t equal = 0, within_1 = 0, within_5 = 0, beyond = 0;
  // Kernels whose time was published, and how far off the time engine is: in the middle of them,
  // and of nine of ten, in per mille.
  std::size_t times = 0, time_median = 0, time_p90 = 0;
};

// kMalformed, naming the line, when the text is no such table.
Result<std::vector<Published>> parse_published(std::string_view text, const std::string& place);
// What ships with this build.
std::span<const Published> published();
const Published* published(std::string_view gpu);  // nullptr: no row is of it
// "31 % off in the median of 12 published times, 60 % in one of ten"; empty: none is known.
std::string time_band_text(std::string_view gpu);
// For a card of which no time is known: "not measured; 4 to 28 % off in the median on 8 other cards
// whose times were published".
std::string other_cards_times_text();

}  // namespace warpmem::validate
