// What launch_replay.cpp and launch_part.cpp are made of begins here: LaunchReplayOf's functions,
// in launch_replay_{ctas,steps,marks,batches}.hpp. Each of the two instantiates them all in one
// file, so that what only one place of it calls can become part of that place.
#pragma once

#include "sim/counts/launch_replay.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/large_pages.hpp"
#include "base/prefetch.hpp"
#include "model/system/one_line.hpp"
#include "sim/engine/lacking.hpp"
#include "sim/engine/placement.hpp"
#include "sim/engine/warp_lanes.hpp"

namespace warpmem::sim {
namespace {

constexpr std::uint64_t kStepCycles = 16;  // one step of the clock

// How many warps ahead of the one that runs its needs are asked for.
constexpr std::size_t kStateAhead = 24, kRecordAhead = 12, kLanesAhead = 8, kLineAhead = 8,
                      kPrepareAhead = 4;

constexpr WarpState kNewWarp{};

}  // namespace

}  // namespace warpmem::sim
