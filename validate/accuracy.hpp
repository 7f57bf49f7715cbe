// How close the model came to hardware, as validation measured it: by card, level of the trace,
// engine and metric. `warpmem validate --accuracy` measures it over a card's reference; the result
// for the references that ship is validate/accuracy.csv, built into the program.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "validate/compare.hpp"

namespace warpmem::validate {

struct Accuracy {
  std::string gpu, level, engine, metric;
  std::size_t launches = 0;    // in which the metric is large enough to say something
  std::size_t equal = 0;       // of them the same number on both sides
  double median = 0, p90 = 0;  // of the size of the error, symmetric_error(): 0.01 is 1 %
};

// Of each metric and level with at least one launch to say something about. Launches that a known
// deviation covers count as all others do.
std::vector<Accuracy> accuracy_of(const Report& report);

// A row each, with a heading; numbers that come back as they were.
std::string accuracy_csv(std::span<const Accuracy> rows);
// kMalformed, naming the line, when the text is not what accuracy_csv() writes.
Result<std::vector<Accuracy>> parse_accuracy(std::string_view text, const std::string& place);

// What ships with this build.
std::span<const Accuracy> measured_accuracy();
// nullptr: nobody measured it.
const Accuracy* measured_accuracy(std::string_view gpu, std::string_view level,
                                  std::string_view engine, std::string_view metric);

// "4.5 %", "45 %": a tenth where it says something.
std::string percent(double share);

// "equal in all 191", "median 0.3 %, 90th percentile 4.5 %".
std::string accuracy_text(const Accuracy& accuracy);

}  // namespace warpmem::validate
