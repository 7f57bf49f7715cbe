// What an axis of a sweep takes, as people write it:
//   a,b,c       these, in this order
//   a:b         from a to b, each twice the one before
//   a:b:s       from a to b in steps of s
//   a:b:*f      from a to b, each f times the one before, in whole numbers
// Ends may be sizes ("32KiB"); then all are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpmem::sweep {

constexpr std::size_t kMostValues = 1'000'000;

// `place`: what an error stands for, "--vary l1.size".
Result<std::vector<std::string>> read_range(const std::string& text, const std::string& place);

// "65536" as "64KiB", where it is a whole number of KiB or MiB.
std::string size_text(std::uint64_t bytes);

}  // namespace warpmem::sweep
