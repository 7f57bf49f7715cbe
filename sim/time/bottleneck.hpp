// What limits a launch, in words: a judgement of a TimeResult's numbers and of nothing else, so
// that the sentence says what the tables beside it say.
//
// The place of which one element is in use for the largest share of the time limits, if that share
// is kLimits or more. Below it no place does: warps wait for answers, and what they wait for most
// is named.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/time/engine.hpp"

namespace warpmem::sim {

struct Bottleneck {
  enum class Cause : std::uint8_t {
    kNothing,     // no place had anything to do
    kLatency,     // no place is in use for long: too little is under path
    kFewSms,      // … and a part of the SMs had the CTAs for most of the time
    kThroughput,  // a place, all of its elements alike
    kElement,     // one element of a place, or few: a hot slice, an SM, a channel
    kCtaStarts,
    kConstants,  // the caches of constants
    kSmallL1,    // what shared memory leaves of the L1s: they lack lines that they had
  };
  static constexpr double kLimits = 0.6;    // share of the time from which on a place limits
  static constexpr double kEven = 0.75;     // a kind's share over its busiest one's: all are alike
  static constexpr double kSmallL1 = 0.25;  // misses of loads that larger L1s would not have had

  Cause cause = Cause::kNothing;
  // The place that is in use most, whatever the cause, and the element of it that is.
  std::optional<model::Resource> place;
  std::uint32_t element = 0;
  double share = 0;           // of the time that this element is in use, as in TimeResult::uses
  std::optional<Wait> waits;  // what warps wait for most, if they wait more than they run
  double waits_share = 0;     // … of their time
  std::string sentence;       // "DRAM bus, in use 91.0 % of the time"
};

const char* name_of(Bottleneck::Cause cause);
Bottleneck bottleneck(const TimeResult& time);

}  // namespace warpmem::sim
