// What changed by source line between two traces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/card/card.hpp"

namespace warpmem::command {

struct LineDifference {
  std::string kernel_before, kernel_after;
  std::string place;    // "transpose.cu:28 store"
  std::string counter;  // "sectors", "wavefronts"
  std::uint64_t before = 0, after = 0;
};
// By line and kind of access, launch by launch; the largest differences first.
Result<std::vector<LineDifference>> line_differences(const std::string& before,
                                                     const std::string& after,
                                                     const model::Card& card);

}  // namespace warpmem::command
