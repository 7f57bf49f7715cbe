// `warpmem explain T --needs`: how much of an L1 each array needs.
#pragma once

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "results/explanation.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::command {

// Of one launch, on a card whose L1s are as explain_needs.cpp says; with the reason where it cannot
// be known.
Result<ArrayNeeds> needs_of(const trace::TraceReader& reader, std::uint64_t launch,
                            const model::Card& card);

}  // namespace warpmem::command
