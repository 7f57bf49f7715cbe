// What the L2 counts in a launch.
#pragma once

#include <cstdint>

namespace warpmem::model {

// Sectors, unless the name says requests. `tex`: from SMs; the profiler's names are in
// sim/metric_rows.cpp.
struct L2Counters {
  std::uint64_t read_requests = 0, read = 0, read_hit = 0;
  std::uint64_t write_requests = 0, write = 0, write_hit = 0;
  std::uint64_t atomic_requests = 0, atomic = 0, atomic_hit = 0;
  std::uint64_t reduction_requests = 0, reduction = 0, reduction_hit = 0;
  std::uint64_t fabric_read = 0, fabric_read_hit = 0, fabric_write = 0, fabric_atomic = 0;
  std::uint64_t refill_writes = 0;  // partly written sectors written again when they were filled
  std::uint64_t dram_read = 0, dram_write = 0;
  std::uint64_t sysmem_read = 0, sysmem_write = 0;
  std::uint64_t launch_read = 0;    // read by the launch itself: code, parameters, constants
  std::uint64_t fabric_launch = 0;  // … and what crosses for it and is not in fabric_read
  std::uint64_t merged = 0;         // read sectors that rode on another SM's request
  // Sectors of prefetches and of requests on what is here, and of them those that cross.
  std::uint64_t prefetch = 0, fabric_prefetch = 0;
};

}  // namespace warpmem::model
