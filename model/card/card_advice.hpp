// What to do about a setting that a card cannot take: which numbers it needs beside it, and which
// built-in cards have them. Only errors ask for it, so that it may load every card.
#pragma once

#include <span>
#include <string>

#include "model/card/fields/card_fields.hpp"

namespace warpmem::model {

// "c2050, k20x, k40, m40": the built-in cards that use the number; empty where none does.
std::string cards_that_use(const CardField& field);

// A number that is missing, and all `others` that are missing with it. `set`: the user's settings
// made it so, not a file's line.
Error missing_numbers(const std::string& place, const CardField& first,
                      std::span<const CardField* const> others, bool set);

// A number that the card makes no use of, because `unmet` does not hold: `chosen` is what the card
// chooses instead.
Error unused_number(const std::string& place, const CardField& field, const CardUse& unmet,
                    const std::string& chosen, bool set);

// For a key that there is not: the nearest one of its group, what people mean by it, or the group's
// keys; else `otherwise`.
std::string advice_for_key(const std::string& key, const std::string& otherwise);

}  // namespace warpmem::model
