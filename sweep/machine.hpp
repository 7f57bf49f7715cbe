// What a point of a sweep replays on: a card, and what a launch would be told differently.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "sim/engine/rewrite.hpp"

namespace warpmem::sweep {

using LoadCard = std::function<Result<model::Card>(const std::string& gpu)>;
using Changes = std::vector<std::pair<std::string, std::string>>;  // key, value

struct Machine {
  model::Card card;
  sim::Rewrite rewrite;
};

// Keys that are no numbers of a card: "gpu" (a card), "carveout" (shared memory's part of the L1 in
// percent), "loads" (ca, cg or recorded: through which caches global loads go), "order" (of CTAs)
// and "block" (threads of a CTA, which changes the program, not the machine).
const std::vector<std::string>& special_keys();

// kUsage, with the nearest name, when nothing is called so.
Result<void> check_key(const std::string& key, const model::Card& card, const std::string& place);

// The card `gpu` with `settings`, then `changes`. An error of kind kUsage: there is no such GPU.
Result<Machine> machine_of(const std::string& gpu, const std::vector<model::CardSetting>& settings,
                           const Changes& changes, const LoadCard& load);

}  // namespace warpmem::sweep
