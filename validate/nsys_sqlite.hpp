// Kernels' times as Nsight Systems measured them: the SQLite file that `nsys export --type sqlite`
// writes. It has no counters: the one metric of each launch is gpu__time_duration.sum.
#pragma once

#include <string>

#include "base/error.hpp"
#include "validate/ncu_csv.hpp"

namespace warpmem::validate {

bool is_sqlite(std::string_view bytes);
Result<NcuImport> parse_nsys_sqlite(std::string bytes, const std::string& place);

}  // namespace warpmem::validate
