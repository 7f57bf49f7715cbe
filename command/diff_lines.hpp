// The two sides of a `diff`: results of replay, or traces that are replayed for it; and of traces
// what changed by source line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "command/result_file.hpp"
#include "model/card/card.hpp"

namespace warpmem::command {

// Whether the file begins as a trace does.
bool is_trace(const std::string& path);

// A trace's counters on the card, as `replay --format json` would have written them.
Result<ResultFile> replay_as_result(const std::string& path, const model::Card& card, bool time);

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
