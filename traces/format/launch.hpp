// One kernel launch: its shape, its resources, and the allocations alive when it ran.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/dim3.hpp"

namespace warpmem::trace {

enum class AllocationKind : std::uint8_t { kDevice, kManaged, kHost, kPeer, kArray };

struct Allocation {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  AllocationKind kind = AllocationKind::kDevice;
};

// L2 access-policy window in force (bytes == 0: none).
struct AccessWindow {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  float hit_ratio = 0;
  std::uint8_t hit = 0;  // 0 normal, 1 streaming, 2 persisting
  std::uint8_t miss = 0;
};

struct Launch {
  std::uint32_t id = 0;         // position among the program's launches, from 0 (recorded or not)
  std::uint32_t program = 0;    // index of its Program in the trace
  Dim3 grid{1, 1, 1};           // CTAs
  Dim3 block{1, 1, 1};          // threads
  Dim3 cluster{1, 1, 1};        // CTAs
  std::uint32_t registers = 0;  // per thread
  std::uint32_t static_shared = 0;   // bytes per CTA
  std::uint32_t dynamic_shared = 0;  // bytes per CTA
  std::uint32_t local_bytes = 0;     // per thread
  std::int32_t carveout = -1;  // preferred shared-memory carve-out in percent, -1: driver's choice
  std::uint64_t stream = 0;    // number in order of first use
  std::uint64_t context = 0;
  std::uint64_t set_aside = 0;  // bytes of L2 set aside for persisting accesses
  AccessWindow window;
  std::vector<Allocation> allocations;  // sorted by base
  // The kernel's parameters as its code reads them, and where they begin in constant bank 0. Empty:
  // not known, or none.
  std::vector<std::uint8_t> parameters;
  std::uint32_t parameters_at = 0;
  // cudaLimitMaxL2FetchGranularity; 0: the program has not said.
  std::uint32_t fetch_bytes = 0;
  // cudaCtxResetPersistingL2Cache was called since the launch before.
  bool ends_persisting = false;
};

// How often warps ran instructions that stand one after the other in the program. Only emulated
// launches have it: whoever counts it must see every branch.
struct TimesRun {
  std::uint32_t pc = 0;            // of the first
  std::uint32_t instructions = 1;  // how many
  // Machine code: each comes from a PTX instruction of which it is one of so many copies …
  std::uint32_t copies = 1;
  std::uint64_t times = 0;  // … that warps ran so often, in all its copies together
  bool operator==(const TimesRun&) const = default;
};

// How a launch's recording ended.
struct LaunchEnd {
  std::uint64_t records = 0;       // written
  std::uint64_t lost = 0;          // known to be lost (0 when complete)
  std::uint64_t skipped_ctas = 0;  // left out on request (--ctas)
  bool truncated = false;          // --max-records was reached
  std::vector<TimesRun> times{};   // ascending pcs; empty: not known
};

}  // namespace warpmem::trace
