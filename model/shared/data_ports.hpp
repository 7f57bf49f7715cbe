// Who else takes the ports of an SM's data banks while its load/store unit reads or writes shared
// memory. The unit comes last: a wavefront whose cycle is taken is lost, comes again, and is
// counted again as a wavefront and a bank conflict (the profiler's lost arbitration).
//
// Loads lose against the copy engine, which reads what it stores, and against warps that start
// (their first registers come as loaded words do); stores lose against words that come
// from the L2 and go straight into shared memory. Loads and stores of global memory, and atomics,
// take nothing away from either (measured: kernels/micro/lost_arbitration.cu). Not here: stores
// that meet those of another scheduler, of which up to one in ten is lost.
//
// Times are cycles of the SM. In which cycle of a span (throughput.hpp) a port is taken is not
// known, so that a wavefront loses its share.
#pragma once

#include <cstdint>

#include "model/timing/throughput.hpp"

namespace warpmem::model {

class DataPorts {
 public:
  // From `cycle` on others take a port for so many thousandths of a cycle.
  void takes_reads(std::uint64_t cycle, std::uint64_t millicycles) {
    take(reads_, cycle, millicycles);
  }
  void takes_writes(std::uint64_t cycle, std::uint64_t millicycles) {
    take(writes_, cycle, millicycles);
  }

  // How many of so many wavefronts from `cycle` on are lost; what is less than a whole one is kept
  // for later.
  std::uint32_t lost_reads(std::uint64_t cycle, std::uint32_t wavefronts) {
    return lost(reads_, lost_reads_, cycle, wavefronts);
  }
  std::uint32_t lost_writes(std::uint64_t cycle, std::uint32_t wavefronts) {
    return lost(writes_, lost_writes_, cycle, wavefronts);
  }

 private:
  static void take(Throughput& port, std::uint64_t cycle, std::uint64_t millicycles) {
    if (millicycles > 0)
      port.reserve(cycle * kTicks, static_cast<std::uint32_t>(millicycles * kTicks / 1000));
  }
  static std::uint32_t lost(const Throughput& port, std::uint64_t& rest, std::uint64_t cycle,
                            std::uint32_t wavefronts) {
    if (port.given() == 0) return 0;
    rest += std::uint64_t{wavefronts} * port.used(cycle * kTicks);
    const std::uint64_t whole = rest / Throughput::kSpan;
    rest %= Throughput::kSpan;
    return static_cast<std::uint32_t>(whole);
  }

  Throughput reads_, writes_;
  std::uint64_t lost_reads_ = 0, lost_writes_ = 0;  // ticks of wavefronts, less than a span
};

}  // namespace warpmem::model
