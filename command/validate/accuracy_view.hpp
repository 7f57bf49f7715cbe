// Measured accuracy as people and programs read it.
#pragma once

#include <span>
#include <string>

#include "command/screen/output.hpp"
#include "validate/accuracy.hpp"

namespace warpmem::command {

// A table for each card, level and engine, and which levels nobody measured; JSON:
// {"schema":1,"accuracy":[…],"not_measured":[…]}; CSV as validate/accuracy.csv.
std::string accuracy_view(std::span<const validate::Accuracy> rows, const OutputOptions& options);

// The metrics that people look at first, of these.
std::vector<validate::Accuracy> main_metrics(std::span<const validate::Accuracy> rows);

}  // namespace warpmem::command
