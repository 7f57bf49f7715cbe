// A launch's memory hierarchy on one screen of 80 columns.
#pragma once

#include <string>

#include "results/memory_chart.hpp"
#include "views/style.hpp"

namespace warpmem::views {

std::string memory_chart_text(const MemoryChart& chart, const Terminal& terminal);

}  // namespace warpmem::views
