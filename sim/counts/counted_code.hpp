// What the counts engine knows of a launch's code: by site, what a record of it does.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/dependence.hpp"
#include "sim/engine/launch_run.hpp"
#include "sim/engine/sites.hpp"

namespace warpmem::sim {

// What most records are: a load or a store of one line (model/system/one_line.hpp), or a warp's
// beginning or end.
enum class RecordKind : std::uint8_t { kUnknown, kOther, kLoad, kStore, kMark };

// … of a site.
struct SiteForm {
  std::int32_t stride;  // of loads and stores of one line
  RecordKind kind;      // of records with this stride
};

struct CountedCode {
  // `takes_lines`: whether the memory system takes loads and stores of one line as such.
  CountedCode(const LaunchRun& run, bool takes_lines);

  model::LineSize line;
  std::vector<AccessPlan> plans;
  std::vector<SiteForm> forms;
  Dependence dependence;
};

}  // namespace warpmem::sim
