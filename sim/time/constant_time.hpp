// When a warp has the constants that it reads by addresses.
#pragma once

#include "model/card/card.hpp"
#include "model/constant/constant_cache.hpp"
#include "sim/code/code_line.hpp"
#include "sim/time/timed_sm.hpp"

namespace warpmem::sim {

class ConstantTime {
 public:
  ConstantTime(const model::Card& card, Waits& waits);

  // Those of a record, read by an instruction that issues in this cycle: the cycle from which they
  // are there.
  std::uint64_t read(const TimedSm& sm, const trace::Record& r, const std::uint64_t* lanes,
                     std::uint64_t issued);
  std::uint64_t read(const TimedSm& sm, const ConstantRead& c, std::uint64_t now) {
    return now + cache_.read(sm.id, c.addresses.data(), c.addresses.size(), now);
  }
  // Holds a warp up whose load of constants, issued now, is too far behind others in the SM's
  // queue.
  void queue(TimedWarp& warp) {
    const std::uint64_t ahead = card_.time_queue_cycles;
    if (cache_.begun() > warp.ready + ahead)
      waits_.hold_up(warp, cache_.begun() - ahead, Wait::kConstants);
  }
  // Cycles for which an SM's cache was taken.
  auto taken(int sm) const { return cache_.taken(sm); }

 private:
  const model::CardNumbers& card_;
  Waits& waits_;
  model::ConstantCache cache_;
};

}  // namespace warpmem::sim
