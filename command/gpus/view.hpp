// The cards as a list, two of them side by side, and the bandwidths of one.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "command/screen/output.hpp"
#include "model/card/card.hpp"
#include "sim/probe/ladder.hpp"

namespace warpmem::command {

Result<std::vector<model::Card>> all_cards();  // built in, the oldest first
// A value as lists show it: one of all SMs would push the sources off the page.
std::string short_value(const std::string& value);

// With how well each is validated.
std::string card_list_view(const std::vector<model::Card>& cards, Format format,
                           const views::Terminal& terminal);
// Numbers that two cards do not have in common.
std::string card_diff_view(const model::Card& a, const model::Card& b, Format format,
                           const views::Terminal& terminal);
// From registers to host memory: what the card's numbers come to, what a kernel of loads reaches
// when it is replayed, and what was measured.
std::string ladder_view(const model::Card& card, const sim::probe::Ladder& effective, Format format,
                        const views::Terminal& terminal);

}  // namespace warpmem::command
