// What CTAs' stays on the SMs say of a launch's time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/time/engine.hpp"

namespace warpmem::sim {

// Cycles that CTAs kept their places on the SMs, by the place: the end of each less the end of the
// one before it there. That is the time of these CTAs, whether they run in step or not. `ctas`:
// numbers, ascending. `last`: nothing comes behind them; places are empty until the launch ends.
double time_of(const TimeResult& time, std::span<const std::uint64_t> ctas, bool last);

// CTAs that begin together run in step: they all load, then all store. With every wave their ends
// move apart, until they are spread evenly over the time of a wave: then their standard deviation
// is that time over the root of 12. In how many waves is that so, or as much of it as there is in
// the last of these waves, if that is less? `waves`: whole waves of CTAs from the first on,
// ascending.
std::uint64_t waves_in_step(const TimeResult& time, std::span<const std::uint64_t> ctas,
                            std::uint64_t wave);

}  // namespace warpmem::sim
