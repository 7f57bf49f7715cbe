// CountedSms of SectoredMemory: all of it in one file, so that what only one place of it calls can
// become part of that place.
#include "sim/counts/counted_ctas.hpp"
#include "sim/counts/counted_others.hpp"
#include "sim/counts/counted_steps.hpp"

namespace warpmem::sim {

template CountedSms<model::SectoredMemory>::CountedSms(const LaunchRun&, model::SectoredMemory&,
                                                       std::size_t, std::size_t);
template bool CountedSms<model::SectoredMemory>::start(std::uint64_t, int, std::uint64_t);
template std::size_t CountedSms<model::SectoredMemory>::run_step();
template void CountedSms<model::SectoredMemory>::release_barriers();
template void CountedSms<model::SectoredMemory>::add_barrier_waits(AllBarrierWaits&) const;

}  // namespace warpmem::sim
