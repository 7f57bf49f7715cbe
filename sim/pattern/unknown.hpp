// What a pattern leaves open: an element, or whether there is an access at all, that hangs on what
// memory holds.
#pragma once

#include <optional>

#include "base/error.hpp"
#include "sim/pattern/syntax.hpp"

namespace warpmem::sim::pattern {

// kUsage with its place, where an index, a bound of a loop or a condition is made of what an access
// gives. No number that came of it would be true.
std::optional<Error> left_open(const Program& program);

}  // namespace warpmem::sim::pattern
