// Which card a profile was counted on.
#pragma once

#include <string>

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "model/card/nearest_card.hpp"
#include "validate/ncu_csv.hpp"

namespace warpmem::command {

using model::card_of_device;
using model::kUsualCard;
using model::nearest_card;

// The card of the GPU that a profile names; empty where it leaves that open, or says a compute
// capability that can be checked instead. kUsage where it names a GPU without a card.
Result<std::string> card_of_profile(const validate::NcuImport& profile, const std::string& place);

// kUsage when a profile was counted on another GPU than the card's, by its name or its compute
// capability; with the cards to take instead.
Result<void> check_same_card(const validate::NcuImport& profile, const model::Card& card,
                             const std::string& place);

}  // namespace warpmem::command
