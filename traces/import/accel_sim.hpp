// Accel-Sim's traces: one .traceg, or the list of a program's launches (kernelslist.g).
#pragma once

#include "traces/import/import.hpp"

namespace warpmem::imports {

Result<ImportReport> import_accel_sim(const ImportRequest& request, bool list);

}  // namespace warpmem::imports
