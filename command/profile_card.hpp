// Which card a profile was counted on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "validate/ncu_csv.hpp"

namespace warpmem::command {

// The built-in card of a GPU as drivers call it, "Tesla V100-SXM2-16GB (0)": of those whose
// `device` it holds, the one that says most. Nothing: there is no card of it.
std::optional<std::string> card_of_device(std::string_view device);

// The card of the GPU that a profile names. kUsage where it names one without a card, and no
// compute capability that could be checked instead.
Result<std::string> card_of_profile(const validate::NcuImport& profile, const std::string& place);

// kUsage when a profile that says no compute capability names another card's GPU.
Result<void> check_same_card(const validate::NcuImport& profile, const std::string& card,
                             const std::string& place);

}  // namespace warpmem::command
