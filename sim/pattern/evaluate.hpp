// Runs a pattern's statements for the threads of a warp, all lanes together.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/dim3.hpp"
#include "base/error.hpp"
#include "model/access/access.hpp"
#include "sim/pattern/syntax.hpp"

namespace warpmem::sim::pattern {

struct Shape {
  Dim3 grid{1, 1, 1}, block{32, 1, 1};
  std::map<std::string, std::int64_t> let;
  std::uint64_t most_rounds = 1 << 22;  // of a warp's loops, together
};

// Where an array begins.
std::vector<std::uint64_t> bases_of(const Program& program);

// One access of a warp; `part` of an element that takes several instructions.
using TakeAccess =
    std::function<void(std::uint32_t access, std::uint32_t part, const model::WarpAccess&)>;

// `cta`: in the grid. An index that is no place in its array is an error.
Result<void> run_warp(const Program& program, const Shape& shape, std::uint64_t cta,
                      std::uint32_t warp, const TakeAccess& take);

}  // namespace warpmem::sim::pattern
