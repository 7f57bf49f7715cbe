// What a part of a launch's SMs does between its meetings with the others.
#pragma once

#include "sim/counts/launch_replay_body.hpp"

namespace warpmem::sim {

template <bool part>
bool LaunchReplayOf<part>::start(std::uint64_t cta, int sm, std::uint64_t cycle) {
  return start_cta(number_[static_cast<std::size_t>(sm)], cta, cycle);
}

template <bool part>
void LaunchReplayOf<part>::begin_batch(std::uint64_t steps) {
  if constexpr (part) sectored_->l2().begin();
  late_ = false;
  batch_end_ = (now_ + steps) * kStepCycles;
}

template <bool part>
std::size_t LaunchReplayOf<part>::run_part_step() {
  if (idle() && !std::exchange(idle_, true)) idle_since_ = now_;
  if (!idle()) idle_ = false;
  const std::size_t n = begin_step();
  if (n > 0 && !error_) run_due(0, n);
  return n;
}

template <bool part>
void LaunchReplayOf<part>::answered() {
  if constexpr (part) {
    const model::L2Requests& answers = sectored_->l2();
    const auto settle = [&](WarpState& warp) {
      warp.ready = answers.known(warp.ready);
      warp.copies = answers.known(warp.copies);
      warp.older_copies = answers.known(warp.older_copies);
      for (std::uint64_t& done : warp.done) done = answers.known(done);
    };
    for (const std::uint32_t number : touched_) settle(warps_[number]);
    for (const std::uint32_t number : later_) settle(warps_[number]);
    touched_.clear();
    std::swap(later_, settled_);
    for (const std::uint32_t number : settled_) {
      if (std::exchange(again_[number], std::uint8_t{0})) look_ahead(number, warps_[number]);
      schedule(number, warps_[number].ready);
    }
    settled_.clear();
  }
}

template <bool part>
void LaunchReplayOf<part>::end_step(std::uint64_t next_cta) {
  for (const Ended& e : ended_) {
    sms_[e.sm].free |= std::uint64_t{1} << e.slot;
    if (next_cta < all_->size() && !error_)
      start_cta(e.sm, (*all_)[next_cta++], (now_ + 1) * kStepCycles);
  }
  ended_.clear();
  ++now_;
}

}  // namespace warpmem::sim
