// Runs one launch of a kernel. CTAs that cannot see each other run in order, one at a time (a
// cluster's together), unless one takes so long that it may be waiting for a later one. Where they
// can, as many as fit the GPU are active and take turns (turns.cpp). Either way the result depends
// on the program only, never on the host.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "emulate/executor/kernel.hpp"
#include "emulate/executor/machine.hpp"
#include "emulate/executor/texture.hpp"
#include "emulate/executor/tracer.hpp"
#include "emulate/executor/wait_clocks.hpp"

namespace warpmem::emulate {

class DeviceRuntime;

struct LaunchShape {
  Dim3 grid{1, 1, 1};
  Dim3 block{1, 1, 1};
  Dim3 cluster{1, 1, 1};
  std::uint32_t dynamic_shared = 0;
  bool cooperative = false;  // all CTAs at once
  std::vector<std::byte> params;
  // Of a thread of machine code whose functions have frames that its file does not add up:
  // cudaLimitStackSize, as long as nobody changes it.
  std::uint64_t stack_bytes = 1024;
  std::uint32_t sms = 1;
  std::uint32_t sm_ctas = 1;   // CTAs of this launch that an SM holds at once
  std::uint64_t clusters = 0;  // … and clusters the GPU; 0: as many as SMs have room for
  WaitClocks waits;
  const TextureTable* textures = nullptr;  // objects the kernel may name; null: none
};

struct RunOptions {
  std::uint64_t max_instructions = 0;  // warp instructions; 0: no limit
  std::uint32_t threads = 1;           // the result is the same on any number
  // Told of reads of shared memory that nobody wrote, and of hazards in it; empty: nobody looks.
  std::function<void(const std::string&)> report;
  std::function<bool()> interrupted;                                      // asked now and then
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  // CTAs
  std::function<void(const std::string&)> print;                          // what printf says
  DeviceRuntime* device = nullptr;  // for kernels that launch kernels
  // When set, an access out of bounds that a GPU's mapping would let through is told (by any of the
  // executor's threads) and carried out; otherwise it is a fault.
  std::function<void(const Error&)> out_of_bounds;
};

// Why a launch failed, for whoever has to say it in CUDA's terms.
enum class FaultKind : std::uint8_t {
  kNone,
  kAddress,
  kMisaligned,
  kAssert,
  kTrap,
  kEndless,
  kOther
};

struct RunStatistics {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t memory_records = 0;
  std::uint64_t ctas = 0;
  FaultKind fault = FaultKind::kNone;
  // How often warps ran each statement (pc / 16), diverged lanes one after the other; empty where
  // nothing was traced.
  std::vector<std::uint64_t> times;
};

// Threads to use when `asked` for so many; 0: one a core.
std::uint32_t threads_for(std::uint64_t asked);
constexpr std::uint64_t kMostThreads = 256;  // that CTAs run on

// `tracer` may be null. Statistics are filled whether it succeeds or not.
Result<void> run_launch(const Kernel& kernel, Memory& memory, const LaunchShape& shape,
                        const RunOptions& options, Tracer* tracer, RunStatistics& statistics);

}  // namespace warpmem::emulate
