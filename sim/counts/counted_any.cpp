// CountedSms of any memory system: all of it in one file, so that what only one place of it calls
// can become part of that place.
#include "sim/counts/counted_ctas.hpp"
#include "sim/counts/counted_others.hpp"
#include "sim/counts/counted_steps.hpp"

namespace warpmem::sim {

template CountedSms<model::MemorySystem>::CountedSms(const LaunchRun&, model::MemorySystem&,
                                                     std::size_t, std::size_t);
template bool CountedSms<model::MemorySystem>::start(std::uint64_t, int, std::uint64_t);
template std::size_t CountedSms<model::MemorySystem>::run_step();
template void CountedSms<model::MemorySystem>::release_barriers();
template void CountedSms<model::MemorySystem>::add_barrier_waits(AllBarrierWaits&) const;

}  // namespace warpmem::sim
