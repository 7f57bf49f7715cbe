// What a launch's time says beside its cycles: how much of it each place of limited throughput was
// taken, what limits it, and how well its SMs were used.
#pragma once

#include <vector>

#include "model/card/card.hpp"
#include "model/interconnect/memory_path.hpp"
#include "sim/time/access_time.hpp"
#include "sim/time/constant_time.hpp"
#include "sim/time/cta_rate.hpp"
#include "sim/time/engine.hpp"
#include "sim/time/timed_sm.hpp"

namespace warpmem::sim {

// What has run when the last CTA has ended.
struct TimedRun {
  const model::Card& card;
  model::MemoryPath& path;
  const std::vector<TimedSm>& sms;
  const AccessTime& accesses;
  const ConstantTime& constants;
  const CtaRate& rate;
};

// The cycle in which all that was stored is there.
std::uint64_t last_store_of(const AccessTime& accesses, const model::CardNumbers& card,
                            const model::MemoryPath& path);

// `out` has the CTAs' ends.
void summarise(const TimedRun& run, TimeResult& out);

}  // namespace warpmem::sim
