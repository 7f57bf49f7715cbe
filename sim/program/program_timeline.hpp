// A traced program's steps on a card's link and engines, with kernels as long as the time engine
// found them.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "model/card/card.hpp"
#include "results/program_timeline.hpp"
#include "sim/replay.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

// `cycles`: of launches, by their number. No steps: the trace does not say what the program asked
// for beside its launches.
ProgramTimeline program_timeline(const trace::TraceReader& reader, const model::Card& card,
                                 const std::map<std::uint64_t, std::uint64_t>& cycles);
// `replayed`: with the time engine, all launches of the trace or some.
ProgramTimeline program_timeline(const trace::TraceReader& reader, const model::Card& card,
                                 std::span<const ReplayedLaunch> replayed);

}  // namespace warpmem::sim
