// `warpmem explain T --needs`: how much of an L1 each array needs.
#pragma once

#include <string>

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "traces/format/reader.hpp"
#include "views/style.hpp"

namespace warpmem::command {

// Of one launch, on a card whose L1s are as explain_needs.cpp says; in words where it cannot be.
Result<std::string> needs_text(const trace::TraceReader& reader, std::uint64_t launch,
                               const model::Card& card, const views::Terminal& terminal);

}  // namespace warpmem::command
