// A comparison as people and programs read it: aligned tables, JSON, CSV. Strings only; the
// command prints them.
#pragma once

#include <string>
#include <vector>

#include "validate/compare.hpp"

namespace warpmem::validate {

struct ViewOptions {
  bool colour = false;
  bool all = false;                  // every metric of every launch, not one entry a kernel
  int width = 140;                   // columns of the terminal
  std::vector<std::string> heading;  // where the numbers come from; printed first
  std::vector<std::string> notes;    // what the reader should know; printed last
  // All of the card's reference was compared, so that a deviation nobody needs has really gone.
  bool whole_reference = false;
};

std::string table_view(const Report& report, const ViewOptions& options);
// {"schema":1,"gpu":…,"summary":[…],"launches":[…]…}, ends with a newline.
std::string json_view(const Report& report, const ViewOptions& options);
// Long form: run, launch, kernel, metric, unit, match, predicted, measured, error, verdict, reason,
// engine, level.
std::string csv_view(const Report& report);

}  // namespace warpmem::validate
