// "Did you mean …": the known name closest to what somebody typed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpmem {

// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
unsigned edit_distance(std::string_view a, std::string_view b);

// The known name with the fewest edits to `name`, the first of equals; empty when even that one
// is too far off to be what was meant (more than a third of its letters, and more than two).
std::string nearest(std::string_view name, std::span<const std::string> known);

}  // namespace warpmem
