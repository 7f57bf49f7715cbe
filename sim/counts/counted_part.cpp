// CountedSms of PartMemory: all of it in one file, so that what only one place of it calls can
// become part of that place.
#include "sim/counts/counted_ctas.hpp"
#include "sim/counts/counted_others.hpp"
#include "sim/counts/counted_steps.hpp"

namespace warpmem::sim {

template CountedSms<model::PartMemory>::CountedSms(const LaunchRun&, model::PartMemory&,
                                                   std::size_t, std::size_t);
template bool CountedSms<model::PartMemory>::start(std::uint64_t, int, std::uint64_t);
template std::size_t CountedSms<model::PartMemory>::run_step();
template void CountedSms<model::PartMemory>::release_barriers();
template void CountedSms<model::PartMemory>::add_barrier_waits(AllBarrierWaits&) const;
template void CountedSms<model::PartMemory>::answered();
template std::vector<int> CountedSms<model::PartMemory>::sm_numbers() const;

}  // namespace warpmem::sim
