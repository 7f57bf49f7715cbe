// One launch while it is being recorded.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "binary/cubin/code_map.hpp"
#include "traces/format/launch.hpp"
#include "traces/format/record.hpp"
#include "traces/record/gpu_clock.hpp"

namespace warpmem::record {

struct LaunchState {
  trace::Launch launch;
  std::string kernel;                   // demangled
  std::shared_ptr<const CodeMap> code;  // what its PCs mean
  std::uint32_t slot = 0;
  std::uint64_t threads_expected = 0;  // of the CTAs that are recorded
  std::uint64_t skipped_ctas = 0;
  // Kernels of one graph that are the same function share the first one's slot on the GPU; the
  // grid's id tells them apart. On that first one: the others. On each: its id, low bits.
  std::vector<std::shared_ptr<LaunchState>> siblings;
  std::uint32_t grid = 0;
  bool in_graph = false;
  const void* context = nullptr;  // CUDA handles, compared only
  const void* stream = nullptr;

  // Where the kernel's stack frame lies in a thread's local window; 0 until an access through the
  // stack pointer has told. The same in all threads.
  std::atomic<std::uint64_t> frame{0};

  // Its threads tell when they leave: once all have, every record of the launch has been read.
  std::atomic<std::uint64_t> threads_gone{0};
  std::atomic<std::uint64_t> records{0};  // written
  std::atomic<std::uint64_t> lost{0};
  std::atomic<bool> truncated{false};
  // For --times. Set by the thread that launches, and by the one that finishes the launch.
  std::chrono::steady_clock::time_point begun, returned, read;
  GpuClock gpu_clock;
  std::atomic<std::uint64_t> bytes{0};  // of its blocks in the trace
  bool all_gone() const { return threads_gone.load(std::memory_order_acquire) >= threads_expected; }

  std::uint32_t threads_per_cta() const {
    return launch.block[0] * launch.block[1] * launch.block[2];
  }
  // Lanes of a warp that exist: the last warp of a CTA may be short.
  std::uint32_t lanes_of(std::uint32_t warp) const {
    const std::uint32_t first = warp * 32, threads = threads_per_cta();
    if (threads >= first + 32) return ~0u;
    return threads > first ? (1u << (threads - first)) - 1 : 0;
  }
};

}  // namespace warpmem::record
