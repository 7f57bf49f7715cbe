// Formulas of metrics: + - * / and parentheses over numbers and names of counters.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.hpp"

namespace warpmem::metrics {

// `named` gives the value of a name in it. What cannot be known, or would divide by nothing, is a
// Value that says why.
Value evaluate(std::string_view formula, const std::function<Value(std::string_view name)>& named);
// The names in it, each once, in their order.
std::vector<std::string> names_in(std::string_view formula);

}  // namespace warpmem::metrics
