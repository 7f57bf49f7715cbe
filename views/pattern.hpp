// What an access pattern costs on one card, or on many, as people and programs read it.
#pragma once

#include <string>
#include <vector>

#include "results/explanation.hpp"
#include "views/style.hpp"

namespace warpmem::views {

struct PatternOnCard {
  std::string gpu, full_name;
  std::vector<SiteTraffic> accesses;
  std::string failure;  // why the card cannot do it; empty: it can
};

std::string pattern_text(const PatternOnCard& result, const Terminal& terminal);
// A row for each card and access.
std::string pattern_table(const std::vector<PatternOnCard>& results, const Terminal& terminal);
std::string pattern_csv(const std::vector<PatternOnCard>& results);
// {"schema":1,"pattern":…,"cards":[{"gpu":…,"accesses":[…]}]}
std::string pattern_json(const std::string& text, const std::vector<PatternOnCard>& results);
// The drawings of all accesses, one below the other.
std::string pattern_svg(const PatternOnCard& result);

}  // namespace warpmem::views
