// Where a recorded trace comes from: GPU, driver, date, and what this recorder cannot see.
#pragma once

#include <cuda.h>

#include "traces/format/writer.hpp"
#include "traces/record/options.hpp"

namespace warpmem::record {

// Called from a driver callback: asks the driver only what takes no lock of a context's.
trace::Origin origin_of(CUdevice device, const RecordOptions& options);

}  // namespace warpmem::record
