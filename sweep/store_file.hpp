// The bytes of a file of results (sweep/store.hpp), made and read.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "sweep/plan.hpp"

namespace warpmem::sweep {

// `points`: all that are held, by number. `path`: for messages.
Result<std::string> file_of(const Plan& plan, const std::vector<SweepPoint>& points,
                            const std::string& path);

// What such bytes hold: the plan with its points. kMalformed where they are not what was written.
Result<Plan> sweep_of(std::string bytes, const std::string& path);

}  // namespace warpmem::sweep
