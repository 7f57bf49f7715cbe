// What a launch takes with a change.
#pragma once

#include "results/explanation.hpp"
#include "sim/explain/explain.hpp"
#include "sim/replay.hpp"

namespace warpmem::sim {

RunCost cost_of(const ReplayedLaunch& launch);

// Replays the launch with a rewriting of its records.
Result<RunCost> replay_changed(const trace::TraceReader& reader, std::uint32_t launch,
                               const model::Card& card, const Rewrite& rewrite,
                               const ExplainOptions& options);

}  // namespace warpmem::sim
