// The names that ncu's details page, its first one, has for metrics.
#pragma once

#include <string>
#include <string_view>

namespace warpmem::validate {

// "L2 Hit Rate" is lts__t_sector_hit_rate.pct. The unit tells two of one name apart. What is no
// such name stays.
std::string metric_of_label(std::string_view label, std::string_view unit);

}  // namespace warpmem::validate
