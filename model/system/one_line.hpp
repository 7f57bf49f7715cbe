// Accesses of one line, whole sectors of it, as most accesses of most kernels are: a load or a
// store that moves no other line, of memory that is the GPU's own, where no time is kept. They come
// to the same as SectoredMemory::run() would, without going through what others need.
#pragma once

#include "model/l2/l2_one_line.hpp"
#include "model/system/sectored_memory.hpp"

namespace warpmem::model {

// The cycle in which it is there.
template <class L2>
[[gnu::always_inline]] inline std::uint64_t SectoredMemoryOf<L2>::load(const OneLine& one,
                                                                       const AccessPlan& plan,
                                                                       int sm, std::uint64_t now) {
  const std::uint64_t sectors = sectors_in(one.sectors);
  ++counters_.records;
  ++(counters_.*plan.instructions);
  ++counters_.global_ld.requests;
  ++counters_.tag_requests;
  ++counters_.tag_wavefronts_ld;
  counters_.theoretical_global += sectors;
  counters_.global_ld.sectors += sectors;
  counters_.global_ld_bytes += kSectorBytes * sectors;
  const std::uint64_t soonest = now + latency_l1_ + 1;
  L1Cache& l1 = l1_[static_cast<std::size_t>(sm)];
  const auto words = [&one](std::uint64_t) {
    return (one.sectors * 0x00204081u & 0x01010101u) * 255u;
  };
  const L1Cache::Loaded found = l1.load(one.line(), l1.seat(one.line(), one.l1_set()), one.sectors,
                                        AskedWords(words), !plan.no_allocate);
  const unsigned missing = sectors_in(found.missing);
  counters_.global_ld.hits += sectors - missing;
  if (!missing) return later(soonest, found.arrival);
  counters_.l1_fill_sectors += missing;
  const std::uint64_t done = later(soonest, l2_.read_alone(sm, one.line(), one.l2(), one.draw(),
                                                           found.missing, now, plan.fetch_sectors));
  arrives(l1, found, done);
  return done;
}

// The cycle in which the store queue has taken it.
template <class L2>
[[gnu::always_inline]] inline std::uint64_t SectoredMemoryOf<L2>::store(const OneLine& one,
                                                                        const AccessPlan& plan,
                                                                        int sm, std::uint64_t now) {
  const std::uint64_t sectors = sectors_in(one.sectors);
  ++counters_.records;
  ++(counters_.*plan.instructions);
  ++counters_.global_st.requests;
  ++counters_.tag_requests;
  counters_.theoretical_global += sectors;
  counters_.global_st.sectors += sectors;
  counters_.global_st_bytes += kSectorBytes * sectors;
  L1Cache& l1 = l1_[static_cast<std::size_t>(sm)];
  if (l1.store(one.line(), l1.seat(one.line(), one.l1_set()), one.sectors, one.sectors, nullptr))
    counters_.global_st.hits += sectors;
  // It leaves no sooner than the queue has it, so that the queue need not hear of that.
  const StoreQueue::Taken taken =
      stores_[static_cast<std::size_t>(sm)].take(one.line(), one.sectors, now, now + 1);
  counters_.l1_write_sectors += sectors_in(one.sectors & ~taken.again);
  l2_.write_alone(sm, one.l2(), one.sectors, taken.again, taken.opens);
  return taken.at;
}

}  // namespace warpmem::model
