// A .traceg of Accel-Sim's tracer, from its heading to its last CTA: says what stands in it, and
// that it is whole.
#pragma once

#include <functional>
#include <string>

#include "base/error.hpp"
#include "traces/import/accel_sim_line.hpp"

namespace warpmem::imports {

struct AccelSimReaders {
  std::function<Result<void>(const AccelSimHeading&)> heading;
  std::function<Result<void>(std::uint64_t cta, std::uint32_t warp)> begin;  // of a warp
  std::function<Result<void>(const AccelSimLine&)> line;
  std::function<Result<void>()> end;  // of the warp that began last
};

// Each CTA of the launch comes once at most, each warp of it once. An error that a reader gives
// without a place gets that of the line.
Result<void> read_accel_sim(const std::string& path, const AccelSimReaders& readers);

}  // namespace warpmem::imports
