// LaunchReplayOf for some of a launch's SMs.
#include "sim/counts/launch_replay_batches.hpp"
#include "sim/counts/launch_replay_ctas.hpp"
#include "sim/counts/launch_replay_marks.hpp"
#include "sim/counts/launch_replay_steps.hpp"

namespace warpmem::sim {

template LaunchReplayOf<true>::LaunchReplayOf(const trace::TraceReader&, std::uint32_t,
                                              const model::Card&, model::MemorySystem&, BlockCache&,
                                              const Occupancy&, Spills*, bool, const SmRange&);
template bool LaunchReplayOf<true>::start(std::uint64_t, int, std::uint64_t);
template void LaunchReplayOf<true>::begin_batch(std::uint64_t);
template std::size_t LaunchReplayOf<true>::run_part_step();
template void LaunchReplayOf<true>::answered();
template void LaunchReplayOf<true>::end_step(std::uint64_t);
template void LaunchReplayOf<true>::release_barriers();
template void LaunchReplayOf<true>::add_standing(Standings&) const;

}  // namespace warpmem::sim
