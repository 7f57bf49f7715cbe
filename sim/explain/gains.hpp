// What a launch takes with a change, by replaying it.
#pragma once

#include "sim/explain/explain.hpp"
#include "sim/explain/launch_changes.hpp"

namespace warpmem::sim {

RunCost cost_of(const ReplayedLaunch& launch);

// With its records rewritten. `launch`: an index into the reader's launches.
Result<RunCost> replay_changed(const trace::TraceReader& reader, std::uint32_t launch,
                               const model::Card& card, const Rewrite& rewrite,
                               const ExplainOptions& options);
// With a change of the launch as a whole.
Result<RunCost> replay_changed(const trace::TraceReader& reader, std::uint32_t launch,
                               const model::Card& card, const LaunchCandidate& change,
                               const ExplainOptions& options);

}  // namespace warpmem::sim
