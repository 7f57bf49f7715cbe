// The two sides of a `diff`: results of replay, traces that are replayed for it, and what a
// profiler counted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "command/diff/view.hpp"
#include "command/inputs/card_input.hpp"
#include "command/screen/result_file.hpp"
#include "validate/ncu_csv.hpp"

namespace warpmem::command {

struct DiffSide {
  ResultFile result;  // of a profile: `engine` is the profiler
  std::optional<validate::NcuImport> profile;
  std::string caution{};  // what stands in front of its cycles; empty: nothing
};

struct DiffInput {
  std::string before, after;
  CardInput card;           // that traces are replayed on
  bool card_named = false;  // with --gpu; else a trace goes to the profile's GPU, or to its own
  bool counts = false;
};

struct DiffSides {
  DiffSide before, after;
  std::vector<LineDifference> lines;  // of two traces
};

// Names of cards, or card files, and no other files: one that is neither is taken for a card, too.
bool are_cards(const std::string& before, const std::string& after);

// A trace beside a profile is replayed in the profiler's own words. kUsage: a file cannot be read,
// or it is of another GPU; kMalformed: it is neither trace, result nor profile.
Result<DiffSides> read_sides(const DiffInput& input);

// Which launches go together. Beside a profile as `validate` matches them; else the n-th launch of
// a kernel with its n-th in the other result, and two results of one launch each whatever their
// kernels are called. Pointers are into `sides`. kUsage when nothing of a profile can be paired.
Result<std::vector<LaunchPair>> pairs_of(const DiffSides& sides, const std::string& place);

}  // namespace warpmem::command
