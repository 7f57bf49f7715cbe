// Reads the CSV that nvprof prints (nvprof --csv --metrics …, --events …), in both of its shapes:
//   summary                 a row per kernel and metric: minimum, maximum, average
//   --print-gpu-trace       a row per launch; a row of units may follow the header
// with its ==PID== lines and the program's own output around them.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "validate/ncu_csv.hpp"

namespace warpmem::validate {

// Whether nvprof wrote it: a header with "Device" and "Kernel" or its ==PID== lines.
bool is_nvprof_csv(std::string_view bytes);
// NcuImport::words is nvprof's. Errors as those of parse_ncu_csv().
Result<NcuImport> parse_nvprof_csv(std::string_view bytes, const std::string& place);

}  // namespace warpmem::validate
