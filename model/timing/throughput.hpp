// A resource that serves so much in a cycle: a port, a cache slice, a DRAM channel's data bus.
// Asked in any order of arrival times, as answers come back from different depths: what is asked
// for is put into the first span of time from its arrival on that has room.
//
// Units: times are ticks, 64 to the SM cycle, so that clocks that are no multiple of the SM's keep
// their ratio; amounts are ticks of the resource's time. Requests further ahead than the spans it
// remembers queue in order; the oldest 1,024 cycles of these are forgotten together.
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
  [[gnu::always_inline]] std::uint64_t reserve(std::uint64_t arrival, std::uint32_t amount) {
    given_ += amount;
    std::uint64_t span = std::max(arrival / kSpan, open_);
    if (span - first_ < kSpans) [[likely]] {  // remembered; mostly its span has all the room
      std::uint16_t& used = used_[span % kSpans];
      if (used + std::uint64_t{amount} < kSpan) {
        const std::uint64_t start = std::max(arrival, span * kSpan + used);
        used = static_cast<std::uint16_t>(used + amount);
        return start;
      }
    }
    return reserve_more(span, arrival, amount);
  }

  // Whether all of the span of time that this tick is in is given away.
  bool full(std::uint64_t tick) const {
    const std::uint64_t span = tick / kSpan;
    return span < first_ || (span < first_ + kSpans && full_[span % kSpans / 64] >> span % 64 & 1);
  }

  // Ticks given away so far.
  std::uint64_t given() const { return given_; }

  // … of the span of time that this tick is in; 0 if it is not remembered.
  std::uint64_t used(std::uint64_t tick) const {
    const std::uint64_t span = tick / kSpan;
    return span - first_ < kSpans ? used_[span % kSpans] : 0;
  }

  static constexpr std::uint64_t kSpan = 32 * kTicks;

 private:
  static constexpr std::uint64_t kSpans = 256;  // 8,192 cycles
  static constexpr std::uint64_t kStep = 32;    // that are forgotten together, the oldest ones
  static constexpr std::uint64_t kWholeStep = (std::uint64_t{1} << kStep) - 1;

  // What fills its span or finds it full, or is for one that is not remembered yet.
  [[gnu::noinline]] std::uint64_t reserve_more(std::uint64_t span, std::uint64_t arrival,
                                               std::uint32_t amount) {
    span = next_with_room(span);
    const std::uint64_t start = std::max(arrival, span * kSpan + used_[span % kSpans]);
    std::uint32_t sum = used_[span % kSpans] + amount;
    while (sum >= kSpan) {
      used_[span % kSpans] = kSpan;
      full_[span % kSpans / 64] |= std::uint64_t{1} << span % 64;
      sum -= static_cast<std::uint32_t>(kSpan);
      if (span == open_) open_ = with_room(span + 1);
      if (sum == 0) return start;
      span = next_with_room(span + 1);
      sum += used_[span % kSpans];
    }
    used_[span % kSpans] = static_cast<std::uint16_t>(sum);
    return start;
  }

  // with_room(), which is remembered from now on. What does not fit before the newest span queues
  // behind it.
  std::uint64_t next_with_room(std::uint64_t span) {
    if (span >= first_ + kSpans) remember(span);
    span = with_room(span);
    if (span >= first_ + kSpans) [[unlikely]]
      remember(span);
    return span;
  }

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

  // Makes room for a span beyond the newest, and for those that will come with it.
  void remember(std::uint64_t span) {
    const std::uint64_t first = (span / kStep + 1) * kStep - kSpans;
    if (first - first_ >= kSpans) {
      used_.fill(0);
      full_.fill(0);
    } else {
      for (std::uint64_t s = first_; s < first; s += kStep) {
        std::fill_n(used_.begin() + static_cast<std::ptrdiff_t>(s % kSpans), kStep,
                    std::uint16_t{0});
        full_[s % kSpans / 64] &= ~(kWholeStep << s % 64);
      }
    }
    first_ = first;
    open_ = std::max(open_, first);
  }

  std::uint64_t given_ = 0;
  std::uint64_t first_ =
      0;  // oldest span that is remembered, a multiple of kStep: the past is served
  std::uint64_t open_ = 0;                         // all before it that are remembered are full
  std::array<std::uint64_t, kSpans / 64> full_{};  // a bit a span: all of it is given away
  std::array<std::uint16_t, kSpans> used_{};       // ticks given away, by span
};

}  // namespace warpmem::model
