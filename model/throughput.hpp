// A resource that serves so much in a cycle: a port, a cache slice, a DRAM channel's data bus.
// Asked in any order of arrival times, as answers come back from different depths: what is asked
// for is put into the first span of time from its arrival on that has room.
//
// Units: times are ticks, 64 to the SM cycle, so that clocks that are no multiple of the SM's keep
// their ratio; amounts are ticks of the resource's time. Requests further ahead than the spans it
// remembers queue in order.
// Invariant: no span of kSpan ticks is given away more than once over.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace warpmem::model {

constexpr std::uint64_t kTicks = 64;  // to a cycle

class Throughput {
 public:
  // The tick in which `amount` that arrives at `arrival` starts to be served.
  std::uint64_t reserve(std::uint64_t arrival, std::uint32_t amount) {
    given_ += amount;
    std::uint64_t span = arrival / kSpan;
    if (span - first_ < kSpans) [[likely]] {  // remembered; mostly its span has all the room
      std::uint16_t& used = used_[span % kSpans];
      if (used + std::uint64_t{amount} < kSpan) {
        const std::uint64_t start = std::max(arrival, span * kSpan + used);
        used = static_cast<std::uint16_t>(used + amount);
        return start;
      }
    }
    if (span < first_) span = first_;  // the past is served
    if (span >= first_ + kSpans) forget(span - kSpans + 1);
    // What does not fit before the newest span queues behind it.
    span = with_room(span);
    if (span >= first_ + kSpans) forget(span - kSpans + 1);
    const std::uint64_t start = std::max(arrival, span * kSpan + used_[span % kSpans]);
    std::uint32_t left = amount;
    while (true) {
      std::uint16_t& used = used_[span % kSpans];
      const std::uint32_t take = std::min(static_cast<std::uint32_t>(kSpan) - used, left);
      used = static_cast<std::uint16_t>(used + take);
      if (used == kSpan) full_[span % kSpans / 64] |= std::uint64_t{1} << span % 64;
      left -= take;
      if (left == 0) return start;
      span = with_room(span + 1);
      if (span >= first_ + kSpans) forget(span - kSpans + 1);
    }
  }

  // Ticks given away so far.
  std::uint64_t given() const { return given_; }

 private:
  static constexpr std::uint64_t kSpan = 32 * kTicks;
  static constexpr std::uint64_t kSpans = 256;  // 8,192 cycles

  // The first span from `span` on that is not full; the one behind the newest where all are.
  std::uint64_t with_room(std::uint64_t span) const {
    const std::uint64_t end = first_ + kSpans;
    while (span < end) {
      const std::uint64_t free = ~full_[span % kSpans / 64] >> span % 64;
      if (free)
        return std::min<std::uint64_t>(end,
                                       span + static_cast<std::uint64_t>(std::countr_zero(free)));
      span += 64 - span % 64;
    }
    return end;
  }

  void forget(std::uint64_t first) {
    if (first - first_ >= kSpans) {
      used_.fill(0);
      full_.fill(0);
    } else {
      for (std::uint64_t s = first_; s < first; ++s) {
        used_[s % kSpans] = 0;
        full_[s % kSpans / 64] &= ~(std::uint64_t{1} << s % 64);
      }
    }
    first_ = first;
  }

  std::uint64_t given_ = 0;
  std::uint64_t first_ = 0;                        // oldest span that is remembered
  std::array<std::uint64_t, kSpans / 64> full_{};  // a bit a span: all of it is given away
  std::array<std::uint16_t, kSpans> used_{};       // ticks given away, by span
};

}  // namespace warpmem::model
