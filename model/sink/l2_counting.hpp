// What happens in the L2 and behind it, by name: the only place that adds to an L2's counters.
//
// Numbers are sectors, but where it says otherwise. L2Notifying (l2_notifying.hpp) also notifies.
#pragma once

#include <cstdint>

#include "model/counters/l2_counters.hpp"

namespace warpmem::model {

class L2Counting {
 public:
  L2Counters counters;

  // Reads: requests that are ones of their own; what is looked for, and what of it is there; what
  // came with another SM's request.
  void read_requests(std::uint64_t requests) { counters.read_requests += requests; }
  void reads(std::uint64_t asked) { counters.read += asked; }
  void read_hits(std::uint64_t hits) { counters.read_hit += hits; }
  void merges(std::uint64_t sectors) { counters.merged += sectors; }
  // … that are asked for on the other side, and are there.
  void crosses(std::uint64_t asked, std::uint64_t hits) {
    counters.fabric_read += asked;
    counters.fabric_read_hit += hits;
  }
  // A write of so many requests; all of it hits where there is an L2.
  void writes(std::uint64_t requests, std::uint64_t sent, std::uint64_t hits) {
    counters.write_requests += requests;
    counters.write += sent;
    counters.write_hit += hits;
  }
  void write_crosses(std::uint64_t sent) { counters.fabric_write += sent; }
  // Passes over a sector. Requests are counted by whoever sends them.
  void atomics(bool returns, std::uint64_t passes, std::uint64_t hits) {
    (returns ? counters.atomic : counters.reduction) += passes;
    (returns ? counters.atomic_hit : counters.reduction_hit) += hits;
  }
  void atomic_requests(bool returns, std::uint64_t requests) {
    (returns ? counters.atomic_requests : counters.reduction_requests) += requests;
  }
  void atomic_crosses(std::uint64_t passes) { counters.fabric_atomic += passes; }
  // Of prefetches, and of requests on what is here.
  void prefetches(std::uint64_t sectors) { counters.prefetch += sectors; }
  void prefetch_crosses(std::uint64_t sectors) { counters.fabric_prefetch += sectors; }

  void dram_reads(std::uint64_t sectors) { counters.dram_read += sectors; }
  void dram_writes(std::uint64_t sectors) { counters.dram_write += sectors; }
  // Sectors that had been written in part are filled from DRAM before they go back there.
  void refills(std::uint64_t sectors) { counters.refill_writes += sectors; }

  // A request of host memory, which is not kept. Writes count as hits of an L2.
  void host_read(std::uint64_t sectors) {
    ++counters.read_requests;
    counters.read += sectors;
    counters.sysmem_read += sectors;
  }
  void host_write(std::uint64_t sectors, std::uint64_t hits) {
    ++counters.write_requests;
    counters.write += sectors;
    counters.write_hit += hits;
    counters.sysmem_write += sectors;
  }

  // The launch's own code: read by so many groups of SMs, and where it comes from.
  void code(std::uint64_t groups, std::uint64_t sectors, bool crosses, bool cold) {
    counters.launch_read += groups * sectors;
    if (crosses) counters.fabric_read += sectors;
    if (cold) counters.dram_read += sectors;
  }
  // What the driver reads for a launch.
  void driver(std::uint64_t l2, std::uint64_t dram, std::uint64_t fabric) {
    counters.launch_read += l2;
    counters.dram_read += dram;
    counters.fabric_launch += fabric;
  }
  // What comes has been asked for by nobody: prefetches from here to the next are not counted.
  template <class Do>
  void unasked(Do&& what) {
    const std::uint64_t asked = counters.prefetch, crossed = counters.fabric_prefetch;
    what();
    counters.prefetch = asked, counters.fabric_prefetch = crossed;
  }
};

}  // namespace warpmem::model
