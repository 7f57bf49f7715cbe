// Where a launch's time went, as people and programs read it.
#pragma once

#include <string>

#include "base/json.hpp"
#include "sim/time/engine.hpp"

namespace warpmem::command {

// The places in use, what limits, and what warps waited for.
std::string time_text(const sim::TimeResult& time, const views::Terminal& terminal);
// kernels[].time of a replay's JSON.
Json time_json(const sim::TimeResult& time);

}  // namespace warpmem::command
