// What a launch does and the card's GPU cannot: clusters of CTAs, copies that pass by the
// registers, bulk copies. Such records are skipped, and the result names them. CTAs of a cluster
// are then placed one by one, and nobody waits at the cluster's barrier.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/access/access_plan.hpp"
#include "model/card/card.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

// CTAs of a cluster of the launch, as the card's GPU places them.
std::uint64_t cluster_size(const trace::Launch& launch, const model::Card& card);

// Whether the card's GPU has no such instruction.
bool lacks(const model::Card& card, const trace::Site& site);

// Takes what the card's GPU lacks out of the plans, one for each site.
void skip_lacking(const model::Card& card, std::span<const trace::Site> sites,
                  std::vector<model::AccessPlan>& plans);

// What was skipped, a note for each kind: how many records of which instructions. Reads the
// launch's blocks if there is something to count.
Result<std::vector<std::string>> lacking_notes(const trace::TraceReader& reader,
                                               std::uint32_t launch, const model::Card& card);

}  // namespace warpmem::sim
