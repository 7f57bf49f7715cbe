// Exercises about access patterns, whose answers are worked out, not looked up: a number that a
// pattern has on a card, or an expression that takes no more than it has to and still asks for the
// right elements.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "sim/pattern/evaluate.hpp"

namespace warpmem::sim::pattern {

// What is asked for of a pattern, added up over its accesses.
enum class Figure : std::uint8_t {
  kRequests,
  kSectors,     // of global memory
  kPasses,      // of shared memory's banks, beyond none of the ideal ones
  kL1Hits,      // sectors
  kAddresses,   // distinct ones of a request, of constants
  kPartitions,  // of DRAM that the addresses lie in, by the card's interleave
  kLinkRatio,   // no pattern: bytes a cycle from DRAM for each one over the link to the host
};

struct Exercise {
  std::string_view title;     // of the lesson
  std::string_view page;      // below docs/
  std::string_view question;  // in words
  std::string_view hint;      // for a wrong answer
  // With "{}" where the answer goes: an expression is asked for, whose figure has to be the ideal
  // one. Without: the figure itself is, as a number.
  std::string_view pattern;
  // What stands in that place for the right elements, lane by lane; empty: any will do.
  std::string_view elements = {};
  std::uint32_t modulo = 0;  // … compared as elements modulo this; 0: exactly
  bool any_order = false;    // … of all lanes together, not lane by lane
  // With the answer in its place, too, this has to be a pattern: what must still fit. And what is
  // wrong where it isn't.
  std::string_view fits = {}, else_wrong = {};
  Figure figure = Figure::kSectors;
  double tolerance = 0;  // of a number, as a share of it
  Dim3 grid{1, 1, 1}, block{32, 1, 1};
  std::string_view gpu = "h200";
};

// One for each lesson, in their order.
std::span<const Exercise> exercises();

struct Verdict {
  bool right = false;
  std::string words;  // what the answer comes to, and what is wrong with it
};

// An answer that cannot be read is an error.
Result<Verdict> judge(const Exercise& exercise, const model::Card& card, const std::string& answer);

}  // namespace warpmem::sim::pattern
