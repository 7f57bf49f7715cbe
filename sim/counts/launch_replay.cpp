#include "sim/counts/launch_replay_batches.hpp"
#include "sim/counts/launch_replay_ctas.hpp"
#include "sim/counts/launch_replay_marks.hpp"
#include "sim/counts/launch_replay_steps.hpp"

namespace warpmem::sim {

template LaunchReplayOf<false>::LaunchReplayOf(const trace::TraceReader&, std::uint32_t,
                                               const model::Card&, model::MemorySystem&,
                                               BlockCache&, const Occupancy&, Spills*, bool,
                                               const SmRange&);
template Result<void> LaunchReplayOf<false>::run(const std::function<bool(std::uint64_t)>&);

}  // namespace warpmem::sim
