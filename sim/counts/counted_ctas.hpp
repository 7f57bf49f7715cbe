// Where CTAs come to SMs and leave them, and when their warps are next.
#pragma once

#include <bit>

#include "sim/counts/counted_sms.hpp"
#include "sim/engine/placement.hpp"

namespace warpmem::sim {
namespace {

constexpr WarpState kNewWarp{};

template <class Memory>
bool takes_lines(const Memory& memory) {
  if constexpr (std::is_same_v<Memory, model::MemorySystem>) return false;
  else return memory.takes_lines();
}

}  // namespace

template <class Memory>
CountedSms<Memory>::CountedSms(const LaunchRun& run, Memory& memory, std::size_t first,
                               std::size_t end)
    : run_(run),
      memory_(memory),
      schedulers_(std::countr_zero(run.card.numbers().sm_schedulers)),
      code_(run, takes_lines(memory)),
      ctas_(end - first, run.occupancy.ctas),
      warps_(end - first),
      answers_(memory, warps_.size()),
      calendar_(end - first),
      ahead_(memory) {
  number_.resize(run.card.numbers().sm_count);
  for (std::size_t i = first; i < end; ++i) {
    const std::uint64_t sm = run.card.numbers().cta_order[i];
    number_[sm] = static_cast<std::uint32_t>(sms_.size());
    sms_.push_back({static_cast<int>(sm), 0, 0});
  }
}

template <class Memory>
std::vector<int> CountedSms<Memory>::sm_numbers() const {
  std::vector<int> out;
  for (const CountedSm& sm : sms_) out.push_back(sm.id);
  return out;
}

// What CtaBarriers ask of this engine, for the CTA of this first warp.
template <class Memory>
struct CountedSms<Memory>::Barred {
  CountedSms& sms;
  std::uint32_t first_warp;

  std::uint64_t later(std::uint64_t a, std::uint64_t b) const { return sms.answers_.later(a, b); }
  static std::uint64_t opens(std::uint64_t last) { return last; }
  void goes_on(std::uint32_t w, std::uint64_t cycle) const {
    WarpState& warp = sms.warps_[first_warp + w];
    warp.ready = cycle;
    sms.look_ahead(first_warp + w, warp);
    sms.schedule(first_warp + w, warp.ready);
  }
};

template <class Memory>
bool CountedSms<Memory>::start(std::uint64_t cta, int sm, std::uint64_t cycle) {
  return start_cta(number_[static_cast<std::size_t>(sm)], cta, cycle);
}

template <class Memory>
inline bool CountedSms<Memory>::start_cta(std::uint32_t sm, std::uint64_t number,
                                          std::uint64_t cycle) {
  const std::uint32_t warps = run_.occupancy.warps_per_cta, slot = ctas_.free_slot(sm);
  const std::uint32_t first = sm * Calendar::kSlots + slot * warps;
  for (std::uint32_t w = 0; w < warps; ++w) warps_.fetch(first + w);
  ResidentCta& cta = ctas_.at(sm, slot);
  if (auto ok = cta.begin(run_.reader, run_.index, number, warps, run_.spills); !ok)
    return fail(ok.error());
  ctas_.take(sm, slot);
  for (std::uint32_t w = 0; w < warps; ++w) {
    WarpState& warp = warps_[first + w];
    warp = kNewWarp;
    warp.ready = cycle + w + (now_ == 0 ? stagger(run_.card, sms_[sm].id, w) : 0);
    warp.cta = static_cast<std::uint8_t>(slot);
    warp.warp = static_cast<std::uint8_t>(w);
  }
  if (auto ok = cta.next_records(run_.cache, &warps_[first], 0); !ok) return fail(ok.error());
  for (std::uint32_t w = 0; w < warps; ++w) fetch_record(warps_[first + w].at);
  for (std::uint32_t w = 0; w < warps; ++w) {
    // Warps come when their first access does, as far as it is known, not to look for it in vain.
    look_ahead(first + w, warps_[first + w]);
    schedule(first + w, warps_[first + w].ready);
  }
  return true;
}

template <class Memory>
Result<bool> CountedSms<Memory>::next_records(std::uint32_t number, WarpState& warp) {
  return cta_of(number, warp).next_records(run_.cache, &warps_[number - warp.warp], warp.warp);
}

template <class Memory>
void CountedSms<Memory>::end_warp(std::uint32_t number, const WarpState& warp) {
  const std::uint32_t first = number - warp.warp;
  const std::uint32_t left =
      cta_of(number, warp)
          .barriers.end_warp(warps_.from(first, run_.occupancy.warps_per_cta),
                             Barred{*this, first});
  if (left == 0) ended_.push_back({number / Calendar::kSlots, warp.cta});
}

// Enters a warp into the calendar; what lies beyond it is entered at its end and looked at again.
template <class Memory>
inline void CountedSms<Memory>::schedule(std::uint32_t number, std::uint64_t cycle) {
  if constexpr (kPart)
    if (answers_.puts_off(number, cycle, now_)) return;
  calendar_.add(number,
                std::min(std::max(cycle / kStepCycles, now_ + 1), now_ + Calendar::kSteps - 1));
}

template <class Memory>
void CountedSms<Memory>::answered() {
  answers_.answered(warps_, [this](std::uint32_t number, bool looks) {
    if (looks) look_ahead(number, warps_[number]);
    schedule(number, warps_[number].ready);
  });
}

template <class Memory>
void CountedSms<Memory>::add_barrier_waits(AllBarrierWaits& all) const {
  ctas_.each([&](std::size_t sm, std::uint32_t slot) {
    const ResidentCta& cta = ctas_.at(sm, slot);
    all.add(cta.number, sms_[sm].id, cta.barriers.where());
  });
}

template <class Memory>
void CountedSms<Memory>::release_barriers() {
  const std::uint32_t warps = run_.occupancy.warps_per_cta;
  ctas_.each([&](std::size_t sm, std::uint32_t slot) {
    const std::uint32_t first = static_cast<std::uint32_t>(sm) * Calendar::kSlots + slot * warps;
    forced_ += ctas_.at(sm, slot).barriers.force(warps_.from(first, warps), Barred{*this, first});
  });
}

}  // namespace warpmem::sim
