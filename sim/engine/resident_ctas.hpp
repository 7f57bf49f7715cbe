// The CTAs that are on a GPU's SMs. An SM has room for as many as the launch's occupancy says; each
// takes the SM's lowest free slot, and leaves it when it has ended.
//
// A slot's Cta stays in its place in memory and is used again, so that what it has allocated is,
// too. SMs are numbered from 0 in an order that the engine chooses.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "sim/engine/barrier_waits.hpp"
#include "sim/engine/cta_barriers.hpp"
#include "sim/engine/cta_stream.hpp"

namespace warpmem::sim {

// What both engines keep of one: its records, and its barriers.
struct ResidentCta {
  CtaStream stream;
  std::uint64_t number = 0;  // in the grid
  CtaBarriers barriers;

  // The launch's CTA of this number begins, with so many warps. `spills`: accesses that its trace
  // lacks (nullptr: none).
  Result<void> begin(const trace::TraceReader& reader, std::uint32_t launch, std::uint64_t cta,
                     std::uint32_t warps, Spills* spills) {
    number = cta;
    barriers.begin(warps);
    return stream.open(reader, launch, cta, warps, spills);
  }
  // Has the next records of the warp `w` of its warps at hand; false: it has no more.
  template <class Warp>
  Result<bool> next_records(BlockCache& cache, Warp* warps, std::uint32_t w) {
    const auto position = [warps](std::uint32_t k) -> Position& { return warps[k].at; };
    return stream.advance(cache, w, position);
  }
};

template <class Cta>
class ResidentCtas {
 public:
  ResidentCtas(std::size_t sms, std::uint32_t per_sm)
      : per_sm_(per_sm), ctas_(sms * per_sm), free_(sms, all_slots()) {}

  std::uint32_t per_sm() const { return per_sm_; }
  Cta& at(std::size_t sm, std::uint32_t slot) { return ctas_[sm * per_sm_ + slot]; }
  const Cta& at(std::size_t sm, std::uint32_t slot) const { return ctas_[sm * per_sm_ + slot]; }

  // The slot that the SM's next CTA gets. It must have one.
  std::uint32_t free_slot(std::size_t sm) const {
    return static_cast<std::uint32_t>(std::countr_zero(free_[sm]));
  }
  void take(std::size_t sm, std::uint32_t slot) {
    free_[sm] &= ~(std::uint64_t{1} << slot);
    ++count_;
  }
  void leave(std::size_t sm, std::uint32_t slot) {
    free_[sm] |= std::uint64_t{1} << slot;
    --count_;
  }
  bool full(std::size_t sm) const { return free_[sm] == 0; }
  bool none() const { return count_ == 0; }

  // Calls `f` with SM and slot of each, SM by SM.
  template <class F>
  void each(F&& f) const {
    for (std::size_t sm = 0; sm < free_.size(); ++sm)
      for (std::uint64_t taken = all_slots() & ~free_[sm]; taken; taken &= taken - 1)
        f(sm, static_cast<std::uint32_t>(std::countr_zero(taken)));
  }

 private:
  std::uint64_t all_slots() const { return (std::uint64_t{2} << (per_sm_ - 1)) - 1; }

  std::uint32_t per_sm_;
  std::vector<Cta> ctas_;            // by SM, then slot
  std::vector<std::uint64_t> free_;  // by SM: bit s: slot s
  std::uint64_t count_ = 0;
};

}  // namespace warpmem::sim
