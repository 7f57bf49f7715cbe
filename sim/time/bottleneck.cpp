#include "sim/time/bottleneck.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.hpp"

namespace warpmem::sim {
namespace {

using Cause = Bottleneck::Cause;
using model::Resource;

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// "L2 slice 85", "CTA starts".
std::string name_of_element(const TimeResult::Use& use) {
  return use.count > 1 ? fmt::format("{} {}", name_of_one(use.place), use.element)
                       : std::string(name_of(use.place));
}

// What is asked of the L2 and what lies behind it: more where L1s miss more.
bool is_beyond_l1(Resource place) {
  switch (place) {
    case Resource::kPortOut:
    case Resource::kPortIn:
    case Resource::kSlice:
    case Resource::kFabric:
    case Resource::kDramRows:
    case Resource::kDramBus:
    case Resource::kHostLink: return true;
    default: return false;
  }
}

bool few_sms(const TimeResult& time) { return 2 * time.sms_used < time.sms || time.sm_time < 0.5; }

bool lacks_l1(const TimeResult& time) {
  return time.larger_l1 && time.larger_l1->share >= Bottleneck::kSmallL1;
}

Cause cause_of(const TimeResult& time, const Bottleneck& b, const TimeResult::Use& most) {
  if (b.share < Bottleneck::kLimits) {
    if (b.waits == Wait::kMemory && lacks_l1(time)) return Cause::kSmallL1;
    return few_sms(time) ? Cause::kFewSms : Cause::kLatency;
  }
  if (most.place == Resource::kCtaStart) return Cause::kCtaStarts;
  if (most.place == Resource::kConstant) return Cause::kConstants;
  if (most.share < Bottleneck::kEven * most.most) return Cause::kElement;
  return is_beyond_l1(most.place) && lacks_l1(time) ? Cause::kSmallL1 : Cause::kThroughput;
}

// "DRAM bus, in use 88.1 % of the time (91.0 % the busiest of 188)".
std::string in_use(const Bottleneck& b, const TimeResult::Use& most) {
  const bool uneven = most.share < Bottleneck::kEven * most.most;
  if (!uneven) {
    std::string out =
        fmt::format("{}, in use {} of the time", name_of(most.place), percent(most.share));
    if (percent(most.share) != percent(b.share))
      out += fmt::format(" ({} the busiest of {})", percent(b.share), grouped(most.count));
    return out;
  }
  std::string out = fmt::format("{}, in use {} of the time, {} over all {}", name_of_element(most),
                                percent(b.share), percent(most.share), grouped(most.count));
  if (most.alike > 1) out += fmt::format(" ({} are about as busy)", grouped(most.alike));
  return out;
}

std::string waiting(const TimeResult& time, const Bottleneck& b) {
  std::string out =
      b.waits ? fmt::format("warps wait for {} {} of their time", name_of(*b.waits),
                            percent(b.waits_share))
              : std::string("warps run for most of their time, one instruction after the other");
  const double on_an_sm = static_cast<double>(time.warp_cycles) /
                          (static_cast<double>(time.running) * static_cast<double>(time.sms));
  return out + fmt::format(", and {:.1f} of {} are on an SM on average", on_an_sm, time.warps_most);
}

std::string small_l1(const TimeResult& time) {
  return fmt::format(
      "shared memory leaves an L1 {} of {}: {} of the lines that loads miss would be in a larger "
      "one",
      byte_size(time.l1_bytes), byte_size(time.larger_l1->bytes), percent(time.larger_l1->share));
}

std::string sentence_of(const TimeResult& time, const Bottleneck& b, const TimeResult::Use& most) {
  const std::string idle = fmt::format("no place is in use for more than {} of the time ({})",
                                       percent(b.share), name_of_element(most));
  switch (b.cause) {
    case Cause::kNothing: break;
    case Cause::kLatency: return fmt::format("latency: {}; {}", idle, waiting(time, b));
    case Cause::kFewSms:
      return fmt::format(
          "latency on few SMs: {} of {} SMs have CTAs, and these for {} of the time; {}; {}",
          grouped(time.sms_used), grouped(time.sms), percent(time.sm_time), idle, waiting(time, b));
    case Cause::kThroughput:
    case Cause::kElement: return in_use(b, most);
    case Cause::kCtaStarts:
      return in_use(b, most) + fmt::format(
                                   ": {} CTAs are started one after the other; fewer and "
                                   "larger ones start sooner",
                                   grouped(time.ctas));
    case Cause::kConstants:
      return in_use(b, most) + ": a warp's different addresses are looked up one after the other";
    case Cause::kSmallL1:
      return b.share < Bottleneck::kLimits
                 ? fmt::format("small L1: {}; {}; {}", small_l1(time), waiting(time, b), idle)
                 : fmt::format("{}; {}", in_use(b, most), small_l1(time));
  }
  return "nothing: no place had anything to do";
}

}  // namespace

const char* name_of(Bottleneck::Cause cause) {
  switch (cause) {
    case Cause::kNothing: return "nothing";
    case Cause::kLatency: return "latency";
    case Cause::kFewSms: return "few SMs";
    case Cause::kThroughput: return "throughput";
    case Cause::kElement: return "single element";
    case Cause::kCtaStarts: return "CTA starts";
    case Cause::kConstants: return "constant cache";
    case Cause::kSmallL1: return "small L1";
  }
  return "";
}

Bottleneck bottleneck(const TimeResult& time) {
  Bottleneck out;
  TimeResult::Use none;
  const TimeResult::Use* most = &none;
  for (const TimeResult::Use& use : time.uses)
    if (use.most > most->most) most = &use;
  std::uint64_t waited = 0, longest = 0;
  for (std::size_t w = 0; w < time.waits.size(); ++w) {
    waited += time.waits[w];
    if (time.waits[w] <= longest) continue;
    longest = time.waits[w];
    out.waits = static_cast<Wait>(w);
  }
  const std::uint64_t ran = time.warp_cycles - std::min(waited, time.warp_cycles);
  if (longest <= ran) out.waits.reset();
  else
    out.waits_share = static_cast<double>(longest) /
                      static_cast<double>(std::max(time.warp_cycles, std::uint64_t{1}));
  if (most->most > 0) {
    out.place = most->place;
    out.element = most->element;
    out.share = most->most;
    out.cause = cause_of(time, out, *most);
  }
  out.sentence = sentence_of(time, out, *most);
  return out;
}

}  // namespace warpmem::sim
