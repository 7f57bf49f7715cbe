// A launch's memory hierarchy in the figures people look at first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmem {

struct MemoryChart {
  struct Kind {  // of accesses
    std::uint64_t requests = 0, sectors = 0, lane_bytes = 0;
  };
  struct Line {         // of the source, or an instruction
    std::string place;  // "app.cu:12"
    std::string text;   // "store: 16.0 sectors a request for 4.0; column of a matrix …"
  };

  std::string limit;         // a sentence; empty: not known
  std::uint64_t cycles = 0;  // 0: not known
  double microseconds = 0;   // 0: not known
  std::uint64_t clock_mhz = 0;

  std::uint64_t sms = 0, sms_used = 0;
  bool has_l1 = true, has_l2 = true;                // that loads of global memory go through
  Kind load, store, atomic;                         // of global memory
  Kind local, texture, copy;                        // `copy`: by an SM's copy engine
  std::uint64_t other_read = 0, other_written = 0;  // lanes' bytes of local memory and textures
  std::uint64_t l1_read = 0, l1_written = 0;        // bytes between the L1s and the L2
  std::uint64_t dram_read = 0, dram_written = 0;
  std::uint64_t host_read = 0, host_written = 0;  // bytes over the link to the host
  std::optional<double> l1_hits, l2_hits;         // shares of sectors read
  std::uint64_t shared_wavefronts = 0, shared_ideal = 0;
  // Shares of the time; nothing where no time was kept.
  std::optional<double> l1_busy, port_in_busy, port_out_busy, l2_busy, dram_busy, link_busy;
  double dram_peak = 0;  // bytes a cycle; 0: not known

  std::uint32_t ctas = 0;                   // of an SM at once
  std::uint64_t warps = 0, most_warps = 0;  // of them, and that an SM holds
  std::string occupancy_limit;              // "registers"
  std::optional<double> average_warps;

  std::vector<Line> worst;
  bool sampled = false;  // the worst lines are from a part of the records
};

}  // namespace warpmem
