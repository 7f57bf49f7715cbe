// How nvprof calls its metrics in a header: by name, or, in a trace, by what it says of them.
#pragma once

#include <string>
#include <string_view>

namespace warpmem::validate {

// "gld_efficiency" of "gld_efficiency" or "Global Memory Load Efficiency"; empty: no metric's
// column.
std::string nvprof_metric_of_column(std::string_view column);

}  // namespace warpmem::validate
