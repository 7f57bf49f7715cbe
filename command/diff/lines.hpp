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
  std::string place;    // "transpose.cu:28 global store", "naive.cu:28 -> tiled.cu:31 global store"
  std::string counter;  // "sectors", "wavefronts"
  std::uint64_t before = 0, after = 0;
};
// Launch by launch; the largest differences first. Two variants of a kernel have other lines and
// often other files: the n-th line that loads global memory goes with the n-th that does in the
// other. Where one has more of them, lines of the same place go together first.
Result<std::vector<LineDifference>> line_differences(const std::string& before,
                                                     const model::Card& card_before,
                                                     const std::string& after,
                                                     const model::Card& card_after);

}  // namespace warpmem::command
