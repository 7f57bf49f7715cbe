// Accesses of one line, whole sectors of it, as most accesses of most kernels are: a load or a
// store that moves no other line, of memory that is the GPU's own, where no time is kept. They come
// to the same as run() would, without going through what others need.
#pragma once

#include "model/l2/l2_one_line.hpp"
#include "model/system/shaped_memory.hpp"

namespace warpmem::model {

// The cycle in which it is there.
template <class Shape>
[[gnu::always_inline]] inline std::uint64_t ShapedMemory<Shape>::load(const OneLine& one,
                                                                      const AccessPlan& plan,
                                                                      int sm, std::uint64_t now) {
  const std::uint64_t sectors = sectors_in(one.sectors);
  const AccessTiming untold;  // nobody listens
  sink_.record();
  sink_.instruction(plan);
  sink_.global_load(1, sectors, kSectorBytes * sectors);
  sink_.load_tag_passes(1);
  sink_.load_sectors(sectors);
  const std::uint64_t soonest = now + latency_l1_ + 1;
  L1& l1 = l1_[static_cast<std::size_t>(sm)];
  const auto words = [&one](std::uint64_t) {
    return (one.sectors * 0x00204081u & 0x01010101u) * 255u;
  };
  const auto found = l1.load(one.line(), l1.set_tag(one.line(), one.l1_set()), one.sectors,
                             AskedWords(words), !plan.no_allocate);
  const unsigned missing = sectors_in(found.missing);
  sink_.load_hits(sectors - sectors_in(found.missing & one.sectors));
  if (!missing) return later(soonest, found.arrival);
  sink_.fill(untold, one.line(), missing);
  const std::uint64_t done = later(soonest, l2_.read_alone(sm, one.line(), one.l2(), one.draw(),
                                                           found.missing, now, plan.fetch_sectors));
  arrives(l1, found, done);
  return done;
}

// The cycle in which the store queue has taken it.
template <class Shape>
[[gnu::always_inline]] inline std::uint64_t ShapedMemory<Shape>::store(const OneLine& one,
                                                                       const AccessPlan& plan,
                                                                       int sm, std::uint64_t now) {
  const std::uint64_t sectors = sectors_in(one.sectors);
  const AccessTiming untold;
  sink_.record();
  sink_.instruction(plan);
  sink_.global_store(1, sectors, kSectorBytes * sectors);
  L1& l1 = l1_[static_cast<std::size_t>(sm)];
  if (l1.store(one.line(), l1.set_tag(one.line(), one.l1_set()), one.sectors, one.sectors, nullptr))
    sink_.store_hits(sectors);
  // It leaves no sooner than the queue has it, so that the queue need not hear of that.
  const StoreQueue::Taken taken =
      stores_[static_cast<std::size_t>(sm)].take(one.line(), one.sectors, now, now + 1);
  sink_.sends(untold, one.line(), sectors_in(one.sectors & ~taken.again));
  l2_.write_alone(sm, one.l2(), one.sectors, taken.again, taken.opens);
  return taken.at;
}

}  // namespace warpmem::model
