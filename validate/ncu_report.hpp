// Nsight Compute's own reports (.ncu-rep), by NVIDIA's Python package ncu_report, which reads them
// without a GPU. The package is the user's: a Python of theirs is asked, and what it says of the
// report is what `ncu --import … --page raw --csv` prints.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpmem::validate {

bool is_ncu_report(std::string_view bytes);
// The table as CSV. kEnvironment: no Python here has the package; kMalformed: it cannot read the
// file.
Result<std::string> ncu_report_csv(const std::string& path);

}  // namespace warpmem::validate
