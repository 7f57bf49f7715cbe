// An explained launch as people and programs read it.
#pragma once

#include <string>
#include <vector>

#include "results/explanation.hpp"
#include "views/style.hpp"

namespace warpmem::views {

std::string explanation_text(const LaunchExplanation& launch, const Terminal& terminal);

// Where a result is from.
struct ExplainedTrace {
  std::string file, hash, level, gpu, engine;
  std::string caution{};  // what is to be said before its cycles; empty: nothing
};
// {"schema":1,"gpu":…,"engine":…,"trace":{…},"kernels":[{…,"lines":[…],"instructions":[…],
// "arrays":[…],"findings":[…]}]}
std::string explanation_json(const std::vector<LaunchExplanation>& launches,
                             const ExplainedTrace& from);
// A row for each instruction. `quality` stands beside its cycles.
std::string explanation_csv(const std::vector<LaunchExplanation>& launches,
                            const std::string& quality = {});

// "transpose.cu:28", or "pc 0x0120" where the line is not known.
std::string place_of(const SiteTraffic& site);

}  // namespace warpmem::views
